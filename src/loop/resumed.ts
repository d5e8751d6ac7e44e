import type { RunSpec } from "../spec.ts";
import type { EventOf, LoopState } from "./state.ts";
import { resumedTasks } from "./task-state.ts";

/**
 * A crash leaves everything as it was: the same step is decided again. A run that was stopped, or that failed for a cause
 * outside, goes on where it was; one that ended because of what it had found starts its next iteration. Whoever resumes a run
 * that had ended gives it a clean slate for what it counts.
 */
export function resumed(state: LoopState, event: EventOf<"run.resumed">): LoopState {
  const { stop: _stop, fatal: _fatal, outcome, phaseBefore, compared, answerHeld: waiting, ...rest } = state;
  const hadEnded = state.phase === "ended";
  const goesOn =
    !hadEnded || outcome?.kind === "stopped" || outcome?.kind === "failed" || waiting !== undefined;
  const pending = goesOn && compared !== undefined ? { compared } : {};
  const phase = hadEnded ? ((goesOn ? phaseBefore : undefined) ?? "ready") : state.phase;
  const counts = hadEnded ? { failures: 0, noProgress: 0, countFromMs: event.at, waitedMs: 0 } : {};
  // A clock that was set back since would make what is left of a wait longer than the whole.
  const backMs = Math.max(0, state.turnEndedMs - event.at);
  const turnEndedMs = state.turnEndedMs - backMs;
  const held = goesOn ? state.held.map((hold) => ({ ...hold, untilMs: hold.untilMs - backMs })) : [];
  const spec = state.spec === undefined ? {} : { spec: changedBy(state.spec, event) };
  const next: LoopState = {
    ...rest,
    ...spec,
    ...pending,
    ...meansOf(event),
    ...counts,
    turnEndedMs,
    held,
    ...(waiting === undefined || outcome?.kind === "waiting"
      ? {}
      : { answerHeld: { ...waiting, untilMs: waiting.untilMs - backMs } }),
    phase,
    inSession: false,
    sentBack: 0,
  };
  return hadEnded ? resumedTasks(next, phaseBefore ?? "ready") : next;
}

/** Whoever resumes a run may allow it more iterations, and another fence. */
function changedBy(spec: RunSpec, { iterations, sandbox }: EventOf<"run.resumed">): RunSpec {
  return {
    ...spec,
    ...(iterations === undefined ? {} : { limits: { ...spec.limits, iterations } }),
    ...(sandbox === undefined ? {} : { sandbox }),
  };
}

/** What holds the processes together, where it is told. */
export function meansOf({ means }: { means?: string }): { means?: string } {
  return means === undefined ? {} : { means };
}
