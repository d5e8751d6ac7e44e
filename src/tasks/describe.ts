import { isCapHit } from "./cap.ts";
import { isFinished } from "./complete.ts";
import { layersOf } from "./dependencies.ts";
import type { ReviewRules, Story, TaskList } from "./list.ts";
import { taskStats } from "./stats.ts";

/** Where a story stands, in words. */
export function stateOf(story: Story): string {
  if (isCapHit(story)) return "approved at cap";
  switch (story.reviewStatus) {
    case "approved":
      return "approved";
    case "needs_review":
      return "needs review";
    case "changes_requested":
      return "changes requested";
    case null:
      return story.passes ? "done, not reviewed" : "to do";
  }
}

/** The order of the stories as a Mermaid graph. Names are escaped: a title is anybody's text. */
export function mermaid(list: TaskList): string {
  const number = new Map(list.userStories.map(({ id }, index) => [id, index]));
  const nodes = list.userStories.map(
    ({ id, title, passes }, index) => `  s${index}["${label(`${id}: ${title}`)}"]${passes ? ":::done" : ""}`,
  );
  const arrows = list.userStories.flatMap(({ dependsOn }, index) =>
    [...new Set(dependsOn)].flatMap((id) => {
      const from = number.get(id);
      return from === undefined ? [] : [`  s${from} --> s${index}`];
    }),
  );
  return ["graph TD", ...nodes, ...arrows, "  classDef done fill:#cfc,stroke:#393"].join("\n");
}

/** The layers of the list: what can be done first, what after that. */
export function layers(list: TaskList): { readonly layer: number; readonly story: Story }[] {
  return layersOf(list.userStories).flatMap((stories, index) =>
    stories.map((story) => ({ layer: index + 1, story })),
  );
}

/** The page that an archived list begins with. */
export function summaryPage(
  list: TaskList,
  rules: ReviewRules,
  { from, to }: { readonly from: string | undefined; readonly to: string },
): string {
  const stats = taskStats(list, [], rules);
  const rows = list.userStories.map(
    (story) =>
      `| ${cell(story.id)} | ${cell(story.title)} | ${isFinished(story, rules.skipReview) ? "yes" : "no"} | ${stateOf(story)} | ${story.reviewCount} |`,
  );
  const concerns = list.userStories.filter(isCapHit);
  return [
    `# ${cell(list.project) || "Task list"}`,
    "",
    ...(list.description === "" ? [] : [cell(list.description), ""]),
    `- Stories completed: ${stats.finished} of ${stats.stories}`,
    `- Dates: ${cell(from ?? "unknown")} to ${to}`,
    `- Branch: ${cell(list.branchName)}`,
    `- Reviews: ${list.userStories.reduce((sum, { reviewCount }) => sum + reviewCount, 0)}. ${cell(stats.verdict)}`,
    "",
    "| Story | Title | Completed | State | Reviews |",
    "|---|---|---|---|---|",
    ...rows,
    "",
    ...concerns.flatMap(({ id, reviewFeedback }) => [`- ${cell(id)}: ${cell(reviewFeedback)}`, ""]),
  ].join("\n");
}

/** Text that stays in its cell: on one line, and nothing in it is markup. */
function cell(text: string): string {
  return text
    .replace(/[\u0000-\u001f\u007f\s]+/g, " ")
    .trim()
    .replace(/[\\|`*_[\]<>&#]/g, (char) => `&#${char.charCodeAt(0)};`);
}

function label(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.replace(/[^\p{L}\p{N}\p{M} .,:_()/-]/gu, (char) => `#${char.codePointAt(0)};`);
}
