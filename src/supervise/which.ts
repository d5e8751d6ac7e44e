import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join, resolve, sep } from "node:path";
import { isInside } from "../files.ts";

const WINDOWS_ENDINGS = [".exe", ".cmd", ".bat", ""];

/** Every place on PATH where a program of this name can be run, first match first. A name with a slash is taken from `cwd`. */
export function whichAll(program: string, options: { cwd: string; path: string | undefined }): string[] {
  const endings = process.platform === "win32" ? WINDOWS_ENDINGS : [""];
  const folders =
    program.includes("/") || (process.platform === "win32" && program.includes("\\"))
      ? [""]
      : (options.path ?? "").split(delimiter).filter((folder) => folder !== "");
  const found: string[] = [];
  for (const folder of folders) {
    for (const ending of endings) {
      const base = isAbsolute(program)
        ? program
        : join(folder === "" ? options.cwd : resolve(options.cwd, folder), program);
      const candidate = base + ending;
      if (isRunnable(candidate) && !found.includes(candidate)) found.push(candidate);
    }
  }
  return found;
}

/** The program that would be started, or undefined. */
export function which(
  program: string,
  options: { cwd: string; path: string | undefined },
): string | undefined {
  return whichAll(program, options)[0];
}

/**
 * PATH for programs of our own: without what whoever works in `folder` could have put there. npm and npx begin it with
 * `node_modules/.bin` of the project, where an agent may have left a `git` for us to run.
 */
export function ownPath(path: string | undefined, folder: string): string {
  // Whoever works in a folder that holds the home, or everything, is not kept away from programs by this.
  const isIn = (place: string, one: string) => !isInside(place, homedir()) && isInside(place, one);
  const isTheirs = (one: string) =>
    isIn(folder, one) || isIn(realOf(folder), realOf(one)) || one.split(sep).includes("node_modules");
  return (path ?? "")
    .split(delimiter)
    .filter((one) => isAbsolute(one) && !isTheirs(one))
    .join(delimiter);
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // not there: nothing is found in it
  }
}

function isRunnable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile() && missingInterpreter(file) === undefined;
  } catch {
    return false; // not there, or not ours to run: either way it is not a candidate
  }
}

/** The interpreter that the first line of a script names and that is not there; with CRLF line ends its name ends in `\r`. */
export function missingInterpreter(file: string): string | undefined {
  if (process.platform === "win32") return undefined; // nobody reads that line there
  const [, name] = /^#![ \t]*([^ \t\n\0]+)/.exec(firstBytes(file)) ?? [];
  return name === undefined || !isAbsolute(name) || existsSync(name) ? undefined : name;
}

function firstBytes(file: string): string {
  let fd: number | undefined;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const bytes = Buffer.alloc(256);
    return bytes.toString("latin1", 0, readSync(fd, bytes));
  } catch {
    return ""; // a program may be run without being readable, or not be there
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
