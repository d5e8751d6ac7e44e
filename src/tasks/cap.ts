import { isBlank, type ReviewRules, type Story, type TaskList } from "./list.ts";

/** What stands before the remaining concerns of a story that was approved because its reviews were used up. */
export const CAP_MARK = "[AUTO-APPROVED AT CAP]";

/** Was this story approved because its reviews were used up? */
export function isCapHit(story: Story): boolean {
  return story.reviewStatus === "approved" && story.reviewFeedback.trimStart().startsWith(CAP_MARK);
}

/**
 * Approves what the last review that the cap allows still found fault with: more reviews would not help, a person may. The same
 * for what is handed in when no review is left, because failing checks had opened it again. Only stories that moved since
 * `before`: one that was opened again waits for its fix. Only ralph does this, on the list that it trusts.
 */
export function approveAtCap(
  before: TaskList,
  list: TaskList,
  rules: ReviewRules,
): { readonly list: TaskList; readonly approved: readonly string[] } {
  if (rules.skipReview) return { list, approved: [] };
  const was = new Map(before.userStories.map((story) => [story.id, story]));
  const isDue = (story: Story) => {
    const isUsedUp = story.reviewCount >= Math.max(1, rules.reviewCap);
    const isOpen = story.reviewStatus === "changes_requested" || story.reviewStatus === "needs_review";
    return isUsedUp && isOpen && was.get(story.id)?.reviewStatus !== story.reviewStatus;
  };
  const approved = list.userStories.filter(isDue).map(({ id }) => id);
  if (approved.length === 0) return { list, approved };
  return {
    approved,
    list: { ...list, userStories: list.userStories.map((story) => (isDue(story) ? approve(story) : story)) },
  };
}

function approve(story: Story): Story {
  const { notes, reviewStatus } = story;
  const reviewFeedback =
    reviewStatus === "needs_review"
      ? "The last change was not reviewed: no review was left."
      : story.reviewFeedback;
  return {
    ...story,
    passes: true,
    reviewStatus: "approved",
    reviewFeedback: reviewFeedback.trimStart().startsWith(CAP_MARK)
      ? reviewFeedback
      : `${CAP_MARK} ${reviewFeedback}`,
    notes: isBlank(notes) ? "Approved by ralph at the review cap: see reviewFeedback." : notes,
  };
}

/** Why a run cannot begin with this cap: an open story has had more reviews already. Undefined when it can. */
export function overCap(list: TaskList, { skipReview, reviewCap }: ReviewRules): string | undefined {
  const over = list.userStories.find(({ passes, reviewCount }) => !passes && reviewCount > reviewCap);
  if (over === undefined || skipReview) return undefined;
  const { id, reviewCount } = over;
  return `story ${id} had ${reviewCount} reviews already; --review-cap ${reviewCount} or more lets it go on`;
}
