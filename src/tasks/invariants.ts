import { type Fault, isBlank, type ReviewRules, type Story, type TaskList } from "./list.ts";

/** Check 2: what must hold of a list at any time, whoever wrote it. Nothing of it holds without a review cycle. */
export function invariantFaults(list: TaskList, rules: ReviewRules): Fault[] {
  if (rules.skipReview) return [];
  return list.userStories.flatMap((story, index) =>
    [...storyFaults(story, rules.reviewCap)].map(([field, message]) => ({
      path: `userStories[${index}].${field}`,
      message,
    })),
  );
}

function* storyFaults(story: Story, cap: number): Generator<[field: keyof Story, message: string]> {
  const { id, passes, reviewStatus, reviewCount } = story;
  if (passes && reviewStatus !== "approved") {
    yield [
      "passes",
      `Story ${id} has passes=true but reviewStatus is '${reviewStatus}', not 'approved'. Only review iterations may approve stories. Set passes back to false or complete the review cycle.`,
    ];
  }
  if (!passes && reviewStatus === "approved") {
    yield [
      "reviewStatus",
      `Story ${id} has reviewStatus 'approved' but passes=false: they are out of sync. An approved story has passes=true.`,
    ];
  }
  if (reviewStatus === "changes_requested" && isBlank(story.reviewFeedback)) {
    yield [
      "reviewFeedback",
      `Story ${id} has reviewStatus 'changes_requested' but an empty reviewFeedback: feedback required. Say what needs fixing.`,
    ];
  }
  if (reviewCount > cap + 1) {
    yield [
      "reviewCount",
      `Story ${id} has reviewCount ${reviewCount}, which is more than the review cap of ${cap} allows. Mend the list, or raise --review-cap.`,
    ];
  }
}
