import { createHash, type Hash } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { codeOf } from "../errors.ts";
import { gitError } from "../scm/git.ts";
import type { Fault, Shadow } from "./shadow.ts";

/**
 * Makes the user's objects ours without copying them: every file gets a second name in our store, so that they outlive a
 * `git gc --prune=now` and an `rm -rf .git`. Where that is not possible (another disk), we only remember where they are.
 */
export function shareObjects(from: string, to: string): void {
  const others = join(from, "info", "alternates");
  const inherited = existsSync(others) ? readFileSync(others, "utf8").split("\n").filter(Boolean) : [];
  const far = inherited.map((path) => resolve(from, path));
  if (!linkAll(from, to)) far.unshift(from);
  if (far.length === 0) return;
  mkdirSync(join(to, "info"), { recursive: true });
  writeFileSync(join(to, "info", "alternates"), far.map((path) => `${path}\n`).join(""));
}

/** Are there objects that are only referred to, and can go without us? */
export function borrows(shadow: Shadow): boolean {
  return existsSync(join(shadow.folder, "objects", "info", "alternates"));
}

function linkAll(from: string, to: string): boolean {
  try {
    for (const folder of readdirSync(from)) {
      if (folder !== "pack" && !/^[0-9a-f]{2}$/.test(folder)) continue;
      mkdirSync(join(to, folder), { recursive: true });
      for (const file of byKind(readdirSync(join(from, folder)))) link(from, to, join(folder, file));
    }
    return true;
  } catch {
    return false; // another disk, other rights, no such thing as a second name: then by reference
  }
}

/** A pack is found by its `.idx`, so that comes last. What git is writing just now is left out. */
function byKind(files: readonly string[]): string[] {
  const whole = files.filter((file) => !file.startsWith("tmp_") && !file.startsWith("."));
  return [
    ...whole.filter((file) => !file.endsWith(".idx")),
    ...whole.filter((file) => file.endsWith(".idx")),
  ];
}

function link(from: string, to: string, file: string): void {
  try {
    linkSync(join(from, file), join(to, file));
  } catch (error) {
    if (codeOf(error) !== "EEXIST" && codeOf(error) !== "ENOENT") throw error;
  }
}

/** The hash by which git names a content of so many bytes. */
export function blobHash(id: string, size: number): Hash {
  return createHash(id.length === 64 ? "sha256" : "sha1").update(`blob ${size}\0`);
}

/** Takes one stored content, piece by piece. */
export interface BlobSink {
  data(chunk: Buffer): void;
  /** Everything was handed over; `isWhole` says whether it is what its name says. */
  end(isWhole: boolean): void;
}

/** The first content that is not there, or undefined when all are. What is in our own store is there. */
export async function missingBlob(
  shadow: Shadow,
  ids: readonly string[],
): Promise<string | Fault | undefined> {
  if (ids.length === 0 || !borrows(shadow)) return undefined;
  const checked = await shadow.collect(["cat-file", "--batch-check=%(objecttype)"], { stdin: lines(ids) });
  if ("fault" in checked) return checked;
  const at = checked
    .toString("latin1")
    .split("\n")
    .findIndex((line) => line !== "blob");
  return at < ids.length ? ids[at] : undefined;
}

/** Hands over stored contents in order, one sink each; a content whose sink is undefined is passed over. */
export async function readBlobs(
  shadow: Shadow,
  ids: readonly string[],
  open: (index: number, size: number) => BlobSink | undefined,
): Promise<Fault | undefined> {
  if (ids.length === 0) return undefined;
  const reader = new BatchReader(ids, open);
  const done = await shadow.bytes(["cat-file", "--batch"], (chunk) => reader.add(chunk), {
    stdin: lines(ids),
  });
  if (done.code !== 0) return { fault: `git cat-file: ${gitError(done)}` };
  return reader.fault === undefined ? undefined : { fault: reader.fault };
}

function lines(ids: readonly string[]): string {
  return ids.map((id) => `${id}\n`).join("");
}

/** Reads `<id> <type> <size>\n<content>\n`, again and again. */
class BatchReader {
  fault: string | undefined;
  readonly #ids: readonly string[];
  readonly #open: (index: number, size: number) => BlobSink | undefined;
  #index = -1;
  #header = "";
  /** Bytes of the present content still to come, and one more for the newline after it; 0 in a header. */
  #left = 0;
  #sink: BlobSink | undefined;
  #hash: Hash | undefined;

  constructor(ids: readonly string[], open: (index: number, size: number) => BlobSink | undefined) {
    this.#ids = ids;
    this.#open = open;
  }

  add(chunk: Buffer): void {
    for (let at = 0; at < chunk.length && this.fault === undefined; ) {
      at = this.#left === 0 ? this.#readHeader(chunk, at) : this.#readContent(chunk, at);
    }
  }

  #readHeader(chunk: Buffer, at: number): number {
    const end = chunk.indexOf(10, at);
    this.#header += chunk.toString("latin1", at, end < 0 ? chunk.length : end);
    if (end < 0) return chunk.length;
    const [, type, size] = this.#header.split(" ");
    this.#header = "";
    this.#index += 1;
    const id = this.#ids[this.#index] ?? "";
    if (type !== "blob") this.fault = `the content ${id} is gone`;
    else {
      this.#left = Number(size) + 1;
      this.#hash = blobHash(id, Number(size));
      this.#sink = this.#open(this.#index, Number(size));
    }
    return end + 1;
  }

  #readContent(chunk: Buffer, at: number): number {
    const part = chunk.subarray(at, at + Math.min(this.#left - 1, chunk.length - at));
    if (part.length > 0) {
      this.#hash?.update(part);
      this.#sink?.data(part);
      this.#left -= part.length;
    }
    if (this.#left > 1 || at + part.length === chunk.length) return at + part.length;
    this.#left = 0; // the newline
    this.#sink?.end(this.#hash?.digest("hex") === this.#ids[this.#index]);
    return at + part.length + 1;
  }
}
