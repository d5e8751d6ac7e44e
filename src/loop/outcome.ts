import type { OutcomeKind } from "../events.ts";

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
