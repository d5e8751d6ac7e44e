import { closeSync, fstatSync, openSync, readFileSync, readSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LoopEvent } from "../events.ts";
import { eventsIn, readJournal } from "../journal/read.ts";
import { evolve } from "../loop/evolve.ts";
import { INITIAL, type LoopState } from "../loop/state.ts";
import { VERSION } from "../version.ts";
import type { Marker } from "./places.ts";

/** Where a loop stands, and what happened last. */
export interface Standing {
  readonly state: LoopState;
  /** The last events, the beginning of the present iteration among them. */
  readonly recent: readonly LoopEvent[];
}

/** The fold of a journal up to a byte of it. */
interface Kept {
  /** Another version may fold otherwise. */
  readonly ralph: string;
  readonly upTo: number;
  /** The line that ends there: a journal in which another one does is not the one that was folded. */
  readonly line: string;
  readonly state: LoopState;
}

/** Where the journal of a run is. */
export function journalOf({ folder }: Marker): string {
  return join(folder, "journal.ndjson");
}

/**
 * Reads where a loop stands. A stop costs the same after a thousand turns as after one: what was folded at the last one is taken
 * from there, and only what came since from the journal. Whatever is wrong with it, the journal has all. Throws when that is damaged.
 */
export function readStanding(marker: Marker): Standing {
  const since = readSince(marker);
  if (since !== undefined) {
    const { kept, events } = since;
    const [, ...news] = events;
    return { state: news.reduce(evolve, kept.state), recent: events };
  }
  const events = readJournal(journalOf(marker));
  return { state: events.reduce(evolve, INITIAL), recent: events };
}

/**
 * Keeps the fold for the next stop. `last` is the event that the journal ends with. It is neither synced nor put in place as a whole:
 * half of it is none.
 */
export function keepStanding(marker: Marker, state: LoopState, last: LoopEvent): void {
  const fd = openSync(journalOf(marker), "r");
  try {
    const line = `${JSON.stringify(last)}\n`;
    const kept: Kept = { ralph: VERSION, upTo: fstatSync(fd).size, line, state };
    writeFileSync(keptPath(marker), JSON.stringify(kept), { mode: 0o600 });
  } finally {
    closeSync(fd);
  }
}

function readSince(
  marker: Marker,
): { readonly kept: Kept; readonly events: readonly LoopEvent[] } | undefined {
  const kept = readKept(marker);
  if (kept === undefined) return undefined;
  const path = journalOf(marker);
  const fd = openSync(path, "r");
  try {
    const from = kept.upTo - Buffer.byteLength(kept.line);
    const bytes = Buffer.alloc(Math.max(0, fstatSync(fd).size - from));
    const length = readSync(fd, bytes, 0, bytes.length, from);
    const text = bytes.toString("utf8", 0, length);
    return text.startsWith(kept.line) ? { kept, events: eventsIn(text, path) } : undefined;
  } finally {
    closeSync(fd);
  }
}

function readKept(marker: Marker): Kept | undefined {
  try {
    const kept = JSON.parse(readFileSync(keptPath(marker), "utf8")) as Kept;
    const isOurs = kept.ralph === VERSION && kept.state.run === marker.run && kept.line.length > 1;
    return isOurs && kept.upTo >= Buffer.byteLength(kept.line) ? kept : undefined;
  } catch {
    return undefined; // there is none yet, or half of one
  }
}

function keptPath({ folder }: Marker): string {
  return join(folder, "standing.json");
}
