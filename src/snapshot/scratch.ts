import { mkdtempSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { gitError } from "../scm/git.ts";
import type { Fault, Shadow } from "./shadow.ts";

/** A folder outside the project that holds a snapshot, until it is disposed of. */
export interface Scratch {
  readonly folder: string;
  dispose(): void;
}

/**
 * Puts a snapshot into a folder of its own, for a check or a look back. The user's repository never hears of it, no hook and no
 * filter runs, and what stands there was read again and is what the snapshot's name says.
 */
export async function scratchWorktree(shadow: Shadow, tree: string): Promise<Scratch | Fault> {
  const folder = mkdtempSync(join(shadow.folder, "scratch-"));
  const dispose = () => rmSync(folder, { recursive: true, force: true });
  const fault = await checkOut(shadow, tree, folder);
  if (fault === undefined) return { folder, dispose };
  dispose();
  return fault;
}

/** Puts a snapshot, byte for byte, into a folder that is empty but for a `.git` (such as a new work tree for a fork). */
export async function checkOut(shadow: Shadow, tree: string, folder: string): Promise<Fault | undefined> {
  const own = mkdtempSync(join(shadow.folder, "out-"));
  const options = { cwd: folder, workTree: folder, index: join(basename(own), "index") };
  try {
    // The last one reads every file anew: contents could have been changed in a store that an agent can reach.
    for (const args of [
      ["read-tree", tree],
      ["checkout-index", "--all"],
      ["update-index", "--refresh"],
    ]) {
      const done = await shadow.git(args, options);
      if (done.code !== 0) return { fault: `git ${args[0]}: ${gitError(done)}` };
    }
    return undefined;
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}
