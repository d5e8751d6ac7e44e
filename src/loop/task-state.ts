import type { Claims, LoopEvent } from "../events.ts";
import type { RunSpec } from "../spec.ts";
import type { EventOf, LoopState } from "./state.ts";

/** So many empty answers in a row are nobody's fault; more are a failed turn. */
export const MOST_EMPTIES = 3;

/** The iteration on a task list that begins: what it is for, and what is believed from then on. Pure. */
export function withTask(state: LoopState, { task }: EventOf<"iteration.started">): LoopState {
  const { task: _task, taskResult: _result, ...rest } = state;
  // What was put back is whoever comes next's to commit: a commit may still hold what was undone.
  const fresh = { ...rest, reopened: false, onlyLogged: false, putBack: [] };
  if (task === undefined) return fresh;
  const { list, prd, prompt } = task;
  const trust = {
    list,
    ...(prd === undefined ? {} : { prd }),
    ...(prompt === undefined ? {} : { prompt }),
  };
  return { ...fresh, task, trust };
}

/** What a turn made of the list. Notes are told once, in the first prompt after a turn that finished. Pure. */
export function withTaskResult(state: LoopState, event: EventOf<"agent.exited">): LoopState {
  const { tasks } = event;
  const counted = {
    ...state,
    empties: event.empty === true ? state.empties + 1 : 0,
    onlyLogged: event.onlyLogged === true,
  };
  if (tasks === undefined) return counted;
  const isTold = event.ending.kind === "finished" && event.empty !== true;
  return {
    ...counted,
    ...believing(state, tasks.list),
    taskResult: tasks,
    taskNotes: isTold ? tasks.notes : [...new Set([...state.taskNotes, ...tasks.notes])],
    putBack: [...new Set([...state.putBack, ...(tasks.putBack ?? [])])],
  };
}

/** The list was finished before a turn began. Pure. */
export function foundDone(
  state: LoopState,
  { list }: EventOf<"done.found">,
): LoopState & { readonly claims: Claims } {
  if (list === undefined) return { ...state, claims: { done: true } };
  const { task: _task, taskResult: _result, ...rest } = state;
  return { ...rest, ...believing(state, list), claims: { tasks: true }, reopened: false };
}

/** A story is open again, so the list is not finished. Pure. */
export function withReopened(state: LoopState, { list }: EventOf<"story.reopened">): LoopState {
  const { tasks: _tasks, ...claims } = state.claims;
  return { ...state, ...believing(state, list), claims, reopened: true };
}

/**
 * A list is looked at anew when a run that had ended goes on: its user may have worked on it. So nothing of the iteration that
 * was under way is left but its number. Pure.
 */
export function resumedTasks(state: LoopState, before: LoopState["phase"]): LoopState {
  if (state.spec?.work.kind !== "tasks") return state;
  const { trust: _trust, task: _task, taskResult: _result, answerHeld: _held, ...rest } = state;
  const unspent = before === "prompted" ? 1 : 0;
  return { ...rest, claims: {}, phase: "ready", iteration: state.iteration - unspent };
}

/**
 * Must a story be opened again? Every story may be finished and a check fail; or a check that was green once failed in the
 * very iteration that finished one. What was red from the beginning may stay so until all is done. Pure.
 */
export function mustReopen(state: LoopState, spec: RunSpec): boolean {
  if (spec.work.kind !== "tasks" || state.reopened) return false;
  const failing = state.verdicts.flatMap((verdict, gate) =>
    verdict.pass || verdict.skipped !== undefined ? [] : [gate],
  );
  if (failing.length === 0) return false;
  if (state.claims.tasks === true) return true;
  return state.taskResult?.approved !== undefined && failing.some((gate) => state.green.includes(gate));
}

/** The gates that passed at least once, with this verdict. Pure. */
export function greenWith(
  green: readonly number[],
  { gate, verdict }: Extract<LoopEvent, { type: "gate.judged" }>,
): readonly number[] {
  return verdict.pass && !green.includes(gate) ? [...green, gate] : green;
}

function believing(state: LoopState, list: string): Pick<LoopState, "trust"> {
  return { trust: { ...state.trust, list } };
}
