import { randomBytes } from "node:crypto";
import { closeSync, fchmodSync, fsyncSync, lstatSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, posix, relative, resolve, sep } from "node:path";
import { codeOf, messageOf, UserError } from "../errors.ts";
import { bytesInside, createInside, isInside } from "../files.ts";
import { ACTIVE_FILE, type Active, formatActive, parseActive } from "./active.ts";

/** The folder of a task list, unless another is asked for. */
export const RALPH_DIR = "ralph";

/** Larger files are no task lists. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Where the files of a task list are, relative to the project, with forward slashes. */
export interface TaskPaths {
  readonly dir: string;
  readonly prd: string;
  readonly tasks: string;
  readonly progress: string;
  readonly prompt: string;
}

/** The paths of the list in this folder, which must be inside the project. */
export function taskPaths(project: string, dir: string = RALPH_DIR): TaskPaths {
  const way = relative(project, resolve(project, dir)).split(sep).join(posix.sep);
  if (way === "" || !isInside(project, resolve(project, dir))) {
    throw new UserError(
      `cannot use ${dir} for the task list`,
      "it must be a folder inside the project",
      "Give --ralph-dir a folder such as ralph.",
    );
  }
  return {
    dir: way,
    prd: `${way}/prd.md`,
    tasks: `${way}/tasks.json`,
    progress: `${way}/progress.txt`,
    prompt: `${way}/prompt.md`,
  };
}

/**
 * The text of a file of the project that an agent may have written: never through a link, never a pipe, never a huge one.
 * Undefined when it is not there.
 */
export function readProjectFile(project: string, path: string): string | undefined {
  return readProjectBytes(project, path)?.toString("utf8");
}

/** The same as bytes, for a file that is to be put back exactly. */
export function readProjectBytes(project: string, path: string): Buffer | undefined {
  try {
    return bytesInside(project, join(project, path), MOST_BYTES);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    const why =
      code === "ELOOP"
        ? "a symbolic link stands in its place or on the way to it, and ralph does not follow it"
        : code === "EFBIG"
          ? "it is too large"
          : code === "ENOTFILE"
            ? "it is no plain file"
            : messageOf(error);
    throw new UserError(`cannot read ${path}`, why, "Put a plain file in its place.", { cause: error });
  }
}

/** Writes a file of the project whole or not at all, and never through a link. One that was there keeps its mode. */
export function writeProjectFile(project: string, path: string, text: string | Buffer): void {
  const file = join(project, path);
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  const fd = createInside(project, temporary);
  try {
    try {
      const was = lstatSync(file, { throwIfNoEntry: false });
      if (was?.isFile() === true) fchmodSync(fd, was.mode & 0o777);
      writeFileSync(fd, text);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(join(project, temporary), file);
  } catch (error) {
    rmSync(join(project, temporary), { force: true });
    throw new UserError(`cannot write ${path}`, messageOf(error), "Make room for it, then start again.", {
      cause: error,
    });
  }
}

/** The marker of a run, if there is one that can be understood. */
export function readActive(project: string): Active | undefined {
  const text = readProjectFile(project, ACTIVE_FILE);
  return text === undefined ? undefined : parseActive(text);
}

/** The same for whoever only wants to know who is in the way: what is no marker is nobody. */
export function markerOf(project: string): Active | undefined {
  try {
    return readActive(project);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** Writes the marker of a run, whole or not at all. */
export function writeActive(project: string, active: Active): void {
  writeProjectFile(project, ACTIVE_FILE, formatActive(active));
}

/** Removes the marker; when `pid` is given, only if it is that process's own. */
export function removeActive(project: string, pid?: number): void {
  if (pid !== undefined && markerOf(project)?.pid !== pid) return;
  rmSync(join(project, ACTIVE_FILE), { recursive: true, force: true });
}
