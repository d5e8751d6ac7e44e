/** What happens to a task list in the iterations of a run. Imports only types. */
import type { TaskMode } from "./spec.ts";

/** What an iteration on a task list is for, and what of the project's files is believed before it: each by its SHA-256. */
export interface TaskTurn {
  readonly mode: TaskMode;
  readonly story: string;
  readonly title: string;
  readonly list: string;
  readonly prd?: string;
  readonly prompt?: string;
  /** The snapshot of the moment before, which a review is compared with. */
  readonly before?: string;
  /** The commit that stood there before a review: what comes after it is the review's. */
  readonly head?: string;
  /** Somebody else than the implementing agent has the turn. */
  readonly reviewer?: boolean;
}

/** What became of the task list in a turn. */
export interface TaskResult {
  /** The list that is believed from now on. */
  readonly list: string;
  readonly unfinished: number;
  /** The story that was finished. */
  readonly approved?: string;
  /** Stories that were approved because their reviews were used up. */
  readonly capped?: readonly string[];
  /** What the agent is told: what was not allowed and was undone, what is missing. */
  readonly notes: readonly string[];
  /** Files that ralph put back, relative to the project. */
  readonly putBack?: readonly string[];
  /** Where what was undone can be read. */
  readonly aside?: string;
}
