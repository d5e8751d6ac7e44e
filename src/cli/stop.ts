import { setTimeout as sleep } from "node:timers/promises";
import { UserError } from "../errors.ts";
import type { LockOwner } from "../journal/lock.ts";
import { stateRoot } from "../journal/paths.ts";
import { runsOf } from "../journal/runs.ts";
import { holderOf, pidOf } from "../loop/hold.ts";
import { findRun, summaryOf } from "./find-run.ts";
import { projectHere } from "./project.ts";

const POLL_MS = 100;

/** `ralph stop [run]`: ends the run of this folder as Ctrl-C would, from another terminal; `--now` as a second Ctrl-C would. */
export async function stopCommand(
  asked: string | undefined,
  flags: { now?: boolean; wait?: boolean },
): Promise<void> {
  const project = projectHere();
  const wanted = asked === undefined ? undefined : findRun(project, asked);
  const holder = () => holderOf(stateRoot(process.env), project);
  const owner = holder();
  if (owner === undefined) {
    process.stdout.write(`${noDriver(project)}\n`);
    return;
  }
  if (wanted !== undefined && wanted !== owner.run) {
    process.stdout.write(`Run ${wanted} is not under way; ${owner.run} is.\n`);
    return;
  }
  signal(owner, "SIGTERM");
  if (flags.now === true) {
    await sleep(POLL_MS); // the first one is to be the one on record
    // Another kind: two of the same, sent to a process that is too busy to look, arrive as one.
    if (holder()?.run === owner.run) signal(owner, "SIGINT");
  }
  process.stdout.write(`Asked run ${owner.run} to stop${flags.now === true ? " at once" : ""}.\n`);
  if (flags.wait === false) return;
  while (holder()?.run === owner.run) await sleep(POLL_MS);
  process.stdout.write("It has ended.\n");
}

/** A run inside a session has no process of its own that could be asked. */
function noDriver(project: string): string {
  const newest = runsOf(stateRoot(process.env), project).at(-1);
  const run = newest === undefined ? undefined : summaryOf(project, newest);
  return run?.status === "running" && run.session !== undefined
    ? `Run ${run.id} is under way in a session of ${run.session.agent}: end it there with /cancel-ralph.`
    : "No run is under way in this folder.";
}

function signal(owner: LockOwner, kind: "SIGTERM" | "SIGINT"): void {
  const pid = pidOf(owner);
  try {
    if (pid === undefined) throw new Error("it is not in sight from here");
    process.kill(pid, kind);
  } catch (cause) {
    throw new UserError(
      "cannot stop the run",
      `its process ${owner.pid} does not take our signal`,
      "Stop it where it was started, as the user who started it.",
      { cause },
    );
  }
}
