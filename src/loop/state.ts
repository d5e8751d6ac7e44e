import type {
  Claims,
  LoopEvent,
  Outcome,
  ProcessMark,
  TaskResult,
  TaskTurn,
  Usage,
  Verdict,
} from "../events.ts";
import type { RunSpec } from "../spec.ts";

/** A gate that failed, as the next prompt will tell it. */
export interface Feedback {
  readonly gate: number;
  readonly verdict: Verdict;
}

/** What an iteration left behind, as far as progress can be told from it. */
export interface Measure {
  readonly tree: string;
  /** The failing gates and what they said, numbers apart; empty when all passed. */
  readonly failure: string;
  /** Lines of their output that speak of an error. */
  readonly errors: number;
}

/** What the iteration before left behind, for a judge to compare with. */
export interface Comparison {
  readonly feedback: readonly Feedback[];
  readonly tree: string;
  /** Iterations without progress up to then. */
  readonly noProgress: number;
}

/** An agent that cannot go on for now. */
export interface Hold {
  readonly agent: number;
  readonly untilMs: number;
  readonly why: string;
  /** There was no connection: nobody else would get further. */
  readonly offline: boolean;
  /** How often in a row; more often than the run's limit, and the agent is given up on. */
  readonly times: number;
}

/** Where a run stands: the fold of its events and nothing else. */
export interface LoopState {
  readonly run: string;
  /** Absent until `run.started`. */
  readonly spec?: RunSpec;
  readonly startedAtMs: number;
  /** What holds the processes together, in words. */
  readonly means?: string;
  readonly phase:
    | "baseline" /* gates are judged before the agent ever ran */
    | "ready" /* the next iteration may start */
    | "prompted" /* an iteration has its prompt; the agent is to run, or was running when we died */
    | "judging"
    | "passed" /* every gate passed; scm comes next, if there is any */
    | "worded" /* the commit has its message and is to be made, or was being made when we died */
    | "settled" /* nothing is left to do in this iteration but to look at its claims */
    | "ended";
  /** The iteration under way, or the last one that was charged; 0 before the first. */
  readonly iteration: number;
  readonly round: number;
  /** Verdicts of the present round, in order of the gates. */
  readonly verdicts: readonly Verdict[];
  /** The tree before the first gate of the round; what passed is proven for this tree only. */
  readonly tree?: string;
  /** Something changed the tree while the gates of this round ran. */
  readonly treeMoved: boolean;
  /** The tree after the last turn. */
  readonly turnTree?: string;
  readonly claims: Claims;
  /** What the next prompt says about gates that failed. */
  readonly feedback: readonly Feedback[];
  /** What the next prompt says about an agent turn that failed. */
  readonly turnFailure?: string;
  /** The last turn was denied every tool call it made. */
  readonly onlyDenials: boolean;
  /** Iterations in a row without progress. */
  readonly noProgress: number;
  /** The tree after the last turn that was measured, and what failed then: what the next iteration is compared with. */
  readonly measured?: Measure;
  /** What the judge is yet to compare this iteration with, where it is asked about progress. */
  readonly compared?: Comparison;
  readonly failures: number;
  /** Tool calls since the run began. */
  readonly toolCalls: number;
  /** The last turn left another tree than the run began with, where tool calls cannot be counted. */
  readonly treeChanged: boolean;
  /** The turns are those of a session that the agent has with its user; not any more once the run was resumed without it. */
  readonly inSession: boolean;
  /** How often in a row the session was told to go on while it used no tool. */
  readonly sentBack: number;
  /** Answers in a row that were empty. */
  readonly empties: number;
  /** What the iteration under way is for, where the work is a task list. */
  readonly task?: TaskTurn;
  /** What of the list's files is believed; absent until it is looked at, and again when a run that had ended is resumed. */
  readonly trust?: Pick<TaskTurn, "list" | "prd" | "prompt">;
  /** What the last turn made of the list. */
  readonly taskResult?: TaskResult;
  /** What the next prompt says about the list. */
  readonly taskNotes: readonly string[];
  /** Files of the project that ralph put back in this iteration. */
  readonly putBack: readonly string[];
  /** The gates that passed at least once. */
  readonly green: readonly number[];
  /** A story was opened again in this iteration. */
  readonly reopened: boolean;
  /** Nothing but the log of the task list changed in the last turn. */
  readonly onlyLogged: boolean;
  /** The agent that has the turn, or had the last one: 0 is the main one, its fallbacks follow. */
  readonly agent: number;
  /** Agents that their services hold back, or held back when they last tried. */
  readonly held: readonly Hold[];
  /** Who is asked beside the work is held back by its service, or was. */
  readonly answerHeld?: Omit<Hold, "agent"> & { readonly from: "judge" | "agent" };
  /** From when on the run's time is counted: its start, or when it was resumed after it had ended. */
  readonly countFromMs: number;
  /** How long it has waited since then: that is not counted. */
  readonly waitedMs: number;
  /** When the last event happened: all that the core knows of the time. */
  readonly nowMs: number;
  /** The gates refused DONE once: it is not believed again before another turn was had. */
  readonly doneRefused: boolean;
  /** Child runs were waited for. */
  readonly childrenSettled: boolean;
  /** The pause before the next turn is over. */
  readonly rested: boolean;
  /** When the last turn ended. */
  readonly turnEndedMs: number;
  readonly commitMessage: string;
  readonly commitHead?: string;
  readonly usage: Usage;
  /** The agent process under way, if one is. */
  readonly process?: ProcessMark;
  readonly stop?: string;
  /** An ending that a fact forces, whatever else is true: a fault, a refused log-in. */
  readonly fatal?: Outcome;
  readonly outcome?: Outcome;
  /** Where the run stood when it ended: a stopped one goes on there. */
  readonly phaseBefore?: LoopState["phase"];
}

/** The state before the first event. */
export const INITIAL: LoopState = {
  run: "",
  startedAtMs: 0,
  phase: "ready",
  iteration: 0,
  round: 1,
  verdicts: [],
  treeMoved: false,
  claims: {},
  feedback: [],
  onlyDenials: false,
  noProgress: 0,
  failures: 0,
  toolCalls: 0,
  treeChanged: false,
  inSession: false,
  sentBack: 0,
  empties: 0,
  taskNotes: [],
  putBack: [],
  green: [],
  reopened: false,
  onlyLogged: false,
  agent: 0,
  held: [],
  countFromMs: 0,
  waitedMs: 0,
  nowMs: 0,
  doneRefused: false,
  childrenSettled: false,
  rested: true,
  turnEndedMs: 0,
  commitMessage: "",
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0 },
};

/** How long the run has worked, waits apart. */
export function workedMs(state: LoopState): number {
  return Math.max(0, state.nowMs - state.countFromMs - state.waitedMs);
}

/** The event of one type. */
export type EventOf<T extends LoopEvent["type"]> = Extract<LoopEvent, { type: T }>;
