import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { codeOf, messageOf, UserError } from "./errors.ts";

/**
 * Files inside a project are the agent's to write, so it may have put links there. What ralph writes goes into a file
 * of its own making: an old one is removed, never written through, and no folder on the way may be a link.
 */
export function createInside(project: string, path: string): number {
  const file = join(project, path);
  try {
    makeRealFolders(project, dirname(path));
    rmSync(file, { force: true });
    return openSync(
      file,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
      0o644,
    );
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(
      `cannot write ${path}`,
      `${codeOf(error) === "ERR_FS_EISDIR" ? "a folder stands in its place" : messageOf(error)}`,
      `Make the folder ${dirname(path)} writable for you and start again.`,
      { cause: error },
    );
  }
}

/** The marker of a run in the project's folder, for hooks and people. The agent can write it: ralph never believes it. */
export const ACTIVE_FILE = ".ralph-active";

/** What ralph itself writes into a project while it runs. Never part of the work: not judged, not committed. */
export const RUNTIME_FILES: readonly string[] = [ACTIVE_FILE, ".ralph/*.log", ".ralph/prompt_*.txt"];

/**
 * The same for git, written so that no folder is named in plain letters: it takes one that is ignored for a mistake, and refuses
 * to be asked about what lies beyond a link.
 */
export const RUNTIME_PATTERNS: readonly string[] = [
  ".ralph-activ[e]*",
  ".ralp[h]/*.log",
  ".ralp[h]/prompt_*.txt",
];

/** Is this one of ralph's own runtime files? The path is relative to the project. */
export function isRuntimeFile(path: string): boolean {
  return /^\.ralph(?:-active[^/]*|\/(?:[^/]*\.log|prompt_[^/]*\.txt))$/.test(path);
}

/** Removes a folder that programs have written into: some make folders read-only (Go's modules), or deeper than a path may be long. */
export function removeTree(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    if (!["EACCES", "EPERM", "ENAMETOOLONG"].includes(codeOf(error) ?? "")) throw error;
    makeRemovable(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Far less than the 4096 bytes that a path may have, whatever its letters. */
const LONG_WAY = 800;

function makeRemovable(folder: string): void {
  const queue = [folder];
  let moved = 0;
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    // Links are not followed: nobody is in there any more who could put one in the place of a folder.
    if (lstatSync(at, { throwIfNoEntry: false })?.isDirectory() !== true) continue;
    chmodSync(at, 0o700);
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      if (!entry.isDirectory()) continue;
      const path = join(at, entry.name);
      const near = path.length < folder.length + LONG_WAY ? path : join(folder, `.deep-${++moved}`);
      if (near !== path) renameSync(path, near);
      queue.push(near);
    }
  }
}

/** Reads a file that an agent may have touched, without following a link at its end. */
export function readNoFollow(file: string, mostBytes: number): string {
  return bytesNoFollow(file, mostBytes).toString("utf8");
}

/** The same as the bytes that stand there. */
export function bytesNoFollow(file: string, mostBytes: number): Buffer {
  return read(openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK), mostBytes);
}

function read(fd: number, mostBytes: number): Buffer {
  try {
    const info = fstatSync(fd);
    if (!info.isFile()) throw Object.assign(new Error("not a regular file"), { code: "ENOTFILE" });
    if (info.size > mostBytes)
      throw Object.assign(new Error(`larger than ${mostBytes} bytes`), { code: "EFBIG" });
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Opens a plain file for reading, links allowed. Throws for anything else: a pipe that nobody writes to would keep us. */
export function openPlain(file: string): number {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw new Error(`${file} is no plain file`);
}

/** Reads a plain file of the user's own choice, links allowed; never waits for a pipe. */
export function readPlain(file: string, mostBytes: number): string {
  return read(openSync(file, constants.O_RDONLY | constants.O_NONBLOCK), mostBytes).toString("utf8");
}

/** Reads a file of the project: neither it nor a folder on the way to it may be a link that leads out. */
export function readInside(project: string, file: string, mostBytes: number): string {
  return bytesInside(project, file, mostBytes).toString("utf8");
}

/** The same as the bytes that stand there, for a file that is to be put back exactly. */
export function bytesInside(project: string, file: string, mostBytes: number): Buffer {
  if (!isInside(realpathSync(project), realpathSync(dirname(file)))) {
    throw Object.assign(new Error("a link on the way to it leads out of the project"), { code: "ELOOP" });
  }
  return bytesNoFollow(file, mostBytes);
}

/** Is `path` inside `folder` (or the folder itself), by name alone? */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !way.startsWith(sep));
}

function makeRealFolders(project: string, folder: string): void {
  let at = project;
  for (const part of folder.split(/[\\/]/).filter((one) => one !== "" && one !== ".")) {
    at = join(at, part);
    try {
      mkdirSync(at);
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
    if (!lstatSync(at).isDirectory()) {
      throw new UserError(
        `cannot write into ${folder}`,
        `${at} is not a folder of its own (a link or a file stands in its place)`,
        "Remove it, then start again.",
      );
    }
  }
}
