import type { Story, TaskList } from "./list.ts";

/** Whether the work is done, and what says so. */
export type Completion =
  | { readonly kind: "complete"; readonly by: "promise and list" | "list alone" }
  /** The agent promised it, and the list says otherwise. */
  | { readonly kind: "false promise"; readonly unfinished: readonly string[] }
  | { readonly kind: "open"; readonly unfinished: readonly string[] };

/** A promise counts only with the list, and the list counts without a promise: agents forget the tag. An empty list is not done. */
export function completion(
  list: TaskList,
  { promised, skipReview }: { readonly promised: boolean; readonly skipReview: boolean },
): Completion {
  const unfinished = list.userStories.filter((story) => !isFinished(story, skipReview)).map(({ id }) => id);
  if (unfinished.length === 0 && list.userStories.length > 0) {
    return { kind: "complete", by: promised ? "promise and list" : "list alone" };
  }
  return { kind: promised ? "false promise" : "open", unfinished };
}

/** Is nothing left to do for this story? */
export function isFinished(story: Story, skipReview: boolean): boolean {
  return story.passes && (skipReview || story.reviewStatus === "approved");
}
