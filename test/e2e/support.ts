import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Script, type ScriptedAgent, scriptedAgent } from "ralph-proof/testing";
import { afterEach } from "vitest";
import type { LoopEvent } from "../../src/events.ts";

const RALPH = join(dirname(fileURLToPath(import.meta.url)), "../../bin/ralph");
const DEADLINE_MS = 30_000;

/** A project of its own, with a state folder of its own. Removed after the test. */
export interface World {
  readonly project: string;
  readonly state: string;
  /** Writes a file into the project. */
  write(path: string, text: string): void;
  read(path: string): string;
  settings(value: unknown): void;
  /** A scripted agent; its command goes into `--agent` or into the settings. */
  agent(script: Script): ScriptedAgent;
  git(...args: string[]): string;
  /** Runs the built program to its end. */
  ralph(args: readonly string[], options?: RunOptions): Promise<Ended>;
  /** Starts the built program and hands over the process. */
  start(args: readonly string[], options?: RunOptions): Started;
  /** The journal of the only run. */
  journal(): LoopEvent[];
  /** Files in `.ralph`, sorted. */
  ralphFiles(): string[];
  /** The folder of the only run, outside the project. */
  runFolder(): string;
}

export interface RunOptions {
  readonly env?: Record<string, string | undefined>;
  readonly cwd?: string;
  readonly input?: string;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when the text has been printed on either stream. */
  printed(text: string): Promise<void>;
}

const cleanUp: (() => void)[] = [];
afterEach(() => {
  for (const one of cleanUp.splice(0)) one();
});

export function makeWorld(options: { git?: boolean } = {}): World {
  const home = mkdtempSync(join(tmpdir(), "ralph-e2e-"));
  cleanUp.push(() => rmSync(home, { recursive: true, force: true }));
  const project = join(home, "project");
  const state = join(home, "state");
  mkdirSync(project);
  let agents = 0;

  const world: World = {
    project,
    state,
    write(path, text) {
      mkdirSync(dirname(join(project, path)), { recursive: true });
      writeFileSync(join(project, path), text);
    },
    read: (path) => readFileSync(join(project, path), "utf8"),
    settings: (value) => world.write(".ralph/settings.json", JSON.stringify(value)),
    agent: (script) => scriptedAgent(script, { folder: join(home, `agent-${++agents}`) }),
    git: (...args) => execFileSync("git", args, { cwd: project, encoding: "utf8" }),
    ralph: (args, how) => world.start(args, how).ended,
    start(args, how = {}) {
      const child = spawn(process.execPath, [RALPH, ...args], {
        cwd: how.cwd ?? project,
        env: { ...process.env, RALPH_STATE_DIR: state, RALPH_TRUST_PROJECT: "1", ...how.env },
        stdio: ["pipe", "pipe", "pipe"],
      });
      child.stdin.on("error", () => {}); // a program that does not read its input may close it
      child.stdin.end(how.input ?? "");
      cleanUp.push(() => child.kill("SIGKILL"));
      return watch(child);
    },
    journal: () =>
      readFileSync(join(world.runFolder(), "journal.ndjson"), "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as LoopEvent),
    ralphFiles: () => (existsSync(join(project, ".ralph")) ? readdirSync(join(project, ".ralph")).sort() : []),
    runFolder() {
      const projects = join(state, "projects");
      const [name = ""] = readdirSync(projects);
      const runs = readdirSync(join(projects, name)).sort();
      return join(projects, name, runs.at(-1) ?? "");
    },
  };
  if (options.git === true) {
    world.git("init", "--quiet", "--initial-branch=main");
    world.write("README", "a project\n");
    world.git("add", "--all");
    world.git("commit", "--quiet", "-m", "first");
  }
  return world;
}

function watch(child: ReturnType<typeof spawn>): Started {
  let stdout = "";
  let stderr = "";
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
    child.once("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return {
    process: child,
    ended,
    async printed(text) {
      const deadline = Date.now() + DEADLINE_MS;
      while (!`${stdout}${stderr}`.includes(text)) {
        if (Date.now() > deadline) throw new Error(`never printed ${JSON.stringify(text)}:\n${stdout}\n${stderr}`);
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

/** Is a process of this id alive (and not a zombie)? */
export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}

/** The lines of a `--json` run. */
export function events(stdout: string): ({ type: string } & Record<string, unknown>)[] {
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { type: string } & Record<string, unknown>);
}
