import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectFolder } from "./paths.ts";

/** The ids of a project's runs, oldest first. One that died before its first event was on disk never began. */
export function runsOf(root: string, project: string): string[] {
  const folder = projectFolder(root, project);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && hasBegun(join(folder, entry.name, "journal.ndjson")))
    .map((entry) => entry.name)
    .sort();
}

/** Is the first event of this journal on disk? */
export function hasBegun(journal: string): boolean {
  return existsSync(journal) && readFileSync(journal).includes(0x0a);
}
