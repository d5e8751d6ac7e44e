import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";
import type { BusMessage } from "./message.ts";
import { lastMessages, type Place, readPlace } from "./read.ts";

/** How a bus is followed. */
export interface FollowOptions {
  /** Where to begin; without it, after all that stands there when `follow` is called. */
  readonly from?: number;
  /** Ends the following, without an error. */
  readonly signal: AbortSignal;
  /** How often to look even when the system reports no change. */
  readonly pollMs: number;
}

/**
 * The messages of a bus as they come, also when it is not there yet or is replaced. A message is given once, when its
 * body is complete as `readFrom` has it; what a hand adds to the body of the last message later comes as a note.
 */
export function follow(path: string, options: FollowOptions): AsyncIterable<BusMessage> {
  // Found now and not at the first `next()`: whoever posts after this call expects to be seen.
  return following(path, { offset: options.from ?? lastMessages(path, 0, () => false).next }, options);
}

async function* following(path: string, from: Place, options: FollowOptions): AsyncGenerator<BusMessage> {
  const bell = createBell(path);
  try {
    let place = from;
    while (!options.signal.aborted) {
      const { read, at } = readPlace(path, place);
      place = at;
      for (const message of read.messages) {
        yield message;
        if (options.signal.aborted) return;
      }
      if (!read.more) await bell.rings(options.signal, options.pollMs);
    }
  } finally {
    bell.close();
  }
}

interface Bell {
  /** Resolves when the bus may have changed since the last time, when the time is over or when it is to end. */
  rings(signal: AbortSignal, withinMs: number): Promise<void>;
  close(): void;
}

function createBell(path: string): Bell {
  let hasRung = false;
  let wake = () => {};
  const ring = () => {
    hasRung = true;
    wake();
  };
  const watcher = watchFolder(path, ring);
  return {
    rings(signal, withinMs) {
      return new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(timer);
          signal.removeEventListener("abort", done);
          wake = () => {};
          hasRung = false;
          resolve();
        };
        const timer = setTimeout(done, withinMs);
        signal.addEventListener("abort", done);
        wake = done;
        if (hasRung || signal.aborted) done();
      });
    },
    close: () => watcher?.close(),
  };
}

/** Watches the folder, since the file may not be there yet. Where that does not work, polling has to do. */
function watchFolder(path: string, ring: () => void): FSWatcher | undefined {
  try {
    const name = basename(path);
    const watcher = watch(dirname(path), (_, changed) => {
      if (changed === null || changed === name) ring();
    });
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}
