import { stateRoot } from "../journal/paths.ts";
import { runsOf } from "../journal/runs.ts";
import type { RunSummary } from "../loop/summary.ts";
import { cleanLine } from "../ui/clean.ts";
import { formatMoment } from "../ui/format.ts";
import { summaryOf } from "./find-run.ts";
import { projectHere } from "./project.ts";

/** `ralph list`: the runs of this folder, newest last. */
export function listCommand(flags: { json?: boolean }): void {
  const project = projectHere();
  const runs = runsOf(stateRoot(process.env), project).map((run) => summaryOf(project, run));
  if (flags.json === true) {
    for (const run of runs) process.stdout.write(`${JSON.stringify(run)}\n`);
    return;
  }
  if (runs.length === 0) process.stdout.write('No run yet in this folder. Start one: ralph run -p "…"\n');
  for (const run of runs) process.stdout.write(`${line(run)}\n`);
}

function line(run: RunSummary): string {
  const began = formatMoment(run.startedAt, Date.now()).padEnd(19);
  const iterations = `${run.iterations}/${run.maxIterations}`.padStart(7);
  return `${run.id}  ${began}  ${wordOf(run).padEnd(11)} ${iterations}  ${cleanLine(run.task, 60, "…")}`;
}

/** How a run stands, in one word. */
export function wordOf(run: RunSummary): string {
  if (run.outcome !== undefined) return run.outcome.kind;
  return run.interrupted ? "interrupted" : "running";
}
