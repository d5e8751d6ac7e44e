import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { RunEvent } from "ralph-proof";
import { type Script, type ScriptedAgent, scriptedAgent } from "ralph-proof/testing";
import { afterEach, expect } from "vitest";
import type { AgentEvent, LoopEvent } from "../../src/events.ts";
import { DEADLINE_MS } from "../deadline.ts";
import { endNow } from "../processes.ts";

export const RALPH = join(dirname(fileURLToPath(import.meta.url)), "../../bin/ralph");

/** The word that ends a run. */
export const DONE = "<response>DONE</response>";

/** A project of its own, with a state folder and a folder of programs of its own. Removed after the test. */
export interface World {
  /** The folder that holds everything of this world. */
  readonly home: string;
  readonly project: string;
  readonly state: string;
  /** The first folder of PATH. */
  readonly bin: string;
  /** Writes a file into the project. */
  write(path: string, text: string): void;
  read(path: string): string;
  /** Is there anything at this path of the project? */
  has(path: string): boolean;
  settings(value: unknown): void;
  localSettings(value: unknown): void;
  /** A scripted agent; its command goes into `--agent` (plain text then) or into the settings. */
  agent(script: Script): ScriptedAgent;
  /** A scripted agent, put into the settings with its own kind beside `rest`. */
  speaking(script: Script, rest?: Record<string, unknown>): ScriptedAgent;
  /** Puts a program on PATH that does what these lines of sh say. Returns its path. */
  install(name: string, lines: string): string;
  /** Puts a scripted agent on PATH under a name, which then says what kind it is. `help` is what it says of itself. */
  installAgent(name: string, script: Script, help?: string): ScriptedAgent;
  git(...args: string[]): string;
  /** Runs the built program to its end. */
  ralph(args: readonly string[], options?: RunOptions): Promise<Ended>;
  /** Starts the built program and hands over the process. */
  start(args: readonly string[], options?: RunOptions): Started;
  /** The journal of the only run. */
  journal(): LoopEvent[];
  /** The journals of all runs, of every project, in the order in which they began. */
  runs(): LoopEvent[][];
  /** Was there ever a run that wrote a journal? */
  hasJournal(): boolean;
  /** Files in `.ralph`, sorted. */
  ralphFiles(): string[];
  /** The folder of the only run, outside the project. */
  runFolder(): string;
  /** Everything under the state folder, as paths. */
  stateFiles(): string[];
}

export interface RunOptions {
  readonly env?: Record<string, string | undefined>;
  readonly cwd?: string;
  readonly input?: string;
  /** In a process group of its own, as a shell starts it. */
  readonly detached?: boolean;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly process: ChildProcess;
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** Resolves when the text, or what looks like it, has been printed on either stream. */
  printed(text: string | RegExp): Promise<void>;
}

const cleanUp: (() => void)[] = [];
afterEach(() => {
  // The last thing made goes first: processes before the folders that they write into.
  for (const one of cleanUp.splice(0).reverse()) one();
});

/** The environment of every ralph of a world. */
export function environmentOf(world: Pick<World, "state" | "bin">): NodeJS.ProcessEnv {
  return {
    ...process.env,
    PATH: `${world.bin}:${process.env["PATH"]}`,
    RALPH_STATE_DIR: world.state,
    RALPH_TRUST_PROJECT: "1",
  };
}

