import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from "node:fs";
import type { LoopEvent } from "../events.ts";
import type { Journal } from "./journal.ts";
import { unwritableState } from "./state.ts";

/**
 * A turn that ended, and the next that began: nothing but the agent's own words stands behind them. They are in the system's
 * hands when they are written, which a crash of ours or of the agent does not change; a power cut may take the last of them, and
 * whoever goes on then has that turn again. Everything else (a verdict, an end) is on disk before anybody is told.
 */
const REPEATABLE: ReadonlySet<LoopEvent["type"]> = new Set(["agent.exited", "iteration.started"]);

/**
 * Opens the journal of a run that has begun, for a process that lives for a few milliseconds and answers when it has closed it.
 * So events are synced together, by `close`, which rejects when the disk does not take them; and at once, without the threads that
 * waiting beside an agent's turn is for. Those that can be had again are not synced at all.
 */
export function openJournalShortly(path: string): Journal {
  let fd: number;
  let size: number;
  let isOwed = false;
  try {
    fd = openSync(path, constants.O_RDWR);
    size = withoutTornLine(fd);
  } catch (error) {
    throw unwritableState("the run's journal", path, error);
  }
  const trouble = (error: unknown) => unwritableState("the run's journal", path, error);
  return {
    append(event) {
      const bytes = Buffer.from(`${JSON.stringify(event)}\n`, "utf8");
      try {
        for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, size + at);
        size += bytes.length;
        isOwed ||= !REPEATABLE.has(event.type);
        return Promise.resolve();
      } catch (error) {
        takeBack(fd, size);
        return Promise.reject(trouble(error));
      }
    },
    close() {
      try {
        if (isOwed) fdatasyncSync(fd);
        return Promise.resolve();
      } catch (error) {
        return Promise.reject(trouble(error));
      } finally {
        closeSync(fd);
      }
    },
  };
}

/** A half-written line must not be completed by a later one. */
function takeBack(fd: number, size: number): void {
  try {
    ftruncateSync(fd, size);
  } catch {
    // Whoever opens it next cuts it off.
  }
}

const STEP_BYTES = 4 * 1024;

/** Cuts what a crash left of a last line off; returns the size that remains. */
function withoutTornLine(fd: number): number {
  const { size } = fstatSync(fd);
  let end = size;
  while (end > 0) {
    const start = Math.max(0, end - STEP_BYTES);
    const chunk = Buffer.alloc(end - start);
    readSync(fd, chunk, 0, chunk.length, start);
    const newline = chunk.lastIndexOf(0x0a);
    if (newline >= 0) {
      end = start + newline + 1;
      break;
    }
    end = start;
  }
  if (end < size) ftruncateSync(fd, end);
  return end;
}
