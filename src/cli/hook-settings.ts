import { closeSync, constants, lstatSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { writeAtomically } from "../config/write-file.ts";
import { codeOf, diskError, messageOf, UserError } from "../errors.ts";
import { bytesNoFollow } from "../files.ts";
import type { Wiring } from "../hooks/wiring.ts";

const MOST_BYTES = 4 * 1024 * 1024;
/** Settings hold keys and names of programs: what is new is for their owner alone. */
const PRIVATE = 0o600;

/** Whose settings: the user's own, or those of the project. */
export type Scope = "user" | "project";

/** A settings file as it stands; no bytes when there is none. */
export interface SettingsFile {
  readonly path: string;
  readonly text: string;
  readonly bytes?: Buffer;
  readonly mode: number;
}

/** Where an agent's settings are. */
export function settingsPath({ folder, variable, file }: Wiring, scope: Scope): string {
  const { env } = process;
  if (scope === "project") return join(process.cwd(), folder, file);
  const named = variable === undefined ? undefined : env[variable];
  return named ? join(resolve(named), file) : join(env["HOME"] || homedir(), folder, file);
}

/** Reads settings. A UserError when what stands there is no plain text file: nothing is followed, nothing is guessed. */
export function readSettingsFile(path: string): SettingsFile {
  const odd = (why: string, fix: string) => new UserError(`cannot use ${path}`, why, fix);
  const folder = lstatSync(dirname(path), { throwIfNoEntry: false });
  if (folder !== undefined && !folder.isDirectory())
    throw odd(
      `${dirname(path)} is ${folder.isSymbolicLink() ? "a link" : "no folder"}`,
      "Put a folder of its own there.",
    );
  const info = lstatSync(path, { throwIfNoEntry: false });
  if (info === undefined) return { path, text: "", mode: PRIVATE };
  if (info.isSymbolicLink())
    throw odd("it is a link, and links are not followed", "Put the file itself there.");
  if (!info.isFile()) throw odd("it is no file", "Move it out of the way.");
  try {
    const bytes = bytesNoFollow(path, MOST_BYTES);
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { path, text, bytes, mode: info.mode & 0o777 };
  } catch (error) {
    const why = error instanceof TypeError ? "it is not UTF-8 text" : `it cannot be read (${said(error)})`;
    throw odd(why, "Mend the file, then try again.");
  }
}

/** Puts a new text in a file's place, and keeps the old one beside it. Returns the path of that backup, if there is one. */
export function replaceSettings(old: SettingsFile, text: string, nowMs: number): string | undefined {
  const { path, bytes, mode } = old;
  const now = readSettingsFile(path);
  if (now.text !== old.text)
    throw new UserError("nothing was changed", `${path} was changed meanwhile`, "Try again.");
  if ((mode & 0o200) === 0)
    throw new UserError(
      "nothing was changed",
      `${path} is read-only`,
      `If ralph may change it: chmod u+w ${path}`,
    );
  try {
    if (bytes === undefined) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const backup = bytes === undefined ? undefined : keep(path, bytes, nowMs);
    writeAtomically(path, text, mode);
    return backup;
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
