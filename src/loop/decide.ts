import type { Claims, Outcome, Step } from "../events.ts";
import { checksWork, type RunSpec } from "../spec.ts";
import { nextTurn } from "./held.ts";
import { isCapped, promiseOf } from "./session-state.ts";
import { type LoopState, workedMs } from "./state.ts";
import { mustReopen } from "./task-state.ts";

/** The next step, from the state alone. Pure: a resumed run takes the same road as one that never stopped. */
export function decide(state: LoopState): Step {
  const { spec } = state;
  if (spec === undefined) return end({ kind: "failed", reason: "the run has no description" });
  if (state.fatal !== undefined) return end(state.fatal);
  // A stop request beats everything that could still be said about the work, proof included.
  if (state.stop !== undefined) return end({ kind: "stopped", reason: `stopped by ${state.stop}` });

  const { iteration } = state;
  switch (state.phase) {
    case "baseline":
      return { do: "judge", iteration: 0, round: 1, gate: state.verdicts.length };
    case "prompted":
      return { do: "run-agent", iteration };
    case "judging":
      return (
        awaitAnswer(state, spec) ?? {
          do: "judge",
          iteration,
          round: state.round,
          gate: state.verdicts.length,
        }
      );
    case "passed":
      return spec.scm === undefined
        ? conclude(state, spec)
        : (awaitAnswer(state, spec) ?? { do: "word-commit", iteration });
    case "worded":
      return {
        do: "commit",
        iteration,
        message: state.commitMessage,
        ...(state.commitHead === undefined ? {} : { head: state.commitHead }),
      };
    case "settled":
      return conclude(state, spec);
    case "ready":
      return goOn(state, spec);
    case "ended":
      return end(state.outcome ?? { kind: "failed", reason: "the run ended without an outcome" });
  }
}

/** The work waits for its judge, or for its commit message: another turn would cost money and prove nothing. */
function awaitAnswer({ answerHeld, nowMs, iteration }: LoopState, { limits }: RunSpec): Step | undefined {
  if (answerHeld === undefined) return undefined;
  const { untilMs, why, offline, times, from } = answerHeld;
  if (times > limits.waits) {
    const reason = `the ${from}'s service still holds it back after ${plural(limits.waits, "wait")}: ${why}`;
    return end({ kind: "waiting", reason });
  }
  if (untilMs <= nowMs) return undefined;
  const whom = from === "judge" ? { why: `the judge: ${why}`, whom: from } : { why };
  return { do: "wait", iteration, untilMs, ...whom, ...(offline ? { offline } : {}) };
}

/** The iteration is over: is the run? */
function conclude(state: LoopState, spec: RunSpec): Step {
  if (mustReopen(state, spec)) {
    const story = state.task?.story;
    return { do: "reopen-story", iteration: state.iteration, ...(story === undefined ? {} : { story }) };
  }
  const passed =
    state.verdicts.every((verdict) => verdict.pass) && state.verdicts.length === spec.gates.length;
  const claimed = claimsDone(state, spec);
  const proofs = spec.gates.filter(checksWork).length;
  // Criteria need no claim: met is met.
  const met = spec.claim.needed === false && proofs > 0;
  if (passed && (claimed || met)) {
    if (state.claims.done === true && !state.childrenSettled)
      return { do: "await-children", iteration: state.iteration };
    const said = claimed ? saidBy(state, spec) : "no claim is needed";
    if (proofs === 0) return end({ kind: "claimed", reason: `${said}; nothing was checked` });
    return end({ kind: "verified", reason: `${plural(proofs, "gate")} passed, ${said}` });
  }
  if (state.claims.wait !== undefined) {
    return end({ kind: "waiting", reason: `the agent waits for something outside (${state.claims.wait})` });
  }
  const needs = state.claims.blocked;
  if (needs !== undefined) return end({ kind: "waiting", reason: "the agent is blocked on a person", needs });
  if (state.onlyDenials) {
    return end({
      kind: "stuck",
      cause: "denied",
      reason: "the agent was denied every tool it asked for, so it cannot do the work",
    });
  }
  return goOn(state, spec);
}

