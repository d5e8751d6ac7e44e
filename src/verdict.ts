/** What a gate found, and what its judge said. This file imports nothing. */

/** What a judge found, in the words of spec 000. */
export interface SuccessJudgment {
  readonly success: boolean;
  readonly reason: string;
  readonly suggestions?: readonly string[];
}

/** What a gate found. `output` is what the next prompt may quote: already cut to the run's limit. */
export interface Verdict {
  readonly pass: boolean;
  readonly exitCode: number | null;
  readonly wallMs: number;
  readonly logPath: string;
  readonly output: string;
  readonly truncated: boolean;
  /** Set when it failed for another cause than its exit code (time limit, could not start, changed the tree). */
  readonly reason?: string;
  /** What the judge said, where one was asked. A failing exit code is never overruled by it. */
  readonly judgment?: SuccessJudgment;
  /** The judge could not be asked: this says nothing about the work. */
  readonly unjudged?: boolean;
  /** It failed, was run once more because it is marked flaky, and passed. */
  readonly passedOnRetry?: boolean;
  /** Why it was not run. It did not pass then, and there is nothing to tell the agent about it. */
  readonly skipped?: string;
  /** What whoever trusts the verdict should know. */
  readonly warnings?: readonly string[];
  /** All that it wrote, for the receipt. */
  readonly whole?: WholeOutput;
}

/** An output by its hash, and its last lines without their secrets. */
export interface WholeOutput {
  readonly sha256: string;
  readonly bytes: number;
  readonly tail: string;
}
