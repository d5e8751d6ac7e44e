import { join } from "node:path";
import { UserError } from "../errors.ts";
import { type LockOwner, lockOwner, takeLock } from "../journal/lock.ts";
import { projectFolder, runFolder } from "../journal/paths.ts";
import { runsOf } from "../journal/runs.ts";
import type { RunSpec } from "../spec.ts";
import { endLeftovers } from "../supervise/leftovers.ts";
import { isRunningSince } from "../supervise/proc.ts";
import { locate } from "../supervise/spaces.ts";
import { ACTIVE_FILE } from "../tasks/active.ts";
import { markerOf, removeActive } from "../tasks/files.ts";
import { LIVENESS } from "./liveness.ts";

/**
 * Takes the project for one run, so that two never work in the same folder. A holder that died is replaced, and what it left
 * running is ended first.
 */
export async function holdProject(
  root: string,
  task: { project: string; run: string; isNew: boolean },
  nowMs: number,
): Promise<{ release(): void }> {
  const path = lockPath(root, task.project);
  const lock = takeLock(path, task.run, LIVENESS, nowMs);
  if (!lock.held) throw inTheWay(lock.owner, path);
  try {
    const dead = lock.healed.map((owner) => owner.run);
    for (const run of new Set(task.isNew ? dead : [task.run, ...dead])) await endLeftovers(run);
  } catch (error) {
    lock.release();
    throw error;
  }
  return lock;
}

/**
 * The marker of a task run is a lock too, also against whoever keeps their state elsewhere: one whose process lives is refused,
 * a stale one is cleaned away. Gives the function that takes ours away in the end.
 */
export function markProject({ project, work }: RunSpec): (() => void) | undefined {
  if (work.kind !== "tasks") return undefined;
  const active = markerOf(project);
  if (
    active !== undefined &&
    active.pid !== process.pid &&
    isRunningSince(active.pid, Date.parse(active.timestamp))
  ) {
    throw new UserError(
      "another run is under way in this folder",
      `${ACTIVE_FILE} says that process ${active.pid} works here since ${active.timestamp}`,
      `Wait for it to end. If no run is under way, remove ${ACTIVE_FILE}.`,
    );
  }
  removeActive(project);
  return () => removeActive(project);
}

/** The folder of the run before a new one, where there was one. */
export function lastRunOf(
  { project, past }: { readonly project: string; readonly past: readonly unknown[] },
  root: string,
): { lastRun?: string } {
  const last = past.length > 0 ? undefined : runsOf(root, project).at(-1);
  return last === undefined ? {} : { lastRun: runFolder(root, project, last).folder };
}

/** The process that drives the run, by the number that we know it by; undefined when it cannot be reached from here. */
export function pidOf(owner: LockOwner): number | undefined {
  const pid = locate(owner);
  return pid === "unseen" ? undefined : pid;
}

/** Who works in the project now, if anybody does. */
export function holderOf(root: string, project: string): LockOwner | undefined {
  return lockOwner(lockPath(root, project), LIVENESS);
}

function lockPath(root: string, project: string): string {
  return join(projectFolder(root, project), "lock");
}

function inTheWay(owner: LockOwner, path: string): UserError {
  const since = new Date(owner.at).toLocaleString();
  // On another machine or in another container: whether it still lives only the user can tell.
  const isOutOfSight = pidOf(owner) === undefined;
  return new UserError(
    "another run is under way in this folder",
    `run ${owner.run} (process ${owner.pid} on ${owner.host}) since ${since}`,
    isOutOfSight
      ? `It cannot be seen from here: stop it there. If it is gone for good, remove ${path}`
      : "Wait for it to end, or stop it with `ralph stop`.",
  );
}
