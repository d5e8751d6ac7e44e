import { setTimeout as sleep } from "node:timers/promises";
import type { ProcessMark } from "../events.ts";
import { cgroupMembers, killCgroup, removeCgroup } from "./cgroup.ts";
import { keptBy, numbersOf } from "./namespace.ts";
import { carries, findMarked, isAlive, startTicksOf } from "./proc.ts";

const POLL_MS = 10;
/** After a SIGKILL nothing lives on; what we still see is on its way out. */
const KILL_SETTLES_MS = 5_000;

/** The first process of a namespace has a few words to write when the program is gone. */
const TELLS_MS = 1_000;

/** Sends a signal to every living process of the tree. Returns how many there were. */
export function signalTree(target: ProcessMark, signal: NodeJS.Signals): number {
  // The keeper of a namespace takes it all down: it is only ever killed, never asked.
  const pids = signal === "SIGKILL" ? allIn(target) : worksIn(target);
  if (signal === "SIGKILL" && target.cgroup !== undefined) killCgroup(target.cgroup);
  for (const pid of pids) signalOne(pid, signal);
  // The group once more as a whole: it also reaches a child that was born between the look and the signal.
  if (pids.includes(target.pid)) signalOne(-target.pid, signal);
  return pids.length;
}

/**
 * Ends the whole tree: SIGTERM, a grace, SIGKILL, until nothing is found. With a grace of 0 it is SIGKILL at once.
 * The keeper of a namespace is killed at last, once `told` says that it has told how the program ended. Returns the pids that
 * are still there after all that, which should be none.
 */
export async function endTree(
  target: ProcessMark,
  graceMs: number,
  told: Promise<unknown> = Promise.resolve(),
): Promise<number[]> {
  const left = await endAll(target, graceMs, told);
  if (target.cgroup !== undefined) removeCgroup(target.cgroup);
  return left;
}

async function endAll(target: ProcessMark, graceMs: number, told: Promise<unknown>): Promise<number[]> {
  if (graceMs > 0) {
    const isGone = signalTree(target, "SIGTERM") === 0 || (await isGoneWithin(target, graceMs));
    if (isGone && target.keeper !== true) return [];
    if (isGone) await Promise.race([told, sleep(TELLS_MS, undefined, { ref: false })]);
  }
  const deadline = Date.now() + KILL_SETTLES_MS;
  while (signalTree(target, "SIGKILL") > 0) {
    if (Date.now() > deadline) return allIn(target);
    await sleep(POLL_MS);
  }
  return [];
}

/**
 * Ends what the program left behind, but for these processes and all that they started as trees of their own. The namespace or
 * control group stays.
 */
export async function endOthers(
  target: ProcessMark,
  spared: readonly number[],
  graceMs: number,
): Promise<void> {
  const others = () =>
    worksIn(target).filter((pid) => !spared.includes(pid) && !carries(pid, `${target.mark}:`));
  const deadline = Date.now() + graceMs;
  for (const pid of others()) signalOne(pid, "SIGTERM");
  while (others().length > 0 && Date.now() < deadline) await sleep(POLL_MS);
  const last = Date.now() + KILL_SETTLES_MS;
  for (let left = others(); left.length > 0 && Date.now() < last; left = others()) {
    for (const pid of left) signalOne(pid, "SIGKILL");
    await sleep(POLL_MS);
  }
}

async function isGoneWithin(target: ProcessMark, graceMs: number): Promise<boolean> {
  const deadline = Date.now() + graceMs;
  for (;;) {
    if (worksIn(target).length === 0) return true;
    if (Date.now() >= deadline) return false;
    await sleep(POLL_MS);
  }
}

function allIn(target: ProcessMark): number[] {
  if (target.keeper === true) {
    const isThere = isAlive(target.pid) && startTicksOf(target.pid) === target.startTicks;
    return isThere ? keptBy(target.pid).filter(isAlive) : [];
  }
  const found = findMarked(target.mark, target.pid, target.startTicks);
  return target.cgroup === undefined ? found : [...new Set([...found, ...cgroupMembers(target.cgroup)])];
}

/** Those that do the work: without the keeper of the namespace and its first process, which wait for us. */
function worksIn(target: ProcessMark): number[] {
  const all = allIn(target);
  if (target.keeper !== true) return all;
  const depth = numbersOf(process.pid).length + 1;
  return all.filter((pid) => pid !== target.pid && !isFirst(numbersOf(pid), depth));
}

function isFirst(numbers: readonly number[], depth: number): boolean {
  return numbers.length === depth && numbers.at(-1) === 1;
}

function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It went by itself: that is what we want of it.
  }
}
