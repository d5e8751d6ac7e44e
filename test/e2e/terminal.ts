import { spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { environmentOf, RALPH, type World, watch } from "./support.ts";

/** The built program on a terminal of its own, and somebody at the keys. */
export interface Terminal {
  /** Resolves when the text is on the screen. */
  shows(text: string): Promise<void>;
  /** What was printed so far, as it came. */
  soFar(): string;
  press(keys: string): void;
  /** Closes the window. */
  hangUp(): void;
  /** The exit code, what was printed as it came, and the same without escape sequences. */
  readonly ended: Promise<{ readonly code: number | null; readonly raw: string; readonly screen: string }>;
}

/** `script` of util-linux, which gives a program a terminal of its own; every Debian has it. */
export const SCRIPT = "script";

/** Starts ralph on a terminal that is 150 columns wide. */
export function openTerminal(
  world: World,
  args: readonly string[],
  env: Record<string, string | undefined> = {},
): Terminal {
  const words = [process.execPath, RALPH, ...args].map((word) => `'${word}'`).join(" ");
  const child = spawn(SCRIPT, ["-qec", `stty cols 150 rows 50; exec ${words}`, "/dev/null"], {
    cwd: world.project,
    env: { ...environmentOf(world), SHELL: "/bin/sh", TERM: "xterm", ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.on("error", () => {}); // keys for a program that has ended
  const started = watch(child);
  let printed = "";
  child.stdout.on("data", (text: string) => {
    printed += text;
  });
  return {
    shows: (text) => started.printed(text),
    soFar: () => printed,
    press: (keys) => child.stdin.write(keys),
    hangUp: () => child.kill("SIGKILL"),
    ended: started.ended.then(({ code, stdout }) => ({
      code,
      raw: stdout,
      screen: stripVTControlCharacters(stdout).replaceAll("\r", ""),
    })),
  };
}
