import { randomBytes } from "node:crypto";
import { closeSync, existsSync, fdatasyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { unwritableState } from "./paths.ts";

/** The least that the journal of rollbacks knows of one: its name, and what stood there when it was done. */
interface Named {
  readonly id: string;
  readonly after?: string;
}

/** A new rollback's name. */
export function newRollbackId(): string {
  return randomBytes(6).toString("hex");
}

/** The rollbacks of a run, in order. Each has a line when it begins, and a second with the same id when it is done. */
export function readRollbacks<T extends Named>(runFolder: string): T[] {
  const file = fileIn(runFolder);
  if (!existsSync(file)) return [];
  const found = new Map<string, T>();
  for (const line of readFileSync(file, "utf8").split("\n")) {
    try {
      const record = JSON.parse(line) as T; // written by us, outside the agent's reach
      found.set(record.id, { ...found.get(record.id), ...record });
    } catch {
      // Empty, or torn by a kill: then that rollback had not begun, or its end was not reached.
    }
  }
  return [...found.values()];
}

/** Puts a line on disk before it returns: that a rollback begins, or that it is done. */
export function noteRollback(runFolder: string, record: Named): void {
  const file = fileIn(runFolder);
  try {
    const fd = openSync(file, "a", 0o600);
    try {
      // The newline first: what a kill left of the line before must not spoil this one.
      writeSync(fd, `\n${JSON.stringify(record)}\n`);
      fdatasyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw unwritableState("that a rollback begins", file, error);
  }
}

function fileIn(runFolder: string): string {
  return join(runFolder, "rollbacks.ndjson");
}
