import { spawn, spawnSync } from "node:child_process";
import { messageOf } from "../errors.ts";

/** How a session at the user's terminal ended. */
export interface SessionEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Set when it could not be started. */
  readonly spawnError?: string;
  /** Set when we were asked to end while it ran, and passed that on. */
  readonly stoppedBy?: NodeJS.Signals;
}

/** Keys: the terminal sends these to the program too, and there they may mean something else than the end. */
const THE_PROGRAMS = ["SIGINT", "SIGQUIT"] as const;

/** These are sent to us alone, so that they have to be passed on. */
const PASSED_ON = ["SIGTERM", "SIGHUP"] as const;

/** Longer than `stty` ever takes; a terminal that was taken away from us would stop it for ever. */
const STTY_MS = 2_000;

/** Lends our own terminal to a program until it ends, and gets it back as it was. Never rejects. */
export async function interactive(
  file: string,
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<SessionEnd> {
  const modes = terminalModes();
  let stoppedBy: NodeJS.Signals | undefined;
  let passOn = (_signal: NodeJS.Signals): void => {};
  const ignore = (): void => {};
  const forward = (signal: NodeJS.Signals): void => {
    stoppedBy = signal;
    passOn(signal);
  };
  for (const signal of THE_PROGRAMS) process.on(signal, ignore);
  for (const signal of PASSED_ON) process.on(signal, forward);
  try {
    const end = await new Promise<SessionEnd>((resolve) => {
      // Not detached: only the group in the foreground may read from the terminal.
      const child = spawn(file, [...args], { cwd: options.cwd, env: options.env, stdio: "inherit" });
      passOn = (signal) => child.kill(signal);
      child.once("error", (error) => resolve(notStarted(error)));
      child.once("exit", (code, signal) => resolve({ code, signal }));
    }).catch(notStarted);
    return stoppedBy === undefined ? end : { ...end, stoppedBy };
  } finally {
    for (const signal of THE_PROGRAMS) process.off(signal, ignore);
    for (const signal of PASSED_ON) process.off(signal, forward);
    if (modes !== undefined) stty([modes]);
  }
}

/** How the terminal is set: a program that dies in raw mode leaves it without echo and line ends. Undefined without one. */
function terminalModes(): string | undefined {
  const modes = stty(["-g"])?.trim();
  return modes === undefined || !/^[\w:=-]+$/.test(modes) || modes.startsWith("-") ? undefined : modes;
}

function stty(args: readonly string[]): string | undefined {
  const done = spawnSync("stty", args, {
    stdio: ["inherit", "pipe", "ignore"],
    encoding: "utf8",
    timeout: STTY_MS,
    killSignal: "SIGKILL",
  });
  return done.status === 0 ? done.stdout : undefined;
}

function notStarted(error: unknown): SessionEnd {
  return { code: null, signal: null, spawnError: messageOf(error) };
}
