import { UserError } from "../errors.ts";
import { runFolder, stateRoot } from "../journal/paths.ts";
import { readJournal } from "../journal/read.ts";
import { runsOf } from "../journal/runs.ts";
import { iterationRecords, runTasks } from "../loop/task-records.ts";
import type { TaskList } from "../tasks/list.ts";
import { type IterationRecord, type TaskStats, taskStats } from "../tasks/stats.ts";
import { cleanLine } from "../ui/clean.ts";
import { count, formatMoney } from "../ui/format.ts";
import { loadList, oneLine, placeOf, rulesOf, type TaskFlags, type TaskPlace } from "./tasks-place.ts";

/** `ralph tasks stats`: what the reviews and iterations of the stories took, who hit the cap, and what that says. */
export function statsOfTasks(flags: TaskFlags & { readonly json?: boolean }): void {
  const rules = rulesOf(flags);
  const place = placeOf(flags);
  const list = loadList(place, rules);
  const { runs, records } = recordsOf(place, list);
  const stats = taskStats(list, records, rules);
  if (flags.json === true) {
    process.stdout.write(`${JSON.stringify({ ...stats, runs })}\n`);
    return;
  }
  say(`Stories: ${stats.finished} of ${stats.stories} done`);
  say(`Reviews of a story: ${stats.averageReviews.toFixed(1)} on average`);
  for (const { reviews, stories } of stats.distribution) {
    say(`  ${count(reviews, "review").padEnd(10)} ${"#".repeat(Math.min(stories, 50))} ${stories}`);
  }
  if (stats.capHits.length > 0) say(`Approved at the cap: ${cleanLine(stats.capHits.join(", "), 200, "…")}`);
  say(oneLine(stats.verdict));
  if (runs === 0) return;
  say("");
  say(
    `${count(stats.iterations, "iteration")} in ${count(runs, "run")} on this list, ${formatMoney(stats.costUsd)}:`,
  );
  for (const line of table(stats)) say(line);
}

/** The turns of every run here that worked on this very list: in the same folder and for the same branch. */
function recordsOf(
  { project, paths }: TaskPlace,
  { branchName }: TaskList,
): { readonly runs: number; readonly records: readonly IterationRecord[] } {
  const root = stateRoot(process.env);
  const found = runsOf(root, project).flatMap((id) => {
    try {
      const events = readJournal(runFolder(root, project, id).journal);
      const work = runTasks(events)?.work;
      return work?.dir === paths.dir && work.branch === branchName ? [iterationRecords(events)] : [];
    } catch (error) {
      // One that cannot be read does not hide the others.
      if (!(error instanceof UserError)) throw error;
      process.stderr.write(`${id}  ${error.what}: ${error.why}\n`);
      return [];
    }
  });
  return { runs: found.length, records: found.flat() };
}

const HEADER = ["story", "implement", "review", "review-fix", "cost"];

function table({ byStory, iterations, costUsd }: TaskStats): string[] {
  const told = byStory.reduce((sum, story) => sum + total(story.iterations), 0);
  const paid = byStory.reduce((sum, story) => sum + story.costUsd, 0);
  const sumOf = (mode: "implement" | "review" | "review-fix") =>
    String(byStory.reduce((sum, story) => sum + story.iterations[mode], 0));
  const rows = [
    HEADER,
    ...byStory.map((story) => [
      cleanLine(story.id, 20, "…"),
      String(story.iterations.implement),
      String(story.iterations.review),
      String(story.iterations["review-fix"]),
      formatMoney(story.costUsd),
    ]),
    ["total", sumOf("implement"), sumOf("review"), sumOf("review-fix"), formatMoney(paid)],
  ];
  const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("  "),
  );
  return told === iterations && costUsd - paid < 1e-9
    ? lines
    : [
        ...lines,
        `On stories that are not in the list any more: ${count(iterations - told, "iteration")}, ${formatMoney(costUsd - paid)}`,
      ];
}

function total(iterations: TaskStats["byStory"][number]["iterations"]): number {
  return Object.values(iterations).reduce((sum, times) => sum + times, 0);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
