import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from "node:fs";
import { codeOf, messageOf, UserError } from "../errors.ts";

/** The folder of ralph's files in a project. */
export const RALPH_FOLDER = ".ralph";

/** Larger files are no settings. */
const LARGEST = 1024 * 1024;

/**
 * The text of a file that an agent could have written: never through a symbolic link, never something that is no
 * plain file (a pipe would block), never more than 1 MiB. Undefined when it is not there. `name` is for the errors.
 */
export function readPlainText(path: string, name: string): string | undefined {
  let fd: number;
  try {
    // Windows knows neither flag, and has them as undefined.
    fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    if (codeOf(error) === "ELOOP") throw symlinkError(name);
    throw new UserError(
      `cannot read ${name}`,
      `it cannot be opened (${codeOf(error) ?? messageOf(error)})`,
      "Make the file readable, or remove it.",
      { cause: error },
    );
  }
  try {
    if (!fstatSync(fd).isFile()) {
      throw new UserError(
        `cannot read ${name}`,
        "it is not a plain file",
        "Remove it, or put a file in its place.",
      );
    }
    const bytes = Buffer.alloc(LARGEST + 1);
    let size = 0;
    for (let read = -1; read !== 0 && size < bytes.length; size += read) {
      read = readSync(fd, bytes, size, bytes.length - size, null);
    }
    if (size > LARGEST)
      throw new UserError(`cannot read ${name}`, "it is larger than 1 MiB", "Make it smaller.");
    return decode(bytes.subarray(0, size), name);
  } finally {
    closeSync(fd);
  }
}

function decode(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes); // drops a byte order mark
  } catch (cause) {
    throw new UserError(`cannot read ${name}`, "it is not UTF-8 text", "Save it as UTF-8.", { cause });
  }
}

/** Whether the project has the folder; an error when a link or a file stands in its place. */
export function hasRalphFolder(path: string): boolean {
  let stat: ReturnType<typeof lstatSync>;
  try {
    stat = lstatSync(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw new UserError(
      `cannot read ${RALPH_FOLDER}`,
      `it cannot be looked at (${codeOf(error) ?? messageOf(error)})`,
      "Make the project folder readable.",
      { cause: error },
    );
  }
  if (stat.isSymbolicLink()) throw symlinkError(RALPH_FOLDER);
  if (!stat.isDirectory()) {
    throw new UserError(
      `${RALPH_FOLDER} is not a folder`,
      "a file of that name is in its place",
      "Move it away: ralph keeps its settings and logs there.",
    );
  }
  return true;
}

/** The error for a link where ralph does not follow one. */
export function symlinkError(name: string): UserError {
  return new UserError(
    `${name} is a symbolic link`,
    "an agent could have made it, so ralph does not follow it",
    "Put the real thing in its place.",
  );
}
