import { closeSync, constants, fstatSync, openSync, type Stats } from "node:fs";
import { basename, dirname } from "node:path";
import { codeOf, messageOf, UserError } from "../errors.ts";

/*
 * The bus is the agent's to write, and so is its folder: another thing may stand in its place. Links are not followed,
 * and O_NONBLOCK keeps a pipe without a reader from holding us for ever.
 */
const SAFELY = constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** A bus that is open. */
export interface OpenBus {
  readonly fd: number;
  readonly info: Stats;
}

/** Opens a bus for reading; undefined when nobody has written to it yet. */
export function openForReading(path: string): OpenBus | undefined {
  try {
    return openRegular(path, constants.O_RDONLY | SAFELY);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw busError("cannot read the message bus", path, error);
  }
}

/** Opens a bus for appending, and makes it when it is not there. */
export function openForAppending(path: string): OpenBus {
  try {
    // Read as well: whether the last line is finished decides how the next message begins.
    const bus = openRegular(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | SAFELY);
    if (bus.info.nlink < 2) return bus;
    closeSync(bus.fd);
    throw inItsPlace("the file has a second name elsewhere (a hard link)");
  } catch (error) {
    throw busError("cannot write to the message bus", path, error);
  }
}

/** What went wrong with a bus, in words for its user. */
export function busError(what: string, path: string, error: unknown): UserError {
  const name = basename(path);
  const folder = dirname(path);
  const [why, fix] = ((): [string, string] => {
    switch (codeOf(error)) {
      case "ELOOP":
      case "EMLINK": // what some systems say to O_NOFOLLOW
        return [`${path} is a symbolic link, and links are not followed`, `Remove ${name} and try again.`];
      case "EISDIR":
      case "ENXIO": // a pipe that nobody reads, or a socket
      case "ENOTFILE":
        return [
          `${path} is not a plain file: ${wordsOf(error)}`,
          `Move ${name} out of the way and try again.`,
        ];
      case "ENOENT":
      case "ENOTDIR":
        return [`there is no folder ${folder}`, "Make the folder, or name another one with --task-dir."];
      case "EACCES":
      case "EPERM":
      case "EROFS":
        return [`you may not do that with ${path}`, `Make ${name} and its folder writable for you.`];
      case "ENOSPC":
      case "EDQUOT":
        return ["the disk is full", `Make room where ${folder} is, and try again.`];
      default:
        return [`${path}: ${messageOf(error)}`, `Look what is the matter with ${name}, and try again.`];
    }
  })();
  return new UserError(what, why, fix, { cause: error });
}

function openRegular(path: string, flags: number): OpenBus {
  const fd = openSync(path, flags, 0o644);
  try {
    const info = fstatSync(fd);
    if (!info.isFile()) throw inItsPlace("another thing stands in its place");
    return { fd, info };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function inItsPlace(words: string): Error {
  return Object.assign(new Error(words), { code: "ENOTFILE" });
}

function wordsOf(error: unknown): string {
  return codeOf(error) === "EISDIR" ? "a folder stands in its place" : messageOf(error);
}