export function makeWorld(options: { git?: boolean } = {}): World {
  const home = mkdtempSync(join(tmpdir(), "ralph-e2e-"));
  cleanUp.push(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  // Whatever ralph should have ended and did not: it carries the folder's name in its environment.
  cleanUp.push(() => {
    for (const pid of processesWith(home)) endNow(pid);
  });
  const project = join(home, "project");
  const state = join(home, "state");
  const bin = join(home, "bin");
  for (const folder of [project, bin]) mkdirSync(folder);
  let agents = 0;

  const world: World = {
    home,
    project,
    state,
    bin,
    write(path, text) {
      mkdirSync(dirname(join(project, path)), { recursive: true });
      writeFileSync(join(project, path), text);
    },
    read: (path) => readFileSync(join(project, path), "utf8"),
    has: (path) => existsSync(join(project, path)),
    settings: (value) => world.write(".ralph/settings.json", asText(value)),
    localSettings: (value) => world.write(".ralph/settings.local.json", asText(value)),
    agent: (script) => scriptedAgent(script, { folder: join(home, `agent-${++agents}`) }),
    speaking(script, rest = {}) {
      const agent = world.agent(script);
      // Most scripts change nothing, and are not about that.
      world.settings({
        noProgressThreshold: 0,
        ...rest,
        agent: { command: agent.command, kind: agent.spec.kind },
      });
      return agent;
    },
    install(name, lines) {
      const file = join(bin, name);
      writeFileSync(file, `#!/bin/sh\n${lines}\n`);
      chmodSync(file, 0o755);
      return file;
    },
    installAgent(name, script, help) {
      const agent = world.agent(script);
      const asked =
        help === undefined ? "" : `case " $* " in *" --help "*) cat <<'HELP'\n${help}\nHELP\nexit;; esac\n`;
      world.install(name, `${asked}exec ${agent.command} "$@"`);
      return agent;
    },
    git: (...args) => execFileSync("git", args, { cwd: project, encoding: "utf8" }),
    ralph: (args, how) => world.start(args, how).ended,
    start(args, how = {}) {
      const child = spawn(process.execPath, [RALPH, ...args], {
        cwd: how.cwd ?? project,
        env: { ...environmentOf(world), ...how.env },
        stdio: ["pipe", "pipe", "pipe"],
        detached: how.detached === true,
      });
      child.stdin.on("error", () => {}); // a program that does not read its input may close it
      child.stdin.end(how.input ?? "");
      return watch(child);
    },
    journal: () => journalIn(join(world.runFolder(), "journal.ndjson")),
    runs: () =>
      world
        .stateFiles()
        .filter((path) => path.endsWith("journal.ndjson"))
        .map((path) => journalIn(join(state, path)))
        .filter((journal) => journal.length > 0)
        .sort((one, other) => (one[0]?.at ?? 0) - (other[0]?.at ?? 0)),
    hasJournal: () => world.stateFiles().some((path) => path.endsWith("journal.ndjson")),
    ralphFiles: () => filesIn(join(project, ".ralph")),
    runFolder() {
      const projects = join(state, "projects");
      const [name = ""] = filesIn(projects);
      // Beside the runs stands the lock, while there is one.
      const runs = filesIn(join(projects, name)).filter((file) => /^\d/.test(file));
      return join(projects, name, runs.at(-1) ?? "");
    },
    stateFiles: () => filesBelow(state),
  };
  if (options.git === true) {
    world.git("init", "--quiet", "--initial-branch=main");
    world.write("README", "a project\n");
    world.git("add", "--all");
    world.git("commit", "--quiet", "-m", "first");
  }
  return world;
}

/** Follows what a process prints, until it ends. */
export function watch(child: ChildProcess): Started {
  let stdout = "";
  let stderr = "";
  let isOver = false;
  const waiting: (() => void)[] = [];
  const wake = () => {
    for (const one of waiting.splice(0)) one();
  };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    wake();
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    wake();
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      isOver = true;
      wake();
      resolve({ code, signal, stdout, stderr });
    });
  });
  cleanUp.push(() => child.kill("SIGKILL"));
  return {
    process: child,
    pid: child.pid ?? -1,
    ended,
    async printed(text) {
      const deadline = Date.now() + DEADLINE_MS;
      const isIn = (all: string) => (typeof text === "string" ? all.includes(text) : text.test(all));
      while (!isIn(`${stdout}${stderr}`)) {
        if (isOver || Date.now() > deadline) {
          throw new Error(`never printed ${text}:\n${stdout}\n${stderr}`);
        }
        await Promise.race([new Promise<void>((resolve) => waiting.push(resolve)), sleep(500)]);
      }
    },
  };
}

