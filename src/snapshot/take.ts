import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { gitError } from "../scm/git.ts";
import { zeroSeparated } from "./names.ts";
import { borrows } from "./objects.ts";
import { type Fault, NOT_THE_WORK, type Shadow } from "./shadow.ts";
import { below, infoAt } from "./standing.ts";
import { copyIndex, NOT_IN_IT, type Tree } from "./tree.ts";

/** Larger folders outside git have no snapshots: nobody said what in them is not the work. */
const MOST_FILES = 50_000;
const MOST_BYTES = 1024 ** 3;
const ELSEWHERE = new Set([".git", ...NOT_THE_WORK]);

/** A tree, and what had to be left out of it, where that was allowed. */
export type Snapshot = Tree & { readonly without?: readonly string[] };

interface How {
  /**
   * A repository inside that has no commit yet is no reason to have no snapshot: it is left out, and stays as it is. To be
   * allowed only where nothing is judged by what is in a snapshot.
   */
  readonly mayLeaveOut?: boolean;
}

/** More repositories without a commit are not made by accident. */
const MOST_LEFT_OUT = 20;

/**
 * Takes a snapshot: a git tree of exactly what stands in the work tree (new files too, ignored ones not), and keeps it under a
 * hidden ref of the shadow repository when it is given a label. A submodule, or another repository inside, is in it as the
 * commit that it stands on; what is in that repository is for its own git to keep.
 */
export async function takeSnapshot(shadow: Shadow, label?: string, how: How = {}): Promise<Snapshot> {
  const isFirst = !existsSync(emptyFoldersFile(shadow));
  const written = await write(shadow, isFirst, "index", how);
  if ("fault" in written) return written;
  if (isFirst) {
    const fault = (await rememberPrivate(shadow)) ?? (await rememberEmptyFolders(shadow));
    if (fault !== undefined) return fault;
  }
  if (label !== undefined) keep(shadow, label, written.name);
  return written;
}

/** The same without a trace, and while somebody else takes snapshots: for a look at what stands there now. */
export async function lookAtPresent(shadow: Shadow): Promise<Tree> {
  const own = mkdtempSync(join(shadow.folder, "look-"));
  try {
    copyIndex(join(shadow.folder, "index"), join(own, "index"));
    return await write(shadow, false, join(basename(own), "index"), { mayLeaveOut: true });
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

async function write(shadow: Shadow, isFirst: boolean, index: string, how: How): Promise<Snapshot> {
  if (isFirst && !shadow.isRepository) {
    const size = sizeOf(Buffer.from(shadow.top), { files: 0, bytes: 0 });
    if (size !== undefined) return { fault: size };
  }
  rmSync(join(shadow.folder, `${index}.lock`), { force: true }); // only a git of ours that was killed can have left it
  const cwd = existsSync(shadow.project) ? shadow.project : shadow.top;
  const without: string[] = [];
  for (;;) {
    const out = without.map((path) => `:(top,exclude,literal)${path}`);
    const added = await shadow.git(["add", "--all", "--", ":/", ...NOT_IN_IT, ...out], { cwd, index });
    if (added.code === 0) break;
    if (await forgetOddFiles(shadow, index)) continue;
    const [, young] = /^error: '(.+)\/' does not have a commit checked out$/ms.exec(added.stderr) ?? [];
    if (how.mayLeaveOut !== true || young === undefined || without.length === MOST_LEFT_OUT)
      return { fault: `git add: ${gitError(added)}` };
    without.push(young);
  }
  // Objects in our own store need not be looked for one by one; those in another's may be gone.
  const sure = borrows(shadow) ? [] : ["--missing-ok"];
  const written = await shadow.git(["write-tree", ...sure], { index });
  if (written.code !== 0) return { fault: `git write-tree: ${gitError(written)}` };
  return { name: written.stdout.trim(), ...(without.length === 0 ? {} : { without }) };
}

/** A pipe or a socket in the place of a file that git knew stops git: for a snapshot the file is gone. True if there was one. */
async function forgetOddFiles(shadow: Shadow, index: string): Promise<boolean> {
  const listed = await shadow.git(["ls-files", "-z", "--full-name", ":/"], { index });
  const odd = listed.stdout.split("\0").filter((path) => {
    const info = path === "" ? undefined : infoAt(join(shadow.top, path));
    return info !== undefined && !info.isFile() && !info.isDirectory() && !info.isSymbolicLink();
  });
  if (listed.code !== 0 || odd.length === 0) return false;
  const stdin = odd.map((path) => `${path}\0`).join("");
  return (await shadow.git(["update-index", "--force-remove", "-z", "--stdin"], { index, stdin })).code === 0;
}

/** The snapshot that was kept under a label. */
export function findSnapshot(shadow: Shadow, label: string): string | undefined {
  const file = refFile(shadow, label);
  const name = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  return /^[0-9a-f]{40,64}$/.test(name) ? name : undefined;
}

/** Folders that stood there empty before the run: not the run's to remove. */
export function emptyFolders(shadow: Shadow): ReadonlySet<string> {
  const file = emptyFoldersFile(shadow);
  return new Set(existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as string[]) : []);
}

/** Files that only their owner may read: git remembers no such thing, and a copy for everybody would give a secret away. */
export function privateFiles(shadow: Shadow): ReadonlySet<string> {
  const file = join(shadow.folder, PRIVATE);
  return new Set(existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as string[]) : []);
}

