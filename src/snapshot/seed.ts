import { rmSync } from "node:fs";
import { join } from "node:path";
import { gitBytes } from "../scm/git.ts";
import { isText, zeroSeparated } from "./names.ts";
import type { Shadow } from "./shadow.ts";
import { infoAt } from "./standing.ts";
import { copyIndex } from "./tree.ts";

interface Entry {
  readonly isFlagged: boolean;
  readonly mode: string;
  readonly id: string;
  readonly path: string;
}

/**
 * Takes over what the user's index knows, so that files that have not changed need not be read: 4 to 6 times faster. What it
 * does not know byte for byte is left out, and read: files that it hides, and those that are stored otherwise than they stand
 * (line ends, encodings, filters). When in doubt nothing is taken over.
 */
export async function seedIndex(shadow: Shadow, userIndex: string): Promise<void> {
  const index = join(shadow.folder, "index");
  if (!copyIndex(userIndex, index)) return;
  if (!(await leaveOut(shadow))) for (const file of [index, `${index}.lock`]) rmSync(file, { force: true });
}

async function leaveOut(shadow: Shadow): Promise<boolean> {
  const listed = await shadow.collect(["ls-files", "-v", "--stage", "-z"]);
  if ("fault" in listed) return false;
  const entries = zeroSeparated(listed).map(entryOf);
  if (!entries.every((entry) => isText(entry.path))) return false;
  const files = entries.filter((entry) => entry.mode !== "160000");
  const sizes = await sizesOf(shadow, files);
  const converted = await converts(shadow, files);
  if (sizes === undefined || converted === undefined) return false;
  // Line ends and keywords only ever shrink on their way into the store: of the same size is the same content.
  const unsure = files.filter(
    (entry, at) =>
      entry.isFlagged ||
      converted.has(entry.path) ||
      sizes[at] !== infoAt(join(shadow.top, entry.path))?.size,
  );
  const args = ["update-index", "--index-version", "4", "--force-remove", "-z", "--stdin"];
  const removed = await shadow.git(args, { stdin: unsure.map((entry) => `${entry.path}\0`).join("") });
  return removed.code === 0;
}

/** A line like `H 100644 <id> 0\t<path>`; a small letter or an S is a flag that hides the file. */
function entryOf(line: string): Entry {
  const tab = line.indexOf("\t");
  const [tag = "", mode = "", id = ""] = line.slice(0, tab).split(" ");
  return { isFlagged: !/^[A-RT-Z]$/.test(tag), mode, id, path: line.slice(tab + 1) };
}

/** How large the stored contents are, in order; undefined for one that is not there. */
async function sizesOf(
  shadow: Shadow,
  entries: readonly Entry[],
): Promise<readonly (number | undefined)[] | undefined> {
  const stdin = entries.map((entry) => `${entry.id}\n`).join("");
  const asked = await shadow.collect(["cat-file", "--batch-check=%(objectsize)"], { stdin });
  if ("fault" in asked) return undefined;
  const lines = asked.toString("latin1").split("\n");
  return entries.map((_, at) => (/^\d+$/.test(lines[at] ?? "") ? Number(lines[at]) : undefined));
}

/** Files with a filter or an encoding, by the user's own attributes. */
async function converts(shadow: Shadow, entries: readonly Entry[]): Promise<Set<string> | undefined> {
  const chunks: Buffer[] = [];
  const stdin = entries.map((entry) => `${entry.path}\0`).join("");
  const asked = await gitBytes(
    shadow.top,
    ["check-attr", "-z", "--stdin", "filter", "working-tree-encoding"],
    { stdin },
    (chunk) => void chunks.push(chunk),
  );
  if (asked.code !== 0) return undefined;
  const words = zeroSeparated(Buffer.concat(chunks));
  const found = new Set<string>();
  for (let at = 0; at + 2 < words.length; at += 3) {
    if (words[at + 2] !== "unspecified" && words[at + 2] !== "unset") found.add(words[at] ?? "");
  }
  return found;
}
