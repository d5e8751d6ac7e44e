import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll } from "vitest";
import { UserError } from "../../src/errors.ts";
import { DEADLINE_MS } from "../deadline.ts";

const made: string[] = [];

afterAll(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** A temporary folder of its own, removed after the test file. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "ralph-test-")));
  made.push(folder);
  return folder;
}

/** Looks again and again until there is something to see; a deadline that passes is an error. */
export async function until<T>(what: string, look: () => T | undefined | false): Promise<T> {
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    const seen = look();
    if (seen !== undefined && seen !== false) return seen;
    if (Date.now() > deadline) throw new Error(`waited too long: ${what}`);
    await sleep(5);
  }
}

/** The pid that a program wrote to a file, as soon as the line is whole. */
export function pidIn(file: string): Promise<number> {
  return until(`a pid in ${file}`, () => {
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    return text.endsWith("\n") && Number(text) > 0 && Number(text);
  });
}

/** Does this process run? A zombie does not. */
export function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2)[0] !== "Z";
  } catch {
    return false; // gone
  }
}

/** Makes a program of a TypeScript file, so that a child process of plain node can run it. */
export async function programOf(entry: URL | string): Promise<string> {
  const outfile = join(temporaryFolder(), "program.mjs");
  await build({
    entryPoints: [typeof entry === "string" ? entry : fileURLToPath(entry)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
  });
  return outfile;
}

/** The parts of the UserError that a call ends with, as a plain object that can be compared. */
export async function userErrorOf(call: () => unknown): Promise<{ what: string; why: string; fix: string }> {
  try {
    await call();
  } catch (error) {
    if (error instanceof UserError) return { what: error.what, why: error.why, fix: error.fix };
    throw error;
  }
  throw new Error("no error was thrown");
}
