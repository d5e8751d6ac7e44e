import type { LoopEvent, Usage, Verdict } from "../events.ts";
import { answerHeld, heldAfter } from "./held.ts";
import { describeEnding, isWaitable, MAX_ROUNDS } from "./limits.ts";
import { withJudgedProgress, withProgress } from "./progress.ts";
import { meansOf, resumed } from "./resumed.ts";
import { lacksPromise, withSessionTurn } from "./session-state.ts";
import type { EventOf, Feedback, LoopState } from "./state.ts";
import { foundDone, greenWith, MOST_EMPTIES, withReopened, withTask, withTaskResult } from "./task-state.ts";

/** Folds one fact into the state. Pure; an event that does not belong to a started run changes nothing. */
export function evolve(before: LoopState, event: LoopEvent): LoopState {
  if (before.phase === "ended" && event.type !== "run.resumed") return before;
  const state: LoopState = { ...before, nowMs: event.at };
  switch (event.type) {
    case "run.started":
      return started(state, event);
    case "iteration.started":
      return begun(state, event);
    case "agent.started":
      return { ...state, process: event.process };
    case "agent.exited":
      return exited(state, event);
    case "gate.judged":
      return judged(state, event);
    case "answer.held":
      return { ...state, usage: addUsage(state.usage, event.usage), ...answerHeld(state, event) };
    case "progress.judged":
      return withJudgedProgress({ ...state, usage: addUsage(state.usage, event.usage) }, event.progress);
    case "commit.intended":
      return worded(state, event);
    case "committed":
      return committed(state, event);
    case "waited":
      // A wait for a service needs no more than its time: who is held back until when is known. It was waited out, also when
      // the clock was set back meanwhile.
      return event.pause === true
        ? { ...state, ...pausedSince(before, event), rested: true }
        : { ...state, ...pausedSince(before, event), nowMs: Math.max(state.nowMs, event.untilMs) };
    case "done.found":
      return claimedDone({ ...foundDone(state, event), verdicts: [], round: 1 });
    case "story.reopened":
      return withReopened(state, event);
    case "children.settled":
      return { ...state, childrenSettled: true };
    case "run.resumed":
      return resumed({ ...state, ...pausedSince(before, event) }, event);
    case "stop.requested":
      return { ...state, stop: state.stop ?? event.by };
    case "run.faulted":
      return { ...state, fatal: { kind: "failed", reason: `${event.what}: ${event.why}`, fix: event.fix } };
    case "run.ended":
      return { ...state, phase: "ended", phaseBefore: state.phase, outcome: event.outcome };
  }
}

/** Time in which nobody worked is not counted. */
function pausedSince(before: LoopState, event: LoopEvent): Pick<LoopState, "waitedMs"> {
  return { waitedMs: before.waitedMs + Math.max(0, event.at - before.nowMs) };
}

function started(state: LoopState, event: EventOf<"run.started">): LoopState {
  const withBaseline = event.spec.baseline && event.spec.gates.length > 0;
  return {
    ...state,
    run: event.run,
    spec: event.spec,
    startedAtMs: event.at,
    countFromMs: event.at,
    ...meansOf(event),
    phase: withBaseline ? "baseline" : "ready",
    inSession: event.spec.session !== undefined,
  };
}

function begun(state: LoopState, event: EventOf<"iteration.started">): LoopState {
  const { turnTree: _old, compared: _compared, ...rest } = omitTree(state);
  const first = event.tree === undefined ? {} : { measured: { tree: event.tree, failure: "", errors: 0 } };
  return {
    ...withTask(rest, event),
    ...first,
    phase: "prompted",
    iteration: event.iteration,
    agent: event.agent ?? 0,
    sentBack: state.inSession && event.iteration > 1 ? state.sentBack + 1 : 0,
    round: 1,
    verdicts: [],
    claims: {},
  };
}

function exited(state: LoopState, event: EventOf<"agent.exited">): LoopState {
  const { process: _gone, turnFailure, ...rest } = withTaskResult(state, event);
  const after: LoopState = {
    ...rest,
    usage: addUsage(state.usage, event.usage),
    held: heldAfter(state, event),
    ...withSessionTurn(state, event),
    onlyDenials: event.denials > 0 && event.toolCalls <= event.denials,
    rested: false,
    turnEndedMs: event.at,
    ...(event.tree === undefined ? {} : { turnTree: event.tree }),
  };
  const { ending } = event;
  const kept = turnFailure === undefined ? {} : { turnFailure };
  const notCharged: LoopState = { ...after, ...kept, phase: "ready", iteration: state.iteration - 1 };
  if (event.empty === true) {
    return after.empties <= MOST_EMPTIES
      ? notCharged
      : failed(after, "ended without a word, again and again");
  }
  // A file DONE and a wait are said by other means than a good end, so they count after a bad one too.
  if (ending.kind === "finished" || event.claims.done === true || event.claims.wait !== undefined) {
    return claimedDone({ ...after, claims: event.claims, failures: 0 });
  }
  if (ending.kind === "unauthorised" || ending.kind === "not-started") {
    // One that only stands in is given up on; the run is the main agent's.
    if (state.agent > 0) return notCharged;
    const fix = "Log the agent in (or set its key), then start the run again.";
    return {
      ...after,
      fatal: {
        kind: "failed",
        reason: ending.kind === "unauthorised" ? `The agent was refused: ${ending.message}` : ending.message,
        fix:
          ending.kind === "unauthorised"
            ? fix
            : "Check agent.command; `ralph doctor` shows what is installed.",
      },
    };
  }
  // Ended by us, on request: that turn is nobody's failure, and is not charged.
  if (ending.kind === "killed" && ending.why === "stopped" && state.stop !== undefined) {
    return { ...after, phase: "ready", iteration: state.iteration - 1 };
  }
  return isWaitable(ending) ? notCharged : failed(after, describeEnding(ending));
}