function goOn(state: LoopState, spec: RunSpec): Step {
  // A last iteration needs no comparison: nothing would follow from it.
  if (state.compared !== undefined && state.iteration < spec.limits.iterations) {
    return { do: "judge-progress", iteration: state.iteration };
  }
  if (spec.limits.failures > 0 && state.failures >= spec.limits.failures) {
    const reason = `${plural(state.failures, "agent turn")} in a row failed; the last one: ${state.turnFailure ?? ""}`;
    return end({ kind: "stuck", cause: "failures", reason });
  }
  if (spec.limits.noProgress > 0 && state.noProgress >= spec.limits.noProgress) {
    const reason = `${plural(state.noProgress, "iteration")} in a row made no progress: nothing changed, or only the same failure came again`;
    return end({ kind: "stuck", cause: "no-progress", reason });
  }
  if (state.iteration >= spec.limits.iterations) {
    return end({ kind: "exhausted", limit: "iterations", reason: usedUp(spec) });
  }
  if (isCapped(state, spec)) {
    const reason = `the agent was told to go on ${plural(state.sentBack, "time")} in a row and used no tool, and its program allows no more`;
    return end({ kind: "waiting", reason, needs: "`ralph resume` goes on without the session" });
  }
  const { durationMs = 0 } = spec.limits;
  if (durationMs > 0 && workedMs(state) >= durationMs) {
    const reason = `its time is up (${describeDuration(durationMs)}) and the work is not proven done`;
    return end({ kind: "exhausted", limit: "duration", reason });
  }
  if (spec.restart.delayMs > 0 && !state.rested) {
    return { do: "pause", iteration: state.iteration, untilMs: state.turnEndedMs + spec.restart.delayMs };
  }
  return takeTurn(state, spec, state.iteration + 1);
}

/** The next turn, of whoever may have it; or a wait until somebody may. */
function takeTurn(state: LoopState, spec: RunSpec, iteration: number): Step {
  const next = nextTurn(state, spec);
  switch (next.kind) {
    case "turn": {
      if (next.agent === 0) return { do: "start-iteration", iteration };
      const heldUntilMs = state.held.find((hold) => hold.agent === 0)?.untilMs ?? state.nowMs;
      return { do: "start-iteration", iteration, agent: next.agent, heldUntilMs };
    }
    case "wait": {
      const { untilMs, why, offline } = next.hold;
      return { do: "wait", iteration, untilMs, why, ...(offline ? { offline } : {}) };
    }
    case "nobody": {
      const reason = `the agent's service still holds it back after ${plural(spec.limits.waits, "wait")}: ${next.why}`;
      return end({ kind: "waiting", reason });
    }
  }
}

function usedUp({ kind, limits }: RunSpec): string {
  if (kind === "supervise") return `max restarts exceeded (${limits.iterations})`;
  // The first turn of a session is its user's; what is counted is how often it was told to go on.
  if (kind === "session")
    return `told to go on ${plural(limits.iterations - 1, "time")}, and the work is not done`;
  return `${plural(limits.iterations, "iteration")} used and the work is not proven done`;
}

function saidBy({ claims, toolCalls }: LoopState, spec: RunSpec): string {
  const { done, tasks, promised }: Claims = claims;
  if (tasks === true) return `every story is finished${promised === true ? ", as the agent promised" : ""}`;
  const { promise = "" } = spec.claim;
  if (promise !== "") {
    const few = toolCalls < (spec.session?.minToolCalls ?? 0);
    return `promised <promise>${promise}</promise>${few ? ` with ${plural(toolCalls, "tool call")}` : ""}`;
  }
  return done === true ? "DONE is there" : `claimed <response>${spec.claim.response}</response>`;
}

/** Does the agent say that it is done? Compared without regard to case; an empty word in the settings never matches. */
function claimsDone(state: LoopState, spec: RunSpec): boolean {
  // Of a task list only the list itself says that it is done.
  if (spec.work.kind === "tasks") return state.claims.tasks === true;
  if (spec.claim.done && state.claims.done === true) return true;
  if ((spec.claim.promise ?? "") !== "") return promiseOf(state, spec) === "stands";
  const wanted = spec.claim.response.trim().toLowerCase();
  return wanted !== "" && state.claims.response?.trim().toLowerCase() === wanted;
}

function end(outcome: Outcome): Step {
  return { do: "end", outcome };
}

function describeDuration(ms: number): string {
  return ms % 60_000 === 0 ? plural(ms / 60_000, "minute") : plural(ms / 1000, "second");
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
