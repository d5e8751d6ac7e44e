import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";

const LARGEST_BYTES = 1024 * 1024;

/** Where the hooks write down what they did. */
export function logPath(root: string): string {
  return join(root, "hooks.log");
}

/** Adds a line. It never throws: a log that cannot be written must not stand in anybody's way. */
export function log(root: string, line: string): void {
  const path = logPath(root);
  try {
    mkdirSync(root, { recursive: true, mode: 0o700 });
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size > LARGEST_BYTES) renameSync(path, `${path}.1`);
    const clean = line.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ").slice(0, 2000);
    appendFileSync(path, `${new Date().toISOString()} ${clean}\n`, { mode: 0o600 });
  } catch {
    // Nothing is left that we could tell it.
  }
}
