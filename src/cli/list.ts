import { UserError } from "../errors.ts";
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
  const runs = runsOf(stateRoot(process.env), project);
  for (const id of runs) {
    try {
      const run = summaryOf(project, id);
      process.stdout.write(`${flags.json === true ? JSON.stringify(run) : line(run)}\n`);
    } catch (error) {
      // One that cannot be read does not hide the others.
      if (!(error instanceof UserError)) throw error;
      process.stderr.write(`${id}  ${error.what}: ${error.why}\n`);
    }
  }
  if (runs.length === 0 && flags.json !== true) {
    process.stdout.write('No run yet in this folder. Start one: ralph run -p "…"\n');
  }
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
