import { lstatSync, rmSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../errors.ts";

/** The exit code by which an agent says that it waits for something outside. */
export const WAIT_EXIT_CODE = 42;

const DONE = "DONE";
const WAIT = "WAIT_WITHOUT_RESTART";

/** Does the file DONE stand in the task's folder? Being there is enough; a folder of that name is the user's to mend. */
export function isDone(taskDir: string): boolean {
  const info = lstatSync(join(taskDir, DONE), { throwIfNoEntry: false });
  if (info?.isDirectory() === true) {
    throw new UserError(
      "DONE is a directory",
      `${join(taskDir, DONE)} should be a file`,
      "Remove it, then start again.",
    );
  }
  return info !== undefined;
}

/** Has the agent left a file that asks not to be restarted? */
export function asksToWait(taskDir: string): boolean {
  return lstatSync(join(taskDir, WAIT), { throwIfNoEntry: false }) !== undefined;
}

/** Takes that file away: it was honoured, and the next start must not find it. */
export function consumeWait(taskDir: string): void {
  rmSync(join(taskDir, WAIT), { force: true });
}
