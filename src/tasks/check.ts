import type { Active } from "./active.ts";
import { dependencyFaults } from "./dependencies.ts";
import { invariantFaults } from "./invariants.ts";
import type { Fault, ReviewRules, TaskList } from "./list.ts";
import { parseList } from "./schema.ts";
import { missingVerdict, reviewFaults } from "./transitions.ts";

/** What is wrong with a list, and what could not be looked at. */
export interface Checked {
  readonly faults: readonly Fault[];
  readonly warnings: readonly string[];
  /** The list, when it has the right shape. */
  readonly list?: TaskList;
}

/** Checks 1 and 2 and the dependencies: whether a list can be worked on at all. */
export function checkList(json: string, rules: ReviewRules): Checked {
  const parsed = parseList(json);
  if (!parsed.ok) return { faults: parsed.faults, warnings: [] };
  const { list } = parsed;
  return { list, warnings: [], faults: [...invariantFaults(list, rules), ...dependencyFaults(list)] };
}

/** Checks 1, 2 and 2.5 at the end of an iteration, as a hook makes them: the marker is all that it knows of what was before. */
export function checkStop(json: string, active: Active): Checked {
  const checked = checkList(json, active);
  const { list } = checked;
  if (list === undefined || active.skipReview) return checked;
  const { iterationMode: mode, preIterationSnapshot: snapshot } = active;
  if (mode === undefined || snapshot === undefined) {
    return {
      ...checked,
      warnings: ["There is no snapshot of the list before this iteration: its transitions were not checked."],
    };
  }
  const before = new Map(Object.entries(snapshot));
  const iteration = { mode, skipReview: false };
  const moves = reviewFaults(before, list.userStories, iteration);
  const missing = missingVerdict(before, list.userStories, iteration);
  return {
    ...checked,
    faults: [
      ...checked.faults,
      ...moves,
      ...(missing === undefined || moves.length > 0 ? [] : [{ path: "userStories", message: missing }]),
    ],
  };
}
