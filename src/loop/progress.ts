import type { Verdict } from "../events.ts";
import type { LoopState, Measure } from "./state.ts";

/**
 * Did this iteration get anywhere? It did when the tree changed and it did not just repeat the same failure. What cannot be
 * measured counts as progress: a run is not ended on a guess. Pure.
 */
export function withProgress(state: LoopState): LoopState {
  if (state.turnTree === undefined) return state;
  const measured: Measure = { tree: state.turnTree, ...failureOf(state.verdicts) };
  const before = state.measured;
  if (before === undefined) return { ...state, measured };
  const repeated =
    measured.failure !== "" && measured.failure === before.failure && measured.errors === before.errors;
  const moved = measured.tree !== before.tree && !repeated;
  return { ...state, measured, noProgress: moved ? 0 : state.noProgress + 1 };
}

function failureOf(verdicts: readonly Verdict[]): Pick<Measure, "failure" | "errors"> {
  const failed = verdicts.flatMap((verdict, gate) =>
    verdict.pass ? [] : [{ gate, output: verdict.output }],
  );
  return {
    // Times and counts differ from run to run; what remains tells one failure from another.
    failure: failed.map(({ gate, output }) => `${gate}:${output.replace(/\d+/g, "#")}`).join("\n"),
    errors: failed.reduce((sum, { output }) => sum + (output.match(/\b(?:error|fail)/gi)?.length ?? 0), 0),
  };
}
