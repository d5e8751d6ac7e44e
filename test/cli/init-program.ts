import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { which } from "../../src/supervise/which.ts";

/** The built program: `npm test` builds it first. */
export const RALPH = join(dirname(fileURLToPath(import.meta.url)), "../../bin/ralph");

/** The built program, and a place to run it in. */
export interface Place {
  readonly project: string;
  readonly state: string;
  readonly home: string;
  /** The first folder of PATH; nothing is in it but what the test puts there. */
  readonly bin: string;
  readonly env: Readonly<Record<string, string>>;
  write(path: string, text: string): void;
  /** Puts a program on PATH that does what a line of sh says. */
  install(name: string, line: string): string;
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended>;
  /** The same, with the process in hand. */
  start(args: readonly string[]): { readonly child: ChildProcess; readonly ended: Promise<Ended> };
  remove(): void;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A project of its own, with a home, a state folder and a PATH of its own. */
export function makePlace(): Place {
  const root = mkdtempSync(join(tmpdir(), "ralph-place-"));
  const [project, home, state, bin] = ["project", "home", "state", "bin"].map((name) => join(root, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const folder of [project, home, bin]) mkdirSync(folder);
  // Only what the tests need: agents that are installed on this machine must not be seen.
  for (const tool of ["sh", "git", "sleep", "setpriv", "unshare", "setsid"]) {
    const path = which(tool, { cwd: root, path: process.env["PATH"] });
    if (path !== undefined) symlinkSync(path, join(bin, tool));
  }
  const env = {
    PATH: bin,
    HOME: home,
    RALPH_STATE_DIR: state,
    RALPH_SANDBOX: "none",
    TERM: "xterm",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
  };
  return {
    project,
    home,
    state,
    bin,
    env,
    write(path, text) {
      mkdirSync(dirname(join(project, path)), { recursive: true });
      writeFileSync(join(project, path), text);
    },
    install(name, line) {
      const file = join(bin, name);
      writeFileSync(file, `#!/bin/sh\n${line}\n`);
      chmodSync(file, 0o755);
      return file;
    },
    run: (args, more) => start(args, { cwd: project, env: { ...env, ...more } }).ended,
    start: (args) => start(args, { cwd: project, env }),
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}

function start(args: readonly string[], options: { cwd: string; env: Record<string, string> }) {
  const child = spawn(process.execPath, [RALPH, ...args], { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
  return { child, ended };
}
