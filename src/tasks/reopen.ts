import { isFinished } from "./complete.ts";
import type { ReviewRules, Story, TaskList } from "./list.ts";

/**
 * Opens a finished story again because checks failed: the one that was named, or the last that is finished. Only ralph does this,
 * on the list that it trusts. Undefined when no story is finished.
 */
export function reopen(
  list: TaskList,
  wish: { readonly story: string | undefined; readonly why: string },
  rules: Pick<ReviewRules, "skipReview">,
): { readonly list: TaskList; readonly story: string } | undefined {
  const finished = list.userStories.filter((story) => isFinished(story, rules.skipReview));
  const chosen = finished.find(({ id }) => id === wish.story) ?? finished.at(-1);
  if (chosen === undefined) return undefined;
  const opened: Story = rules.skipReview
    ? { ...chosen, passes: false }
    : { ...chosen, passes: false, reviewStatus: "changes_requested", reviewFeedback: wish.why };
  const userStories = list.userStories.map((story) => (story.id === chosen.id ? opened : story));
  return { list: { ...list, userStories }, story: chosen.id };
}
