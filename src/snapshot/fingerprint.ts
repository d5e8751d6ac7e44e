import { createHash } from "node:crypto";
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Folders that are not the work: looked after by others, or ours. */
const PASSED_OVER = new Set([".git", ".ralph", "node_modules"]);
/** Larger trees are not measured: looking would cost more than it tells. */
const MOST_ENTRIES = 50_000;

/**
 * A name for what stands in a folder that git does not know: names, sizes, times and modes. It changes whenever a file does;
 * it says nothing about what is in them. Undefined when the folder is too large, or cannot be read.
 */
export function fingerprint(project: string): string | undefined {
  const hash = createHash("sha256");
  let entries = 0;
  const look = (folder: string): boolean => {
    for (const entry of readdirSync(join(project, folder), { withFileTypes: true }).sort(byName)) {
      if (PASSED_OVER.has(entry.name)) continue;
      if (++entries > MOST_ENTRIES) return false;
      const path = join(folder, entry.name);
      const info = lstatSync(join(project, path), { throwIfNoEntry: false });
      if (info === undefined) continue; // gone while we looked
      hash.update(`${path}\0${info.mode}\0${entry.isDirectory() ? "" : `${info.size}\0${info.mtimeMs}`}\n`);
      if (entry.isDirectory() && !look(path)) return false;
    }
    return true;
  };
  try {
    return look("") ? `files:${hash.digest("hex")}` : undefined;
  } catch {
    return undefined; // unreadable, or changing under us: no measure is better than a wrong one
  }
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1;
}
