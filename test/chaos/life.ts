import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Kill } from "./plan.ts";
import { IDENTITY, type Project } from "./project.ts";

/** Where the checkout stands; the long test runs from a bundle of its own and says so. */
const ROOT = process.env["CHAOS_ROOT"] ?? dirname(dirname(import.meta.dirname));
const RALPH = join(ROOT, "bin/ralph");
const PRELOAD = join(ROOT, "test/chaos/preload.mjs");
/** Far more than any of these runs takes. */
const HANGS_MS = 120_000;

/** One process of ralph, from its start to its end. */
export interface Life {
  readonly wallMs: number;
  readonly code: number | null;
  /** It died as planned. */
  readonly killed: boolean;
  /** The loop events that it told, each a line as it stands in the journal. */
  readonly told: readonly string[];
  readonly stderr: string;
}

/** Starts ralph and lets it live until its end, or until the kill that is planned for it. */
export function live(at: Project, args: readonly string[], kill: Kill | undefined): Promise<Life> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, [RALPH, ...args, "--json"], {
    cwd: at.project,
    env: environmentOf(at, kill),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  let events = 0;
  let isHanging = false;
  let timer: NodeJS.Timeout | undefined;
  const hanging = setTimeout(() => {
    isHanging = true;
    child.kill("SIGKILL");
  }, HANGS_MS);
  const look = () => {
    if (kill === undefined || "write" in kill || timer !== undefined || events < kill.events) return;
    timer = setTimeout(() => child.kill("SIGKILL"), kill.plusMs);
  };
  look();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    events += text.split("\n").length - 1;
    look();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    // Not "close": what the dead one left running may hold its pipes for as long as it likes.
    child.once("exit", (code, signal) => {
      clearTimeout(timer);
      clearTimeout(hanging);
      setImmediate(() => {
        child.stdout.destroy();
        child.stderr.destroy();
        resolve({
          wallMs: performance.now() - startedMs,
          code,
          killed: signal === "SIGKILL" && !isHanging,
          told: wholeLines(stdout).filter((line) => !line.startsWith('{"type":"agent",')),
          stderr: isHanging ? `${stderr}\nhung and was ended` : stderr,
        });
      });
    });
  });
}

/** Lines that came to their end; a process that dies leaves the last one torn. */
export function wholeLines(text: string): string[] {
  return text.split("\n").slice(0, -1);
}

/** Living processes that belong to a project: the state folder stands in the environment of all that ralph starts. */
export function processesOf(at: Project): string[] {
  const words = `RALPH_STATE_DIR=${at.state}\0`;
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const isZombie = /^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
      return !isZombie && readFileSync(`/proc/${pid}/environ`, "latin1").includes(words);
    } catch {
      return false; // gone in the meantime, or another user's
    }
  });
}

function environmentOf(at: Project, kill: Kill | undefined): NodeJS.ProcessEnv {
  const preload =
    kill !== undefined && "write" in kill
      ? { NODE_OPTIONS: `--import=${PRELOAD}`, CHAOS_KILL: `${kill.write}:${kill.point}` }
      : {};
  return {
    ...process.env,
    ...IDENTITY,
    ...preload,
    RALPH_STATE_DIR: at.state,
    RALPH_TRUST_PROJECT: "1",
  };
}
