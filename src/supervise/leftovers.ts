import { setTimeout as sleep } from "node:timers/promises";
import { cgroupsOf, killCgroup, removeCgroup } from "./cgroup.ts";
import { findByEnvironment } from "./proc.ts";

const POLL_MS = 20;
const SETTLES_MS = 5_000;

/** The variable by which everything that runs for a run knows it. */
export const RUN_VARIABLE = "RALPH_RUN_ID";

/** The variable with the runs around this one, the nearest first: what belongs to a child run belongs to its parent too. */
export const ANCESTORS_VARIABLE = "RALPH_PARENT_RUNS";

/** The runs around one that starts in this environment. */
export function ancestorsIn(env: NodeJS.ProcessEnv): string {
  return [env[RUN_VARIABLE], env[ANCESTORS_VARIABLE]]
    .filter((run) => run !== undefined && run !== "")
    .join(" ");
}

/**
 * Ends what a run that died has left running. Its processes are known by the run's id in their environment or by its control
 * groups, so no stranger is ever taken for one of them. Returns how many were found by their environment.
 */
export async function endLeftovers(run: string): Promise<number> {
  const cgroups = cgroupsOf(run);
  for (const cgroup of cgroups) killCgroup(cgroup);
  const find = () => findByEnvironment(run, [RUN_VARIABLE, ANCESTORS_VARIABLE]);
  let pids = find();
  const found = pids.length;
  const deadline = Date.now() + SETTLES_MS;
  while (pids.length > 0 && Date.now() < deadline) {
    for (const pid of pids) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It went by itself.
      }
    }
    await sleep(POLL_MS);
    pids = find();
  }
  for (const cgroup of cgroups) removeCgroup(cgroup);
  return found;
}
