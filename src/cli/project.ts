import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { projectFolder, stateRoot } from "../journal/paths.ts";

/**
 * The project that is meant by a command about a run: this folder, or the nearest one around it in which something was run or
 * that has settings. This folder when there is none.
 */
export function projectHere(): string {
  const here = process.cwd();
  const root = stateRoot(process.env);
  for (let folder = here; ; folder = dirname(folder)) {
    if (existsSync(projectFolder(root, folder)) || existsSync(join(folder, ".ralph"))) return folder;
    if (folder === dirname(folder)) return here;
  }
}
