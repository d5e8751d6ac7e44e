import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { projectFolder } from "./paths.ts";

/** The ids of a project's runs, oldest first. */
export function runsOf(root: string, project: string): string[] {
  const folder = projectFolder(root, project);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(folder, entry.name, "journal.ndjson")))
    .map((entry) => entry.name)
    .sort();
}
