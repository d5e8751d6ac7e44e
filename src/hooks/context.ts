import { closeSync, fstatSync, readSync } from "node:fs";
import { openPlain } from "../files.ts";
import type { Seen } from "./watch.ts";

const NOTICE =
  "Be mindful of remaining space. Plan to finish your current task within this session. If you discover follow-up work, add new stories to tasks.json — the next iteration will pick them up.";
const WARNING =
  "Finish your current task and commit soon. Do not start additional tasks. If work remains, create new stories in tasks.json for the next iteration and capture any implementation details or insights in progress.txt so the next iteration has full context.";
const CRITICAL =
  "Wrap up immediately. Do NOT start new work. Instead: (1) create tasks in tasks.json for any remaining work, (2) write implementation details, insights, and handoff notes to progress.txt, (3) commit all changes, (4) stop. The next iteration will continue from where you left off.";

/** When an agent is told how full its context is, in percent, and what. */
export const THRESHOLDS = [
  { at: 50, words: `NOTICE: ${NOTICE}` },
  { at: 60, words: `NOTICE: ${NOTICE}` },
  { at: 70, words: `WARNING: ${WARNING}` },
  { at: 80, words: `WARNING: ${WARNING}` },
  { at: 90, words: `CRITICAL: ${CRITICAL}` },
] as const;

/** How much fits, and how much of a transcript makes a token where it does not say. */
export interface Measures {
  readonly window: number;
  readonly divisor: number;
}

/** As the environment says, or as usual. */
export function measuresIn(env: NodeJS.ProcessEnv): Measures {
  const positive = (name: string, usual: number) => {
    const given = Number(env[name]);
    return Number.isFinite(given) && given > 0 ? given : usual;
  };
  return {
    window: positive("CLAUDE_CONTEXT_WINDOW", 200_000),
    divisor: positive("CLAUDE_CONTEXT_DIVISOR", 4),
  };
}

/** How full a context is. */
export interface Fill {
  readonly tokens: number;
  /** The size of the transcript, in bytes. */
  readonly size: number;
  readonly seen: Seen;
}

const FIRST_BYTES = 64 * 1024;
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * How full the context of a session is: the last figure in what was added to its transcript since it was last seen, or the one
 * before that, or an estimate by its size. Undefined when there is no transcript.
 */
export function fillOf(transcript: string, before: Seen, { divisor }: Measures): Fill | undefined {
  let fd: number;
  try {
    fd = openPlain(transcript);
  } catch {
    return undefined;
  }
  try {
    const { size } = fstatSync(fd);
    // One that was written anew since is shorter: then all of it is new.
    const { base, upTo, tokens } = before.upTo <= size ? before : { base: 0, upTo: 0, tokens: undefined };
    const added = readAdded(fd, upTo, size);
    const known = added.tokens ?? tokens;
    const seen = { base, upTo: added.upTo, ...(known === undefined ? {} : { tokens: known }) };
    return { tokens: known ?? (size - base) / divisor, size, seen };
  } finally {
    closeSync(fd);
  }
}

/** Reads from the end, and more only while there is no figure: what was added may be huge. */
function readAdded(
  fd: number,
  from: number,
  size: number,
): { readonly tokens?: number; readonly upTo: number } {
  for (let length = FIRST_BYTES; ; length *= 4) {
    const start = Math.max(from, size - length);
    const bytes = Buffer.alloc(size - start);
    readSync(fd, bytes, 0, bytes.length, start);
    const end = bytes.lastIndexOf(0x0a) + 1;
    const skip = start === from ? 0 : bytes.indexOf(0x0a) + 1;
    const tokens = lastUsage(bytes.toString("utf8", skip, Math.max(skip, end)));
    // Half a line at the end is read again when it is whole.
    if (tokens !== undefined) return { tokens, upTo: start + end };
    if (start === from || length >= MOST_BYTES) return { upTo: Math.max(from, start + end) };
  }
}

/** The tokens of the last message of the main agent in lines of a transcript; undefined when none says. Pure. */
export function lastUsage(lines: string): number | undefined {
  for (const line of lines.split("\n").reverse()) {
    const tokens = line.includes('"usage"') ? usageIn(line) : 0;
    // A message that the program made up itself, of an error for example, counts nothing.
    if (tokens > 0) return tokens;
  }
  return undefined;
}

const COUNTED = [
  "input_tokens",
  "cache_read_input_tokens",
  "cache_creation_input_tokens",
  "output_tokens",
] as const;

function usageIn(line: string): number {
  try {
    const value = recordOf(JSON.parse(line));
    if (value["type"] !== "assistant" || value["isSidechain"] === true || value["parent_tool_use_id"])
      return 0;
    const usage = recordOf(recordOf(value["message"])["usage"]);
    return COUNTED.map((key) => usage[key])
      .filter((count) => typeof count === "number" && Number.isFinite(count) && count > 0)
      .reduce<number>((sum, count) => sum + Number(count), 0);
  } catch {
    return 0; // half a line, or none of ours
  }
}

/** A token takes at least so much of a transcript: what it holds is written as JSON, much of it twice. */
const LEAST_BYTES = 2;

/** The size of the transcript at which it is worth looking again, where the next threshold is `at` percent. Pure. */
export function nextLook(fill: Fill, at: number | undefined, { window, divisor }: Measures): number {
  if (at === undefined) return Number.POSITIVE_INFINITY;
  const missing = (at / 100) * window - fill.tokens;
  const least = window / 100;
  if (fill.seen.tokens === undefined) return fill.size + (missing > 0 ? missing : least) * divisor;
  return fill.size + Math.max(missing, least) * LEAST_BYTES;
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
