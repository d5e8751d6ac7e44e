import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { commandIn } from "./commands.ts";
import type { Since } from "./transcript.ts";

/** So much of the end is read: a hook that looks at each stop finds what was typed since the last one there. */
const TAIL_BYTES = 1024 * 1024;
/** A line's own beginning: what a tool printed stands inside of one, with its quotes escaped. */
const ENQUEUED = '{"type":"queue-operation","operation":"enqueue"';

/**
 * Did the user type the command that ends the loop while a turn was going on? Claude Code keeps a command until the turn is over,
 * which would never be while the loop sends it back; but it writes down at once that it was typed.
 */
export function cancelWaits(transcript: string | undefined, { from, sinceMs }: Since): boolean {
  if (transcript === undefined) return false;
  return tailOf(transcript, from)
    .split("\n")
    .filter((line) => line.startsWith(ENQUEUED))
    .some((line) => {
      const { content, timestamp } = enqueued(line);
      if (typeof content !== "string" || typeof timestamp !== "string") return false;
      return Date.parse(timestamp) >= sinceMs && commandIn(content)?.do === "cancel";
    });
}

function enqueued(line: string): { readonly content?: unknown; readonly timestamp?: unknown } {
  try {
    return JSON.parse(line) as { content?: unknown; timestamp?: unknown };
  } catch {
    return {}; // half a line
  }
}

function tailOf(path: string, from: number): string {
  try {
    const fd = openSync(path, "r");
    try {
      const { size } = fstatSync(fd);
      // One that was written anew since is shorter: then all of it is looked at.
      const start = Math.max(from <= size ? from : 0, size - TAIL_BYTES);
      const tail = Buffer.allocUnsafe(size - start);
      const bytes = tail.subarray(0, readSync(fd, tail, 0, tail.length, start));
      // Most ends hold nothing of the kind, and need not become text.
      return bytes.includes(ENQUEUED) ? bytes.toString("utf8") : "";
    } finally {
      closeSync(fd);
    }
  } catch {
    return ""; // no transcript tells nothing
  }
}
