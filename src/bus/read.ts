import { closeSync, readSync } from "node:fs";
import type { BusMessage } from "./message.ts";
import { busError, type OpenBus, openForReading } from "./open.ts";
import { type Parsed, parseBytes } from "./parse.ts";

/** How much is read at once. More than the longest body, so that only what is cut anyway falls into pieces. */
const PIECE = 2 * 1024 * 1024;

/** A bus with more that is unread is broken or meant to keep us busy: only the last of it is read. */
const UNREAD_MOST = 64 * 1024 * 1024;

/**
 * How long the rest of a message under way is waited for. A write takes microseconds, but its writer may lose its turn
 * or wait for the disk in the middle of it. Only what a killed writer left at the very end ever takes all of it.
 */
const SETTLE_MS = 1000;
const SETTLE_STEP_MS = 5;

/** A place in a bus, and in which file of that name, so that a new file in its place is seen. */
export interface Place {
  readonly offset: number;
  readonly file?: string | undefined;
}

/** What was read from a bus. */
export interface ReadResult {
  readonly messages: BusMessage[];
  /** Where to read on. */
  readonly next: number;
  /** There is more to read now; at most two megabytes are taken at once. */
  readonly more: boolean;
  /** The file was shorter than the offset, or gone: somebody replaced it, and it was read from its beginning. */
  readonly restarted: boolean;
  /** Bytes that were passed over because far too much was unread; nearly always 0. */
  readonly skipped: number;
}

/**
 * The messages from an offset on. A bus that is not there has none. A message whose front matter is not closed yet is
 * left for the next read. The last body ends where the file ends, unless its writer gave a size: then the rest is
 * waited for a moment. Whatever the bytes are, this gives an answer; only what is no plain file is a UserError.
 */
export function readFrom(path: string, offset: number): ReadResult {
  return readPlace(path, { offset }).read;
}

/** All messages from an offset on, in bounded memory. */
export function* messagesFrom(path: string, offset: number): Generator<BusMessage, number> {
  let place: Place = { offset };
  for (;;) {
    const { read, at } = readPlace(path, place);
    yield* read.messages;
    place = at;
    if (!read.more) return read.next;
  }
}

/** The last messages of a bus that are wanted, and where reading goes on after all that is there. */
export function lastMessages(
  path: string,
  most: number,
  isWanted: (message: BusMessage) => boolean,
): { messages: BusMessage[]; next: number } {
  const all = messagesFrom(path, 0);
  let kept: BusMessage[] = [];
  const last = () => kept.slice(Math.max(0, kept.length - most));
  for (;;) {
    const step = all.next();
    if (step.done === true) return { messages: last(), next: step.value };
    if (isWanted(step.value)) kept.push(step.value);
    if (kept.length > 2 * most + 100) kept = last();
  }
}

/** What was read, and where reading goes on. */
export interface Reading {
  readonly read: ReadResult;
  readonly at: Place;
}

/** The same as `readFrom`, for readers that stay: they also see a new file that is not shorter. */
export function readPlace(path: string, place: Place): Reading {
  const deadline = performance.now() + SETTLE_MS;
  for (;;) {
    const reading = look(path, place);
    if (!reading.isShort || performance.now() >= deadline) return reading;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SETTLE_STEP_MS);
  }
}

function look(path: string, place: Place): Reading & { readonly isShort: boolean } {
  const offset = Number.isSafeInteger(place.offset) && place.offset > 0 ? place.offset : 0;
  const bus = openForReading(path);
  if (bus === undefined) {
    const read = { messages: [], next: 0, more: false, restarted: offset > 0, skipped: 0 };
    return { read, at: { offset: 0 }, isShort: false };
  }
  try {
    const file = `${bus.info.dev}:${bus.info.ino}`;
    const restarted = bus.info.size < offset || (place.file !== undefined && place.file !== file);
    const begin = restarted ? 0 : offset;
    const skipped = Math.max(0, bus.info.size - begin - UNREAD_MOST);
    const { parsed, more } = parsePiece(bus, begin + skipped);
    const next = begin + skipped + parsed.consumed;
    const read = { messages: parsed.messages, next, more, restarted, skipped };
    return { read, at: { offset: next, file }, isShort: parsed.isShort };
  } catch (error) {
    throw busError("cannot read the message bus", path, error);
  } finally {
    closeSync(bus.fd);
  }
}

function parsePiece({ fd, info }: OpenBus, from: number): { parsed: Parsed; more: boolean } {
  const piece = Buffer.allocUnsafe(Math.max(0, Math.min(PIECE, info.size - from)));
  let filled = 0;
  while (filled < piece.length) {
    const got = readSync(fd, piece, filled, piece.length - filled, from + filled);
    if (got === 0) break; // cut off meanwhile
    filled += got;
  }
  const more = filled === PIECE && from + filled < info.size;
  return { parsed: parseBytes(piece.subarray(0, filled), from, !more), more };
}