function failed(state: LoopState, turnFailure: string): LoopState {
  return { ...state, phase: "ready", failures: state.failures + 1, turnFailure };
}

/** The turn is over and its claims are known: now the gates have the word, if there are any. */
function claimedDone(state: LoopState): LoopState {
  // Checks cost their time at the end of each turn of a session: they are run when there is a promise to believe.
  if (lacksPromise(state)) return { ...state, phase: "settled", feedback: [] };
  return hasGates(state) ? { ...state, phase: "judging" } : withProgress({ ...state, phase: "passed" });
}

function judged(state: LoopState, event: EventOf<"gate.judged">): LoopState {
  const verdicts = [...state.verdicts, event.verdict];
  const tree = event.gate === 0 ? event.treeBefore : state.tree;
  const moved = tree !== undefined && event.treeAfter !== undefined && tree !== event.treeAfter;
  const treeMoved = (event.gate > 0 && state.treeMoved) || moved;
  const rest = omitHeld(omitTree(state));
  const next: LoopState = {
    ...rest,
    usage: addUsage(state.usage, event.usage),
    green: greenWith(state.green, event),
    verdicts,
    treeMoved,
    ...(tree === undefined ? {} : { tree }),
  };
  if (verdicts.length < (state.spec?.gates.length ?? 0)) return next;
  const failed = verdicts.flatMap((verdict, gate): Feedback[] =>
    verdict.pass || verdict.skipped !== undefined ? [] : [{ gate, verdict }],
  );
  if (state.phase === "baseline") {
    const feedback = state.spec?.prompt.baselineFeedback ? failed : [];
    return { ...omitTree(next), phase: "ready", verdicts: [], feedback };
  }
  if (verdicts.some((verdict) => !verdict.pass)) {
    const doneRefused = state.doneRefused || state.claims.done === true;
    return withProgress({ ...next, phase: "settled", feedback: failed, doneRefused }, state.feedback);
  }
  if (treeMoved)
    return judgeAgain(
      next,
      `the guardrails themselves change the files of the project every time they run; ${IGNORE}`,
    );
  return withProgress({ ...next, phase: "passed", feedback: [] });
}

/** The tree that was judged is the tree that is committed: a message turn that changed files voids the verdicts. */
function worded(state: LoopState, event: EventOf<"commit.intended">): LoopState {
  const next: LoopState = {
    ...omitHeld(state),
    usage: addUsage(state.usage, event.usage),
    commitMessage: event.message,
    ...(event.head === undefined ? {} : { commitHead: event.head }),
    phase: "worded",
  };
  const changed = state.tree !== undefined && event.tree !== undefined && state.tree !== event.tree;
  return changed
    ? judgeAgain(next, "the turn that worded the commit message changes the files of the project every time")
    : next;
}

/** What the scm tasks left is what counts: a commit or a tree that is not the judged one voids the verdicts too. */
function committed(state: LoopState, event: EventOf<"committed">): LoopState {
  const next: LoopState = {
    ...omitHeld(state),
    phase: "settled",
    usage: addUsage(state.usage, event.usage),
  };
  const changed = state.tree !== undefined && event.tree !== undefined && state.tree !== event.tree;
  if (event.mismatch !== undefined)
    return judgeAgain(next, `what was committed is not what was judged (${event.mismatch})`);
  return changed ? judgeAgain(next, "the scm tasks change the files of the project every time") : next;
}

const IGNORE = "what they write belongs into .gitignore";

function judgeAgain(state: LoopState, why: string): LoopState {
  const again = { ...omitTree(state), phase: "judging", round: state.round + 1, verdicts: [] } as const;
  if (state.round < MAX_ROUNDS) return again;
  const last = state.verdicts.at(-1);
  const verdict: Verdict = {
    pass: false,
    exitCode: last?.exitCode ?? null,
    wallMs: 0,
    logPath: last?.logPath ?? "",
    output: "",
    truncated: false,
    reason: `${why}, so that nothing is proven about what stands there`,
  };
  return {
    ...state,
    phase: "settled",
    doneRefused: state.doneRefused || state.claims.done === true,
    verdicts: [verdict],
    feedback: [{ gate: state.verdicts.length - 1, verdict }],
  };
}

function omitTree(state: LoopState): LoopState {
  const { tree: _tree, ...rest } = state;
  return rest;
}

/** Whoever was asked has answered. */
function omitHeld(state: LoopState): LoopState {
  const { answerHeld: _held, ...rest } = state;
  return rest;
}

function hasGates(state: LoopState): boolean {
  return (state.spec?.gates.length ?? 0) > 0;
}

/** The sum of two usages. */
export function addUsage(a: Usage, b: Usage | undefined): Usage {
  if (b === undefined) return a;
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    costUsd: a.costUsd + b.costUsd,
  };
}
