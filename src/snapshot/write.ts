import {
  closeSync,
  constants,
  fchmodSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeSync,
} from "node:fs";
import { messageOf } from "../errors.ts";
import type { BlobSink } from "./objects.ts";
import { RESTORING } from "./shadow.ts";
import { below } from "./standing.ts";

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
const EVERYBODY_RUNS = 0o111;

/**
 * Writes one file or link beside its place, and moves it there when it is whole: who looks sees the old one or the new one.
 * Tells how it ended: undefined when it is in its place, else why not. Throws when it cannot even begin.
 */
export function startWriting(
  top: string,
  path: string,
  { mode, isPrivate }: { readonly mode: string; readonly isPrivate: boolean },
  done: (why: string | undefined) => void,
): BlobSink {
  const place = below(top, path);
  // One name for all: what a restore that was killed left behind is overwritten by the next, and is in no snapshot.
  const beside = below(top, `${path.slice(0, path.lastIndexOf("/") + 1)}${RESTORING}`);
  rmSync(beside, { force: true });
  const fresh =
    mode === "120000" ? newLink(beside) : newFile(beside, modeFor(place, mode === "100755", isPrivate));
  let failure: string | undefined;
  const attempt = (act: () => void) => {
    if (failure !== undefined) return;
    try {
      act();
    } catch (error) {
      failure = messageOf(error);
    }
  };
  return {
    data: (chunk) => attempt(() => fresh.data(chunk)),
    end: (isWhole) => {
      if (!isWhole) failure ??= "what the snapshot holds of it was changed";
      attempt(() => fresh.close());
      attempt(() => renameSync(beside, place));
      if (failure !== undefined) rmSync(beside, { force: true });
      done(failure);
    },
  };
}

interface Fresh {
  data(chunk: Buffer): void;
  close(): void;
}

function newFile(beside: Buffer, mode: { readonly set?: number; readonly create: number }): Fresh {
  const fd = openSync(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode.create);
  if (mode.set !== undefined) fchmodSync(fd, mode.set);
  return {
    data: (chunk) => {
      for (let at = 0; at < chunk.length; ) at += writeSync(fd, chunk, at);
    },
    close: () => closeSync(fd),
  };
}

function newLink(beside: Buffer): Fresh {
  const target: Buffer[] = [];
  return {
    data: (chunk) => void target.push(chunk),
    close: () => symlinkSync(Buffer.concat(target), beside),
  };
}

/** A file that stands there keeps its rights, but for those to run it; git remembers no others, and we whose it alone was. */
function modeFor(
  place: Buffer,
  isRun: boolean,
  isPrivate: boolean,
): { readonly set?: number; readonly create: number } {
  const create = (isRun ? 0o777 : 0o666) & (isPrivate ? 0o700 : 0o777);
  const info = lstatSync(place, { throwIfNoEntry: false });
  if (info?.isFile() !== true) return { create };
  const rights = info.mode & 0o777 & ~EVERYBODY_RUNS;
  // Who may read it may run it.
  return { create: 0o600, set: isRun ? rights | ((rights & 0o444) >> 2) : rights };
}
