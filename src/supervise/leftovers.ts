import { setTimeout as sleep } from "node:timers/promises";
import { cgroupsOf, killCgroup, removeCgroup } from "./cgroup.ts";
import { findByEnvironment } from "./proc.ts";

const POLL_MS = 20;
const SETTLES_MS = 5_000;

/** The variable by which everything that runs for a run knows it. */
export const RUN_VARIABLE = "RALPH_RUN_ID";

/**
 * Ends what a run that died has left running. Its processes are known by the run's id in their environment or by its control
 * groups, so no stranger is ever taken for one of them. Returns how many were found by their environment.
 */
export async function endLeftovers(run: string): Promise<number> {
  const cgroups = cgroupsOf(run);
  for (const cgroup of cgroups) killCgroup(cgroup);
  const words = `${RUN_VARIABLE}=${run}\0`;
  let pids = findByEnvironment(words);
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
    pids = findByEnvironment(words);
  }
  for (const cgroup of cgroups) removeCgroup(cgroup);
  return found;
}
