import { accessSync, constants, lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf, messageOf, UserError } from "../errors.ts";
import { SETTINGS_FILES } from "./load.ts";
import { hasRalphFolder, RALPH_FOLDER, symlinkError } from "./read-file.ts";
import { SCHEMA_URL, type Settings } from "./schema.ts";
import { writeAtomically } from "./write-file.ts";

/** The `.ralph/.gitignore` that ralph writes: runtime files and local settings are not the project's. */
export const RALPH_GITIGNORE = `# Written by ralph. Commit settings.json; these are of this machine only.
*.log
*.tmp
prompt_*.txt
answer_*.txt
spool/
settings.local.json
.gitignore
`;

/** Makes `.ralph` and its `.gitignore` where they are absent, and returns the folder. A UserError when it cannot be written. */
export function ensureRalphFolder(project: string): string {
  const folder = join(project, RALPH_FOLDER);
  try {
    if (!hasRalphFolder(folder)) makeFolder(folder);
    accessSync(folder, constants.W_OK | constants.X_OK);
    writeIfAbsent(join(folder, ".gitignore"), RALPH_GITIGNORE);
  } catch (error) {
    throw unwritable(RALPH_FOLDER, error);
  }
  return folder;
}

/** Writes the project's settings, whole or not at all, and returns the file's path. */
export function writeSettings(project: string, settings: Settings): string {
  ensureRalphFolder(project);
  const [name] = SETTINGS_FILES;
  const path = join(project, name);
  const { $schema = SCHEMA_URL, ...rest } = settings;
  try {
    refuseOddity(path, name);
    writeAtomically(path, `${JSON.stringify({ $schema, ...rest }, null, 2)}\n`, 0o644);
  } catch (error) {
    throw unwritable(name, error);
  }
  return path;
}

/** The rename would put the file in a link's place; the link was there for a reason, so nothing is touched. */
function refuseOddity(path: string, name: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isSymbolicLink()) throw symlinkError(name);
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o755 });
  } catch (error) {
    // Another run may have been faster; what it made is looked at like any other.
    if (codeOf(error) !== "EEXIST" || !hasRalphFolder(folder)) throw error;
  }
}

function writeIfAbsent(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: "wx" }); // "x" follows no link
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

function unwritable(name: string, error: unknown): UserError {
  if (error instanceof UserError) return error;
  return new UserError(
    `cannot write ${name}`,
    `the project folder does not allow it (${codeOf(error) ?? messageOf(error)})`,
    "Make the folder writable for you, or run ralph in another one.",
    { cause: error },
  );
}
