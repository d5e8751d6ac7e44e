import { completion } from "../tasks/complete.ts";
import { blockersOf } from "../tasks/dependencies.ts";
import { stateOf } from "../tasks/describe.ts";
import { selectStory } from "../tasks/select.ts";
import { estimateIterations } from "../tasks/stats.ts";
import { cleanLine } from "../ui/clean.ts";
import { count } from "../ui/format.ts";
import { loadList, placeOf, rulesOf, type TaskFlags } from "./tasks-place.ts";

/** `ralph tasks`: the stories with their state, their reviews and what blocks them. */
export function listTasks(flags: TaskFlags & { readonly json?: boolean }): void {
  const rules = rulesOf(flags);
  const list = loadList(placeOf(flags), rules);
  const blockers = blockersOf(list);
  const next = selectStory(list, rules);
  const isComplete = completion(list, { promised: false, skipReview: rules.skipReview }).kind === "complete";
  if (flags.json === true) {
    const { project, branchName, description, userStories } = list;
    const stories = userStories.map((story) => ({
      ...story,
      state: stateOf(story),
      blockedBy: story.passes ? [] : (blockers.get(story.id) ?? []),
    }));
    const chosen = next.kind === "story" ? { mode: next.mode, story: next.story.id } : null;
    const page = { project, branchName, description, complete: isComplete, next: chosen, stories };
    process.stdout.write(`${JSON.stringify(page)}\n`);
    return;
  }
  const ids = list.userStories.map(({ id }) => cleanLine(id, 20, "…"));
  const width = Math.max(...ids.map((id) => id.length));
  list.userStories.forEach((story, index) => {
    const waits = story.passes ? [] : (blockers.get(story.id) ?? []);
    const blocked = waits.length === 0 ? "" : `  (waits for ${cleanLine(waits.join(", "), 60, "…")})`;
    const reviews = count(story.reviewCount, "review").padEnd(10);
    say(
      `${(ids[index] ?? "").padEnd(width)}  ${stateOf(story).padEnd(18)}  ${reviews}  ${cleanLine(story.title, 60, "…")}${blocked}`,
    );
  });
  const done = list.userStories.filter(({ passes }) => passes).length;
  say(`${done} of ${list.userStories.length} stories done.`);
  if (next.kind === "story") {
    say(
      `Next: ${next.mode} ${cleanLine(next.story.id, 20, "…")}, about ${estimateIterations(list, rules)} iterations to go.`,
    );
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
