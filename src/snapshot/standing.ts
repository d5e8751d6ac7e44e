import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  readSync,
  type Stats,
} from "node:fs";
import { codeOf } from "../errors.ts";
import type { Entry } from "./compare.ts";
import { bytesOf, foldersOf } from "./names.ts";
import { blobHash } from "./objects.ts";

const PIECE_BYTES = 1024 * 1024;

/** The path of a file below a folder, for the system: names need not be text. */
export function below(top: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${top}/`), bytesOf(path)]);
}

/** What stands at a path, itself and not what a link points to; undefined when nothing does, or nothing that we can reach. */
export function infoAt(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined; // a file or a circle of links stands where a folder was
  }
}

/** May this path of a tree be touched? Trees come from stores that an agent may have reached: never out, never `.git`. */
export function isProper(path: string): boolean {
  return path
    .split("/")
    .every((part) => part !== "" && part !== "." && part !== ".." && !/^\.git$/i.test(part));
}

/** Are the folders on the way to a path real ones? A link among them would lead elsewhere. Missing ones are made if asked. */
export function wayTo(top: string, path: string, make: boolean): "there" | "missing" | "blocked" {
  for (const folder of foldersOf(path)) {
    const at = below(top, folder);
    const info = lstatSync(at, { throwIfNoEntry: false });
    if (info === undefined && !make) return "missing";
    if (info === undefined) mkdirSync(at);
    else if (!info.isDirectory()) return "blocked";
  }
  return "there";
}

/** What stands somewhere: an entry as in a tree, nothing, or what no tree can hold. */
export type Standing = Entry | "folder" | "other" | undefined;

/**
 * What stands at a path on the disk, named as git would name it (`id` is any name, to know the kind of hash). The folders on
 * the way must have been looked at.
 */
export function standing(top: string, path: string, id: string): Standing {
  const file = below(top, path);
  const info = lstatSync(file, { throwIfNoEntry: false });
  if (info === undefined) return undefined;
  if (info.isDirectory()) return "folder";
  if (info.isSymbolicLink()) {
    const target = readlinkSync(file, "buffer");
    return { mode: "120000", id: blobHash(id, target.length).update(target).digest("hex") };
  }
  if (!info.isFile()) return "other";
  return { mode: (info.mode & 0o100) === 0 ? "100644" : "100755", id: contentOf(file, id) };
}

/** Is that what the tree says? */
export function isSame(now: Standing, entry: Entry | undefined): boolean {
  if (typeof now === "string") return false;
  return now?.mode === entry?.mode && now?.id === entry?.id;
}

function contentOf(file: Buffer, like: string): string {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    return codeOf(error) ?? ""; // what cannot be read is nothing that we know
  }
  try {
    const { size } = fstatSync(fd);
    const hash = blobHash(like, size);
    const piece = Buffer.allocUnsafe(Math.min(size, PIECE_BYTES));
    for (let left = size; left > 0; ) {
      const read = readSync(fd, piece, 0, Math.min(left, piece.length), null);
      if (read === 0) break;
      hash.update(piece.subarray(0, read));
      left -= read;
    }
    return hash.digest("hex");
  } finally {
    closeSync(fd);
  }
}
