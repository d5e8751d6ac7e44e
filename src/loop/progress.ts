import type { Verdict } from "../events.ts";
import type { Feedback, LoopState, Measure } from "./state.ts";

/**
 * Did this iteration get anywhere? It did when the tree changed and it did not just repeat the same failure. What cannot be
 * measured counts as progress: a run is not ended on a guess. Pure.
 */
export function withProgress(state: LoopState, before: readonly Feedback[] = []): LoopState {
  // A judge that could not be asked tells nothing about the work: it is as if the iteration had not been measured.
  if (state.turnTree === undefined || state.verdicts.some((verdict) => verdict.unjudged === true))
    return state;
  const measured: Measure = { tree: state.turnTree, ...failureOf(state.verdicts) };
  const earlier = state.measured;
  if (earlier === undefined) return { ...state, measured };
  const repeated =
    measured.failure !== "" && measured.failure === earlier.failure && measured.errors === earlier.errors;
  const moved = measured.tree !== earlier.tree && !repeated && !state.onlyLogged;
  if (!moved) return { ...state, measured, noProgress: state.noProgress + 1 };
  const { noProgress } = state;
  const isJudged = state.spec?.judge?.progress === true && state.spec.limits.noProgress > 0;
  // Only what the measure takes for progress is left for a judge to doubt, and only against a result to compare it with.
  const compared =
    isJudged && measured.failure !== "" && before.length > 0 && state.iteration > 1
      ? { compared: { feedback: before, tree: earlier.tree, noProgress } }
      : {};
  return { ...state, measured, noProgress: 0, ...compared };
}

/** The judge has compared: what it takes for no progress counts as none. One that was not understood changes nothing. Pure. */
export function withJudgedProgress(state: LoopState, progress: boolean | undefined): LoopState {
  const { compared, ...rest } = state;
  if (compared === undefined || progress !== false) return rest;
  return { ...rest, noProgress: compared.noProgress + 1 };
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
