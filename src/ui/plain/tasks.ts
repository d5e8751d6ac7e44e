import type { LoopEvent, TaskResult, TaskTurn } from "../../events.ts";
import type { RunSpec } from "../../spec.ts";
import { count } from "../format.ts";
import type { Page } from "./page.ts";

/** What there is to do, and whether the limit is likely to be enough. */
export function taskHeader(page: Page, { work, limits }: RunSpec): string[] {
  if (work.kind !== "tasks") return [];
  const { stories, open, iterations } = work.budget;
  const reviews = work.skipReview ? "no reviews" : `at most ${count(work.reviewCap, "review")} of each`;
  const more =
    iterations > limits.iterations
      ? [`${page.marks.warn} That may be more than the limit: give more with --max-iterations ${iterations}`]
      : [];
  return [
    `Task list ${page.word(work.dir, 80)}/tasks.json: ${open} of ${count(stories, "story", "stories")} to do, ${reviews}`,
    `Budget: about ${count(iterations, "iteration")} needed, at most ${limits.iterations}`,
    ...more,
  ];
}

const DOING = { implement: "Implement", review: "Review", "review-fix": "Review-fix" } as const;

/** What an iteration is for. */
export function showTask(page: Page, task: TaskTurn | undefined): void {
  if (task === undefined) return;
  const who = task.reviewer === true ? " (by the reviewer)" : "";
  page.status([
    `${page.marks.info} ${DOING[task.mode]} ${page.word(task.story, 100)}: ${page.word(task.title)}${who}`,
  ]);
}

/** What became of the list in a turn. */
export function showTaskResult(page: Page, result: TaskResult | undefined): void {
  if (result === undefined) return;
  const { marks, paint } = page;
  const left = result.unfinished === 0 ? "every story is finished" : `${result.unfinished} to go`;
  const lines = [
    ...(result.approved === undefined
      ? []
      : [`${marks.ok} ${paint.good(`Story ${page.word(result.approved, 100)} is finished,`)} ${left}`]),
    ...(result.capped ?? []).map(
      (id) =>
        `${marks.warn} ${paint.warn(`Story ${page.word(id, 100)} was approved because its reviews were used up:`)} look at it yourself`,
    ),
    ...result.notes.map((note) => `${marks.warn} ${paint.warn("Task list:")} ${page.word(note, 1000)}`),
    ...(result.aside === undefined ? [] : [`   What was undone is kept in ${page.word(result.aside, 1000)}`]),
  ];
  if (lines.length > 0) page.status(lines);
}

/** A story that is open again. */
export function showReopened(page: Page, event: Extract<LoopEvent, { type: "story.reopened" }>): void {
  const { marks, paint } = page;
  const what = paint.warn(`Story ${page.word(event.story, 100)} is open again:`);
  page.status([`${marks.again} ${what} it was finished, and checks fail`]);
}
