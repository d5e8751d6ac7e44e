import { readFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../errors.ts";

/** The file in a run's folder that names what was its user's. */
export const KEPT = "uncommitted-before";

/** What was not committed when the user of a run last had the word, from the top of the work tree: those files are theirs. */
export function uncommittedBefore(folder: string): string[] {
  return keptNames(folder, KEPT);
}

/** The names of files that a file in a run's folder holds; none when it is not there. */
export function keptNames(folder: string, name: string): string[] {
  try {
    return readFileSync(join(folder, name), "utf8")
      .split("\0")
      .filter((path) => path !== "");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}
