import { blockersOf, dependencyFaults } from "./dependencies.ts";
import type { Fault, Mode, Story, TaskList } from "./list.ts";

/** What the next iteration is for. */
export type Selection =
  | { readonly kind: "story"; readonly mode: Mode; readonly story: Story }
  /** Every story is finished, or there is none. */
  | { readonly kind: "nothing" }
  /** The list cannot be ordered, and only its author can say what was meant. */
  | { readonly kind: "faulty"; readonly faults: readonly Fault[] };

/** The mode and the story of the next iteration: fixes first, then reviews, then new work. The same list gives the same answer. */
export function selectStory(list: TaskList, rules: { readonly skipReview: boolean }): Selection {
  const faults = dependencyFaults(list);
  if (faults.length > 0) return { kind: "faulty", faults };
  const open = inOrder(list.userStories).filter(({ passes }) => !passes);
  const blockers = blockersOf(list);
  const isFree = ({ id }: Story) => blockers.get(id)?.length === 0;
  const pick = (mode: Mode, story: Story | undefined): Selection | undefined =>
    story === undefined ? undefined : { kind: "story", mode, story };
  if (rules.skipReview) return pick("implement", open.find(isFree)) ?? { kind: "nothing" };
  return (
    pick(
      "review-fix",
      open.find(({ reviewStatus }) => reviewStatus === "changes_requested"),
    ) ??
    pick(
      "review",
      open.find(({ reviewStatus }) => reviewStatus === "needs_review"),
    ) ??
    pick(
      "implement",
      open.find((story) => story.reviewStatus === null && isFree(story)),
    ) ?? { kind: "nothing" }
  );
}

/** Priority 1 first; of equal ones the first in the file. */
function inOrder(stories: readonly Story[]): Story[] {
  return stories.toSorted((one, other) => one.priority - other.priority);
}
