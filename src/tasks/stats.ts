import { isCapHit } from "./cap.ts";
import { isFinished } from "./complete.ts";
import type { Mode, ReviewRules, TaskList } from "./list.ts";

/** One iteration of a run, as its journal tells it. */
export interface IterationRecord {
  readonly story: string;
  readonly mode: Mode;
  readonly costUsd: number;
  /** It cost something, and was had again: no iteration was used up. */
  readonly uncharged?: boolean;
}

/** What a story took. */
export interface StoryStats {
  readonly id: string;
  readonly title: string;
  readonly finished: boolean;
  readonly reviews: number;
  readonly capHit: boolean;
  readonly iterations: Readonly<Record<Mode, number>>;
  readonly costUsd: number;
}

/** What the review cycle took, and whether it was worth it. */
export interface TaskStats {
  readonly stories: number;
  readonly finished: number;
  /** How many stories had so many reviews, fewest first. */
  readonly distribution: readonly { readonly reviews: number; readonly stories: number }[];
  readonly averageReviews: number;
  readonly capHits: readonly string[];
  readonly byStory: readonly StoryStats[];
  readonly iterations: number;
  readonly costUsd: number;
  readonly verdict: string;
}

/** How many iterations a story usually takes: implement, review, and a fix every now and then. */
const USUAL_ITERATIONS = 3;

/** Counts what the reviews of a list were good for; `records` tell of iterations and cost. */
export function taskStats(
  list: TaskList,
  records: readonly IterationRecord[],
  rules: ReviewRules,
): TaskStats {
  const byStory = list.userStories.map((story): StoryStats => {
    const own = records.filter((record) => record.story === story.id);
    const countOf = (mode: Mode) => charged(own).filter((record) => record.mode === mode).length;
    return {
      id: story.id,
      title: story.title,
      finished: isFinished(story, rules.skipReview),
      reviews: story.reviewCount,
      capHit: isCapHit(story),
      iterations: {
        implement: countOf("implement"),
        review: countOf("review"),
        "review-fix": countOf("review-fix"),
      },
      costUsd: own.reduce((sum, { costUsd }) => sum + costUsd, 0),
    };
  });
  const reviews = byStory.map((story) => story.reviews);
  const counts = [...new Set(reviews)].sort((one, other) => one - other);
  const capHits = byStory.filter(({ capHit }) => capHit).map(({ id }) => id);
  return {
    stories: byStory.length,
    finished: byStory.filter(({ finished }) => finished).length,
    distribution: counts.map((count) => ({
      reviews: count,
      stories: reviews.filter((one) => one === count).length,
    })),
    averageReviews: byStory.length === 0 ? 0 : reviews.reduce((sum, one) => sum + one, 0) / byStory.length,
    capHits,
    byStory,
    iterations: charged(records).length,
    costUsd: records.reduce((sum, { costUsd }) => sum + costUsd, 0),
    verdict: verdictOf(byStory, capHits),
  };
}

function charged(records: readonly IterationRecord[]): readonly IterationRecord[] {
  return records.filter(({ uncharged }) => uncharged !== true);
}

/** How many iterations the rest of the list may take. A guess, to be set beside the limit. */
export function estimateIterations(list: TaskList, rules: { readonly skipReview: boolean }): number {
  const open = list.userStories.filter((story) => !isFinished(story, rules.skipReview)).length;
  return open * (rules.skipReview ? 1 : USUAL_ITERATIONS);
}

function verdictOf(stories: readonly StoryStats[], capHits: readonly string[]): string {
  const reviewed = stories.filter(({ finished, reviews }) => finished && reviews > 0);
  if (capHits.length > 0) return `Look at ${capHits.join(", ")} yourself: the reviews were used up.`;
  if (reviewed.length === 0) return "No story has been through its reviews yet.";
  const often = reviewed.filter(({ reviews }) => reviews >= 3).length;
  if (often * 3 >= reviewed.length)
    return "Many stories needed three reviews or more: they find real faults.";
  const once = reviewed.filter(({ reviews }) => reviews === 1).length;
  if (once * 2 > reviewed.length) return "Most stories passed their first review: the cycle costs little.";
  return "Some stories needed a second review.";
}
