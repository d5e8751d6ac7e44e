import { setTimeout as sleep } from "node:timers/promises";
import type { ProcessMark } from "../events.ts";
import { findMarked } from "./proc.ts";

const POLL_MS = 10;
/** After a SIGKILL nothing lives on; what we still see is on its way out. */
const KILL_SETTLES_MS = 5_000;

/** Sends a signal to every living process of the tree. Returns how many there were. */
export function signalTree(target: ProcessMark, signal: NodeJS.Signals): number {
  const pids = findIn(target);
  for (const pid of pids) signalOne(pid, signal);
  // The group once more as a whole: it also reaches a child that was born between the look and the signal.
  if (pids.includes(target.pid)) signalOne(-target.pid, signal);
  return pids.length;
}

/**
 * Ends the whole tree: SIGTERM, a grace, SIGKILL, until nothing is found. With a grace of 0 it is SIGKILL at once.
 * Returns the pids that are still there after all that, which should be none.
 */
export async function endTree(target: ProcessMark, graceMs: number): Promise<number[]> {
  if (graceMs > 0) {
    if (signalTree(target, "SIGTERM") === 0) return [];
    if (await isGoneWithin(target, graceMs)) return [];
  }
  const deadline = Date.now() + KILL_SETTLES_MS;
  while (signalTree(target, "SIGKILL") > 0) {
    if (Date.now() > deadline) return findIn(target);
    await sleep(POLL_MS);
  }
  return [];
}

async function isGoneWithin(target: ProcessMark, graceMs: number): Promise<boolean> {
  const deadline = Date.now() + graceMs;
  for (;;) {
    if (findIn(target).length === 0) return true;
    if (Date.now() >= deadline) return false;
    await sleep(POLL_MS);
  }
}

function findIn(target: ProcessMark): number[] {
  return findMarked(target.mark, target.pid, target.startTicks);
}

function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It went by itself: that is what we want of it.
  }
}