const PRIVATE = "private-files.json";
const OTHERS = 0o077;

async function rememberPrivate(shadow: Shadow): Promise<Fault | undefined> {
  const listed = await shadow.collect(["ls-files", "-z", "--full-name", ":/"]);
  if ("fault" in listed) return listed;
  const mine = zeroSeparated(listed).filter((path) => {
    const info = lstatSync(below(shadow.top, path), { throwIfNoEntry: false });
    return info?.isFile() === true && (info.mode & OTHERS) === 0;
  });
  writeFileSync(join(shadow.folder, PRIVATE), JSON.stringify(mine));
  return undefined;
}

function keep(shadow: Shadow, label: string, name: string): void {
  mkdirSync(join(shadow.folder, "refs", "ralph"), { recursive: true });
  writeFileSync(refFile(shadow, label), `${name}\n`);
}

function refFile(shadow: Shadow, label: string): string {
  if (!/^\w[\w-]*$/.test(label)) throw new Error(`no label of a snapshot: ${label}`);
  return join(shadow.folder, "refs", "ralph", label);
}

/** Every file is in the index by now, so that what git finds beside it are folders with nothing in them. */
async function rememberEmptyFolders(shadow: Shadow): Promise<Fault | undefined> {
  const listed = await shadow.collect(["ls-files", "--others", "--directory", "--exclude-standard", "-z"]);
  if ("fault" in listed) return listed;
  const folders = zeroSeparated(listed).filter((name) => name.endsWith("/"));
  writeFileSync(emptyFoldersFile(shadow), JSON.stringify(folders.map((name) => name.slice(0, -1))));
  return undefined;
}

function emptyFoldersFile(shadow: Shadow): string {
  return join(shadow.folder, "empty-folders.json");
}

/** Why a folder outside git is too large to be copied; undefined when it is not. */
function sizeOf(folder: Buffer, sum: { files: number; bytes: number }): string | undefined {
  for (const name of namesIn(folder)) {
    if (ELSEWHERE.has(name.toString("latin1"))) continue;
    const path = Buffer.concat([folder, Buffer.from("/"), name]);
    const info = lstatSync(path, { throwIfNoEntry: false });
    sum.files += 1;
    sum.bytes += info?.isFile() === true ? info.size : 0;
    if (sum.files > MOST_FILES)
      return `outside git, a folder of more than ${MOST_FILES} files has no snapshots`;
    if (sum.bytes > MOST_BYTES) return "outside git, a folder of more than 1 GB has no snapshots";
    const inner = info?.isDirectory() === true ? sizeOf(path, sum) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function namesIn(folder: Buffer): Buffer[] {
  try {
    return readdirSync(folder, { encoding: "buffer" });
  } catch {
    return []; // git will say what it cannot read
  }
}
