/** The words of a task list: plain data, read from `tasks.json` by schema.ts. */
import type { TaskMode } from "../spec.ts";

/** Where a story stands in its review cycle; null until it was handed in for the first time. */
export type ReviewStatus = "needs_review" | "changes_requested" | "approved" | null;

/** What an iteration is for. */
export type Mode = TaskMode;

/** The fields of a story that only a legal transition may change. */
export interface ReviewFields {
  readonly passes: boolean;
  readonly reviewStatus: ReviewStatus;
  readonly reviewCount: number;
}

/** One piece of work that fits into one iteration. */
export interface Story extends ReviewFields {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly acceptanceCriteria: readonly string[];
  /** 1 is the highest. */
  readonly priority: number;
  readonly reviewFeedback: string;
  readonly notes: string;
  readonly dependsOn: readonly string[];
}

/** What `tasks.json` holds. Keys that ralph does not know are kept. */
export interface TaskList {
  readonly project: string;
  readonly branchName: string;
  readonly description: string;
  readonly verifyCommands: readonly string[];
  readonly userStories: readonly Story[];
}

/** How a list is to be judged. */
export interface ReviewRules {
  /** No review cycle: implementing iterations set `passes` themselves. */
  readonly skipReview: boolean;
  /** So many reviews of one story are enough. */
  readonly reviewCap: number;
}

/** The rules when nobody says otherwise. */
export const DEFAULT_RULES: ReviewRules = { skipReview: false, reviewCap: 5 };

/** One thing that is wrong, and where: `userStories[0].passes`. */
export interface Fault {
  readonly path: string;
  readonly message: string;
}

/** Is there nothing to read in this text? */
export function isBlank(text: string): boolean {
  return text.trim() === "";
}