/** Resolves when the condition holds; fails loudly after a deadline. */
export async function until(what: string, condition: () => boolean): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`never came true: ${what}`);
    await sleep(10);
  }
}

/** Resolves when a file holds a process id, and gives it. */
export async function pidIn(path: string): Promise<number> {
  const read = () => (existsSync(path) ? Number(readFileSync(path, "utf8").trim()) : 0);
  await until(`a process id in ${path}`, () => read() > 0);
  return read();
}

/** Is a process of this id alive (and not a zombie)? */
export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}

/** Living processes that were started with this text in their environment, but for ours. */
export function processesWith(text: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && isAlive(pid))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "utf8").includes(text);
      } catch {
        return false; // gone in the meantime, or another user's
      }
    });
}

/** The lines of a `--json` run or of a journal. */
export function events(lines: string): RunEvent[] {
  return lines
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as RunEvent);
}

/** The events of one type. */
export function ofType<E extends { type: string }, T extends E["type"]>(
  all: readonly E[],
  type: T,
): Extract<E, { type: T }>[] {
  return all.filter((event): event is Extract<E, { type: T }> => event.type === type);
}

/** What the agent said in a `--json` run. */
export function said(stdout: string): AgentEvent[] {
  return ofType(events(stdout), "agent").map(({ event }) => event);
}

/** How a run ended, from its journal. */
export function outcomeOf(world: World): { kind: string; reason: string } {
  const last = world.journal().at(-1);
  if (last?.type !== "run.ended") throw new Error(`the journal ends with ${last?.type}`);
  return last.outcome;
}

/** The prompts that an agent was given for its work, in order. */
export function prompts(agent: ScriptedAgent): string[] {
  return workCalls(agent).map((call) => call.prompt);
}

/** The argument vectors of an agent's working turns, in order. */
export function argvs(agent: ScriptedAgent): (readonly string[])[] {
  return workCalls(agent).map(({ argv }) => {
    // Where ralph answers its hooks is another address each time.
    const at = argv.findIndex((word) => word.includes("RALPH_HOOKS_TOKEN"));
    return at < 0 ? argv : argv.toSpliced(at - 1, 2);
  });
}

/** Turns in which an agent was asked for a commit message. */
export function commitCalls(agent: ScriptedAgent): ReturnType<ScriptedAgent["calls"]> {
  return agent.calls().filter((call) => call.commit);
}

/** What every error of the user's looks like: exit code 2, exactly three lines, no stack, nothing on stdout. */
export function expectUserError(ended: Ended, ...parts: (string | RegExp)[]): void {
  expect(ended.stdout).toBe("");
  const lines = ended.stderr.split("\n");
  expect(lines, ended.stderr).toHaveLength(4);
  expect(lines[0]).toMatch(/^ralph: \S/);
  expect(lines[1]).toMatch(/^ {2}\S/);
  expect(lines[2]).toMatch(/^ {2}\S/);
  expect(lines[3]).toBe("");
  expect(ended.stderr).not.toMatch(/\n\s+at .*:\d+/);
  for (const part of parts) expect(ended.stderr).toMatch(part);
  expect(ended.code).toBe(2);
}

function workCalls(agent: ScriptedAgent): ReturnType<ScriptedAgent["calls"]> {
  return agent.calls().filter((call) => !call.commit);
}

/** The events of a journal, which may just be written to: a line that has no end yet is not yet there. */
function journalIn(path: string): LoopEvent[] {
  const text = readFileSync(path, "utf8");
  return events(text.slice(0, text.lastIndexOf("\n") + 1)) as LoopEvent[];
}

/** All paths below a folder, from there. What goes while we look is not there. */
function filesBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const inside = entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [];
      return [entry.name, ...inside.map((path) => join(entry.name, path))];
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function filesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
