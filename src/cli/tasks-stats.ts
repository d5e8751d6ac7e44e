import { taskStats } from "../tasks/stats.ts";
import { cleanLine } from "../ui/clean.ts";
import { count } from "../ui/format.ts";
import { loadList, oneLine, placeOf, rulesOf, type TaskFlags } from "./tasks-place.ts";

/** `ralph tasks stats`: how many reviews the stories took, who hit the cap, and what that says. */
export function statsOfTasks(flags: TaskFlags & { readonly json?: boolean }): void {
  const rules = rulesOf(flags);
  const stats = taskStats(loadList(placeOf(flags), rules), [], rules);
  if (flags.json === true) {
    process.stdout.write(`${JSON.stringify(stats)}\n`);
    return;
  }
  say(`Stories: ${stats.finished} of ${stats.stories} done`);
  say(`Reviews of a story: ${stats.averageReviews.toFixed(1)} on average`);
  for (const { reviews, stories } of stats.distribution) {
    say(`  ${count(reviews, "review").padEnd(10)} ${"#".repeat(Math.min(stories, 50))} ${stories}`);
  }
  if (stats.capHits.length > 0) say(`Approved at the cap: ${cleanLine(stats.capHits.join(", "), 200, "…")}`);
  say(oneLine(stats.verdict));
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
