import { closeSync, existsSync, fstatSync, readFileSync, readSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openPlain } from "../files.ts";
import { commandIn } from "./commands.ts";
import { sessionFolder } from "./places.ts";
import type { Since } from "./transcript.ts";

/** So much of the end is read: a hook that looks at each stop finds what was typed since the last one there. */
const TAIL_BYTES = 1024 * 1024;
/** A line's own beginning: what a tool printed stands inside of one, with its quotes escaped. */
const QUEUE = '{"type":"queue-operation"';

/** What the user typed while turns went on. */
export interface Typed {
  /** The command that ends the loop was among it. */
  readonly cancel: boolean;
  /** When that was typed which has not reached the agent yet, oldest first. */
  readonly waiting: readonly number[];
}

/**
 * What the user typed since the loop began, or since the session was opened again. Claude Code keeps it until the agent calls a
 * tool or the turn is over, which would never be while the loop sends it back; but it writes down at once that it was typed.
 */
export function typedMeanwhile(transcript: string | undefined, { from, sinceMs }: Since): Typed {
  let cancel = false;
  let waiting: { readonly at: number; readonly content: unknown }[] = [];
  const lines = transcript === undefined ? [] : tailOf(transcript, from).split("\n");
  for (const line of lines.filter((one) => one.startsWith(QUEUE))) {
    const { operation, content, timestamp } = entryIn(line);
    const at = typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN;
    if (!(at >= sinceMs)) continue;
    if (operation === "enqueue") {
      cancel ||= typeof content === "string" && commandIn(content)?.do === "cancel";
      waiting.push({ at, content });
    } else if (operation === "dequeue" || operation === "remove") {
      const named = content === undefined ? 0 : waiting.findIndex((one) => one.content === content);
      waiting.splice(Math.max(0, named), 1);
    } else {
      waiting = []; // the user took it all back, or something that we do not know was done with it
    }
  }
  return { cancel, waiting: waiting.map(({ at }) => at) };
}

/** So long a program may take to write down that something has reached its agent. */
const PATIENCE_MS = 500;
const STEP_MS = 50;

/**
 * Is the session to go on with what waits? Once for each message: one that still seems to wait at the next stop was lost, and
 * the loop does not stand still for it.
 */
export async function givesWay(root: string, session: string, look: () => Typed): Promise<boolean> {
  const path = join(sessionFolder(root, session), "gave-way");
  const info = statSync(path, { throwIfNoEntry: false });
  const before = info === undefined ? 0 : Number(readFileSync(path, "utf8"));
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const { waiting } = look();
    const next = waiting.find((at) => at > before);
    // Another copy of this hook may have given way at the same stop.
    if (next === undefined) {
      return waiting.length > 0 && (info?.mtimeMs ?? 0) > Date.now() - process.uptime() * 1000;
    }
    if (performance.now() > deadline) {
      writeFileSync(path, String(next), { mode: 0o600 });
      return true;
    }
    await sleep(STEP_MS);
  }
}

/** A session that is opened again has lost what was typed before and had not reached its agent. */
export function noteOpened(root: string, session: string): void {
  writeFileSync(openedPath(root, session), String(Date.now()), { mode: 0o600 });
}

/** When the session was last opened again; 0 when it was not. */
export function openedAtMs(root: string, session: string): number {
  const path = openedPath(root, session);
  return existsSync(path) ? Number(readFileSync(path, "utf8")) || 0 : 0;
}

function openedPath(root: string, session: string): string {
  return join(sessionFolder(root, session), "opened");
}

interface Entry {
  readonly operation?: unknown;
  readonly content?: unknown;
  readonly timestamp?: unknown;
}

function entryIn(line: string): Entry {
  try {
    return JSON.parse(line) as Entry;
  } catch {
    return {}; // half a line
  }
}

function tailOf(path: string, from: number): string {
  try {
    const fd = openPlain(path);
    try {
      const { size } = fstatSync(fd);
      // One that was written anew since is shorter: then all of it is looked at.
      const start = Math.max(from <= size ? from : 0, size - TAIL_BYTES);
      const tail = Buffer.allocUnsafe(size - start);
      const bytes = tail.subarray(0, readSync(fd, tail, 0, tail.length, start));
      // Most ends hold nothing of the kind, and need not become text.
      return bytes.includes(QUEUE) ? bytes.toString("utf8") : "";
    } finally {
      closeSync(fd);
    }
  } catch {
    return ""; // no transcript tells nothing
  }
}
