import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { codeOf, diskError, UserError } from "../errors.ts";

/*
 * Apart from the paths of runs, which need hashes: a hook that is asked at every stop of an agent does without Node's crypto.
 */

/** The folder of everything that ralph believes: outside the project, out of the agent's reach. */
export function stateRoot(env: NodeJS.ProcessEnv): string {
  const own = env["RALPH_STATE_DIR"];
  if (own !== undefined && own !== "") return resolve(own);
  const xdg = env["XDG_STATE_HOME"];
  // The XDG rules say that a relative path is to be ignored.
  const base = xdg !== undefined && isAbsolute(xdg) ? xdg : join(env["HOME"] || homedir(), ".local", "state");
  return join(base, "ralph");
}

/** The state folder is the user's to mend. */
export function unwritableState(what: string, path: string, error: unknown): UserError {
  return (
    diskError(`cannot write ${what}`, error, path) ??
    new UserError(
      `cannot write ${what}`,
      `${path} cannot be written (${codeOf(error) ?? String(error)})`,
      "Make the folder writable, or set RALPH_STATE_DIR to one that is.",
      { cause: error },
    )
  );
}
