import { mkdirSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { UserError } from "../errors.ts";
import type { LoopEvent } from "../events.ts";
import { unwritableState } from "./state.ts";

/**
 * The events of one run, in order. `append` resolves when the event is on disk, and not before; it rejects with a UserError
 * when the disk does not take it, and the journal is then as it was.
 */
export interface Journal {
  append(event: LoopEvent): Promise<void>;
  close(): Promise<void>;
}

interface Waiting {
  readonly line: string;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Opens a journal for appending. What a crash left of a last line is cut off first, so that the next event starts
 * on a line of its own. Events that are appended while a write is under way share the next write and its sync.
 */
export async function openJournal(path: string): Promise<Journal> {
  const file = await openPrivate(path);
  let size = await cutTornLine(file);
  let queue: Waiting[] = [];
  let writing: Promise<void> | undefined;

  const flush = async (): Promise<void> => {
    while (queue.length > 0) {
      const batch = queue;
      queue = [];
      const bytes = Buffer.from(batch.map((one) => one.line).join(""), "utf8");
      try {
        await writeAll(file, bytes, size);
        await file.datasync();
        // What is written to a file without a name nobody will ever read.
        if ((await file.stat()).nlink === 0) throw removed(path);
        size += bytes.length;
        for (const one of batch) one.done();
      } catch (error) {
        // A half-written line must not be completed by a later one: take back what this write put there.
        await file.truncate(size).catch(() => {});
        const fault = error instanceof UserError ? error : unwritableState("the run's journal", path, error);
        for (const one of batch) one.failed(fault);
      }
    }
    writing = undefined;
  };

  return {
    append(event) {
      return new Promise<void>((done, failed) => {
        queue.push({ line: `${JSON.stringify(event)}\n`, done, failed });
        writing ??= flush();
      });
    },
    async close() {
      await writing;
      await file.close();
    },
  };
}

function removed(path: string): UserError {
  return new UserError(
    "the run's journal is gone",
    `${path} was removed while the run was under way`,
    "Put it back as it was.",
  );
}

async function openPrivate(path: string): Promise<FileHandle> {
  try {
    const firstMade = mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    await (await open(path, "a+", 0o600)).close();
    await syncFolders(dirname(path), firstMade);
    return await open(path, "r+");
  } catch (error) {
    throw unwritableState("the run's journal", path, error);
  }
}

/** A power cut must not take the name of the journal away: its folder is synced, and those above it that are new. */
async function syncFolders(folder: string, firstMade: string | undefined): Promise<void> {
  if (process.platform === "win32") return; // folders cannot be opened there
  const top = firstMade === undefined ? folder : dirname(firstMade);
  for (let at = folder; at.startsWith(top); at = dirname(at)) {
    // Where a folder cannot be synced, the sync of the file must do.
    const handle = await open(at, "r").catch(() => undefined);
    await handle?.sync().catch(() => {});
    await handle?.close();
    if (at === top) return;
  }
}

async function writeAll(file: FileHandle, bytes: Buffer, at: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const result = await file.write(bytes, written, bytes.length - written, at + written);
    written += result.bytesWritten;
  }
}

/** Cuts an unfinished last line off; returns the size that remains. */
async function cutTornLine(file: FileHandle): Promise<number> {
  const { size } = await file.stat();
  const step = 64 * 1024;
  let end = size;
  while (end > 0) {
    const start = Math.max(0, end - step);
    const chunk = Buffer.alloc(end - start);
    await file.read(chunk, 0, chunk.length, start);
    const newline = chunk.lastIndexOf(0x0a);
    if (newline >= 0) {
      end = start + newline + 1;
      break;
    }
    end = start;
  }
  if (end < size) {
    await file.truncate(end);
    await file.datasync();
  }
  return end;
}
