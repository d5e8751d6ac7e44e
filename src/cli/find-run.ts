import { UserError } from "../errors.ts";
import type { LoopEvent } from "../events.ts";
import { isInSession } from "../hooks/places.ts";
import { runFolder, stateRoot } from "../journal/paths.ts";
import { readJournal } from "../journal/read.ts";
import { runsOf } from "../journal/runs.ts";
import { holderOf } from "../loop/hold.ts";
import { type RunSummary, summarise } from "../loop/summary.ts";
import { taskProgress } from "../loop/task-progress.ts";
import { knownShadow } from "../snapshot/shadow.ts";
import type { RunSpec } from "../spec.ts";

/** The id of the run that is meant: the whole id, an unambiguous part of it, or the newest run of this project. */
export function findRun(project: string, asked: string | undefined): string {
  const runs = runsOf(stateRoot(process.env), project);
  const newest = runs.at(-1);
  if (asked === undefined) {
    if (newest !== undefined) return newest;
    throw new UserError(
      "there is no run",
      "nothing was ever run in this folder",
      'Start one: ralph run -p "…"',
    );
  }
  const matching = runs.filter((run) => run === asked || run.startsWith(asked) || run.endsWith(asked));
  const [only] = matching;
  if (only !== undefined && (matching.length === 1 || only === asked)) return only;
  throw new UserError(
    matching.length === 0 ? `there is no run ${asked}` : `${asked} could be several runs`,
    matching.length === 0 ? "this folder has no run of that id" : matching.join(", "),
    "`ralph list` shows the runs of this folder.",
  );
}

/** What a run came to, or has come to so far. */
export function summaryOf(project: string, run: string): RunSummary {
  const folder = runFolder(stateRoot(process.env), project, run);
  const events = readJournal(folder.journal);
  const summary = summarise(events, isDriven(project, run) || hasSession(run, events));
  const snapshotPath = knownShadow(folder.folder)?.folder ?? "";
  if (summary !== undefined) {
    const tasks = taskProgress(folder, events, summary);
    return { ...summary, snapshotPath, ...(tasks === undefined ? {} : { tasks }) };
  }
  throw new UserError(`run ${run} never began`, "its journal is empty", "Start a new one.");
}

/** What a run was described as when it started. */
export function specOf(project: string, run: string): RunSpec | undefined {
  const [first] = readJournal(runFolder(stateRoot(process.env), project, run).journal);
  return first?.type === "run.started" ? first.spec : undefined;
}

/** Is some process driving this run now? */
export function isDriven(project: string, run: string): boolean {
  return holderOf(stateRoot(process.env), project)?.run === run;
}

/** Does a session go on with it? Nobody drives it between two stops of its agent. */
function hasSession(run: string, [first, ...others]: readonly LoopEvent[]): boolean {
  const session = first?.type === "run.started" ? first.spec.session : undefined;
  if (session === undefined || others.some(({ type }) => type === "run.resumed")) return false;
  return isInSession(stateRoot(process.env), session.id, run);
}
