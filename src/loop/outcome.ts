import type { LoopEvent, Outcome, OutcomeKind } from "../events.ts";
import type { LoopState } from "./state.ts";

/** The exit code of each outcome. A fault of ours is 70 and is no outcome. */
export const EXIT_CODES: Readonly<Record<OutcomeKind, number>> = {
  verified: 0,
  claimed: 0,
  exhausted: 1,
  stuck: 1,
  failed: 2,
  waiting: 3,
  stopped: 130,
};

/** The last record of a run. Pure. */
export function endedEvent(
  { run, startedAtMs, iteration, usage }: LoopState,
  outcome: Outcome,
  at: number,
): Extract<LoopEvent, { type: "run.ended" }> {
  return {
    type: "run.ended",
    at,
    run,
    outcome,
    iterations: iteration,
    usage,
    costUsd: usage.costUsd,
    tokens: usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
    wallMs: Math.max(0, at - startedAtMs), // the clock may have been set back
  };
}

/** How a loop inside a session ended, in the words of spec 004. */
export function sessionStatus(outcome: Outcome): string {
  switch (outcome.kind) {
    case "verified":
    case "claimed":
      return "PROMISE_ACCEPTED";
    case "exhausted":
      return "MAX_ITERATIONS_REACHED";
    case "stopped":
      return "CANCELLED";
    default:
      return outcome.kind.toUpperCase();
  }
}
