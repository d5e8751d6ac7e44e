import { realpathSync, statSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { UserError } from "../errors.ts";
import { inQuotes } from "./say.ts";

/** The flag that names the task's folder. */
export const TASK_DIR_FLAG = "--task-dir";

/**
 * The task's folder, as an absolute path. It must be there: DONE would be looked for in vain in one that is mistyped. The
 * flag is the user's own word; the settings may be a stranger's, and what they name stays inside the project.
 */
export function taskDirOf(input: {
  readonly project: string;
  readonly cwd: string;
  readonly path: string;
  /** The flag or the file that named it. */
  readonly source: string;
}): string {
  const byFlag = input.source === TASK_DIR_FLAG;
  const path = resolve(byFlag ? input.cwd : input.project, input.path);
  if (!isFolder(path)) {
    throw new UserError(
      `the task's folder ${inQuotes(input.path)} is not there`,
      `there is no folder of that name (${input.source})`,
      "Make it first, or name another.",
    );
  }
  if (!byFlag && !isWithin(realpathSync(input.project), realpathSync(path))) {
    throw new UserError(
      `the task's folder ${inQuotes(input.path)} is outside the project`,
      `taskDir in ${input.source} leads out of it, and settings may be a stranger's`,
      `Name a folder in the project, or say it yourself: ${TASK_DIR_FLAG} ${inQuotes(input.path)}`,
    );
  }
  return path;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // not there, or not to be looked at: no DONE could be found in it
  }
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
