import { closeSync, constants, lstatSync, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { writeAtomically } from "../config/write-file.ts";
import { codeOf, diskError, messageOf, UserError } from "../errors.ts";
import { bytesNoFollow } from "../files.ts";
import type { FilePlace } from "../hooks/wiring.ts";

const MOST_BYTES = 4 * 1024 * 1024;
/** Settings hold keys and names of programs: what is new is for their owner alone. */
const PRIVATE = 0o600;

/** Whose settings: the user's own, or those of the project. */
export type Scope = "user" | "project";

/** Where a settings file is, or would be. */
export interface SettingsPath {
  readonly path: string;
  /** The folders above it that must be none but themselves, the outermost first. */
  readonly folders: readonly string[];
}

/** A settings file as it stands; no bytes when there is none. */
export interface SettingsFile extends SettingsPath {
  readonly text: string;
  readonly bytes?: Buffer;
  readonly mode: number;
}

/** Where an agent's settings are. In a project somebody else may have put a link in the place of any folder of the agent's. */
export function settingsPath(place: FilePlace, scope: Scope): SettingsPath {
  const { folder, home = folder, variable, below = "", file } = place;
  const { env } = process;
  if (scope === "project") {
    const words = folder.split("/");
    const folders = words.map((_, at) => join(process.cwd(), ...words.slice(0, at + 1)));
    return { path: join(process.cwd(), folder, file), folders };
  }
  const named = variable === undefined ? undefined : env[variable];
  const own = named ? join(resolve(named), below) : join(env["HOME"] || homedir(), home);
  return { path: join(own, file), folders: [own] };
}

/** Reads settings. A UserError when what stands there is no plain text file: nothing is followed, nothing is guessed. */
export function readSettingsFile({ path, folders }: SettingsPath): SettingsFile {
  const odd = (why: string, fix: string) => new UserError(`cannot use ${path}`, why, fix);
  const look = (at: string) => {
    try {
      return lstatSync(at, { throwIfNoEntry: false });
    } catch (error) {
      throw odd(`its folder cannot be opened (${said(error)})`, "Look at the folders above it.");
    }
  };
  for (const above of folders) {
    const folder = look(above);
    if (folder !== undefined && !folder.isDirectory())
      throw odd(
        `${above} is ${folder.isSymbolicLink() ? "a link" : "no folder"}`,
        "Put a folder of its own there.",
      );
  }
  const info = look(path);
  if (info === undefined) return { path, folders, text: "", mode: PRIVATE };
  if (info.isSymbolicLink())
    throw odd("it is a link, and links are not followed", "Put the file itself there.");
  if (!info.isFile()) throw odd("it is no file", "Move it out of the way.");
  try {
    const bytes = bytesNoFollow(path, MOST_BYTES);
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { path, folders, text, bytes, mode: info.mode & 0o777 };
  } catch (error) {
    const why = error instanceof TypeError ? "it is not UTF-8 text" : `it cannot be read (${said(error)})`;
    throw odd(why, "Mend the file, then try again.");
  }
}

/** Puts a new text in a file's place, and keeps the old one beside it. Returns the path of that backup, if there is one. */
export function replaceSettings(old: SettingsFile, text: string, nowMs: number): string | undefined {
  const { path, bytes, mode } = old;
  mustBeAsItWas(old);
  return changing(path, () => {
    if (bytes === undefined) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const backup = bytes === undefined ? undefined : keep(path, bytes, nowMs);
    writeAtomically(path, text, mode);
    return backup;
  });
}

/** Removes a file in which nothing but ours was left. */
export function removeSettings(old: SettingsFile): void {
  mustBeAsItWas(old);
  changing(old.path, () => rmSync(old.path));
}

function mustBeAsItWas(old: SettingsFile): void {
  const { path, text, mode } = old;
  if (readSettingsFile(old).text !== text)
    throw new UserError("nothing was changed", `${path} was changed meanwhile`, "Try again.");
  if ((mode & 0o200) === 0)
    throw new UserError(
      "nothing was changed",
      `${path} is read-only`,
      `If ralph may change it: chmod u+w ${path}`,
    );
}

function changing<T>(path: string, change: () => T): T {
  try {
    return change();
  } catch (error) {
    throw (
      diskError(`cannot write ${path}`, error) ??
      new UserError(`cannot write ${path}`, said(error), "Make its folder writable for you.")
    );
  }
}

function keep(path: string, bytes: Buffer, nowMs: number): string {
  const stamp = new Date(nowMs).toISOString().replace(/[:.]/g, "-");
  const backup = `${path}.ralph-backup-${stamp}`;
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const fd = openSync(backup, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, PRIVATE);
  try {
    writeFileSync(fd, bytes, { flush: true });
  } finally {
    closeSync(fd);
  }
  return backup;
}

function said(error: unknown): string {
  return codeOf(error) ?? messageOf(error);
}
