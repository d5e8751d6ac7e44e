import { lstatSync, rmSync, type Stats } from "node:fs";
import { join } from "node:path";
import { codeOf, messageOf, UserError } from "../errors.ts";

/** The exit code by which an agent says that it waits for something outside. */
export const WAIT_EXIT_CODE = 42;

const DONE = "DONE";
const WAIT = "WAIT_WITHOUT_RESTART";

/** Does the file DONE stand in the task's folder? Being there is enough; a folder of that name is the user's to mend. */
export function isDone(taskDir: string): boolean {
  const info = lookAt(taskDir, DONE);
  if (info?.isDirectory() === true) {
    throw new UserError(
      "DONE is a directory",
      `${join(taskDir, DONE)} should be a file`,
      "Remove it, then start again.",
    );
  }
  return info !== undefined;
}

/** Has the agent left a file that asks not to be restarted? A folder is none, and could not be taken away safely. */
export function asksToWait(taskDir: string): boolean {
  return lookAt(taskDir, WAIT)?.isDirectory() === false;
}

/** Takes that file away: it was honoured, and the next start must not find it. */
export function consumeWait(taskDir: string): void {
  try {
    rmSync(join(taskDir, WAIT), { force: true });
  } catch (error) {
    throw new UserError(
      `cannot remove ${WAIT}`,
      `${join(taskDir, WAIT)} was honoured and must go (${codeOf(error) ?? messageOf(error)})`,
      "Remove it, then go on with `ralph resume`.",
      { cause: error },
    );
  }
}

/** The task's folder is the agent's to change: one that became a file or a loop of links is an error, and no crash. */
function lookAt(taskDir: string, name: string): Stats | undefined {
  try {
    return lstatSync(join(taskDir, name), { throwIfNoEntry: false });
  } catch (error) {
    throw new UserError(
      `cannot look for ${name}`,
      `${taskDir} is no folder that can be looked into (${codeOf(error) ?? messageOf(error)})`,
      "Put the task's folder back, then go on with `ralph resume`.",
      { cause: error },
    );
  }
}
