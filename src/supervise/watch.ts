import { readFileSync } from "node:fs";
import type { TreeLimits } from "./means.ts";
import { keptBy } from "./namespace.ts";

/** How often a tree with limits is looked at. */
const LOOK_MS = 250;

/** Looks now and then at all that a keeper keeps, and calls when it uses more than it may. Returns how to stop looking. */
export function watchLimits(keeper: number, limits: TreeLimits | undefined, onOver: () => void): () => void {
  const { memoryBytes = 0, processes = 0 } = limits ?? {};
  if (memoryBytes === 0 && processes === 0) return () => {};
  const timer = setInterval(() => {
    const pids = keptBy(keeper);
    // The keeper, its first process and what leads to the program are ours.
    const isMany = processes > 0 && pids.length > processes + OWN_PROCESSES;
    if (isMany || (memoryBytes > 0 && residentBytes(pids) > memoryBytes)) onOver();
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** What stands around the program: bubblewrap twice, the first process, the launcher. */
const OWN_PROCESSES = 4;
const PAGE_BYTES = 4096;

function residentBytes(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + ownPages(pid) * PAGE_BYTES, 0);
}

/** Pages that a process has for itself: those that it shares with others would be counted again and again. */
function ownPages(pid: number): number {
  try {
    const [, resident = "0", shared = "0"] = readFileSync(`/proc/${pid}/statm`, "latin1").split(" ");
    return Math.max(0, Number(resident) - Number(shared));
  } catch {
    return 0; // it is gone
  }
}
