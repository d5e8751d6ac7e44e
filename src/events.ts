/**
 * The vocabulary: everything an agent can say and everything that can happen to a run.
 * Two closed unions, past tense. Screens, `--json`, the library and the tests are readers of them.
 * What agents say is in agent-events.ts, what happens to a task list in task-events.ts, what gates find in verdict.ts. This file imports nothing but types.
 */
import type { AgentEnding, Usage } from "./agent-events.ts";
import type { FenceNote, RunSpec, SandboxSpec } from "./spec.ts";
import type { TaskResult, TaskTurn } from "./task-events.ts";
import type { Verdict } from "./verdict.ts";

export * from "./agent-events.ts";
export type * from "./task-events.ts";
export type * from "./verdict.ts";

/** What the agent says about being done. Never proof. */
export interface Claims {
  /** The content of the first `<response>` tag in the final text. */
  readonly response?: string;
  /** What a human must do first, from `<blocked>` or from an `ask` on the bus. */
  readonly blocked?: string;
  /** The file DONE stands in the task's folder. */
  readonly done?: boolean;
  /** The agent waits for something outside and must not be restarted: how it said so. */
  readonly wait?: string;
  /** Every story of the task list is finished, by the list that ralph believes. */
  readonly tasks?: boolean;
  /** The final text promised that every story is. */
  readonly promised?: boolean;
  /** The final text holds the exact promise that was asked for. */
  readonly promise?: boolean;
}

/** What of a machine can change what a check finds. */
export interface Machine {
  readonly platform: string;
  readonly arch: string;
  readonly release: string;
  readonly node: string;
}

/** How a run ended. */
export type Outcome =
  /** At least one gate ran, all passed, and the completion rule holds. */
  | { readonly kind: "verified"; readonly reason: string }
  /** The agent says so and there was no gate to check it. */
  | { readonly kind: "claimed"; readonly reason: string }
  /** A limit was reached. */
  | { readonly kind: "exhausted"; readonly reason: string; readonly limit: string }
  /** Going on would not help. */
  | {
      readonly kind: "stuck";
      readonly reason: string;
      readonly cause?: "failures" | "no-progress" | "denied";
    }
  /** Configuration or set-up is at fault. */
  | { readonly kind: "failed"; readonly reason: string; readonly fix?: string }
  /** On something outside: a person, a reset. */
  | { readonly kind: "waiting"; readonly reason: string; readonly needs?: string }
  | { readonly kind: "stopped"; readonly reason: string };

export type OutcomeKind = Outcome["kind"];

/** A process that was started, named so that it can be found again and never confused with another. */
export interface ProcessMark {
  readonly pid: number;
  /** Start time in clock ticks since boot (Linux), so that a reused pid is not taken for it. */
  readonly startTicks?: number;
  /** A random word that stands in the environment of the process and of all its children. */
  readonly mark: string;
  /** It only keeps a pid namespace: what it holds dies with it. */
  readonly keeper?: true;
  /** The control group that holds the tree. */
  readonly cgroup?: string;
}

/** When an event happened (milliseconds since 1970), and to which run. */
interface InRun {
  readonly at: number;
  readonly run: string;
}

interface InIteration extends InRun {
  readonly iteration: number;
}

/** Whose turn it is: 1 is the first fallback, absent the main agent; then until when the main one is held back. */
interface Whose {
  readonly agent?: number;
  readonly heldUntilMs?: number;
}

/** The work tree at that moment, of runs that keep snapshots. */
interface Seen {
  /** The snapshot's name in the run's own store. */
  readonly snapshot?: string;
  /** Why there is none. */
  readonly snapshotFault?: string;
  /** The commit that HEAD stood on, and its branch. */
  readonly head?: string;
  readonly branch?: string;
}

/** What happened to a run. On disk before it is acted on; replaying them is resuming. `at` is milliseconds since 1970. */
export type LoopEvent =
  /** First record of every journal. `journal` is the version of the format. */
  | (InRun & {
      readonly type: "run.started";
      readonly journal: 1;
      readonly ralph: string;
      readonly spec: RunSpec;
      readonly means?: string;
      readonly fence?: FenceNote;
      readonly machine?: Machine;
    })
  /** The prompt of an iteration was composed and kept. */
  | (InIteration &
      Whose &
      Seen & {
        readonly type: "iteration.started";
        readonly promptPath: string;
        readonly promptSha256: string;
        /** The tree before the first turn, where it can be named: the start of every comparison. */
        readonly tree?: string;
        readonly task?: TaskTurn;
      })
  /** The agent's process runs. */
  | (InIteration & Pick<Whose, "agent"> & { readonly type: "agent.started"; readonly process: ProcessMark })
  /** The agent's turn is over. */
  | (InIteration &
      Pick<Whose, "agent"> & {
        readonly type: "agent.exited";
        readonly ending: AgentEnding;
        readonly exitCode: number | null;
        readonly claims: Claims;
        readonly usage: Usage;
        readonly wallMs: number;
        readonly toolCalls: number;
        readonly denials: number;
        /** The tree after the turn, where it can be named. */
        readonly tree?: string;
        /** It gave its result, did not exit, and was ended: the result counts. */
        readonly lingered?: boolean;
        readonly model?: string;
        /** The agent's own version, where its stream tells it. */
        readonly version?: string;
        readonly tasks?: TaskResult;
        /** Nothing but the log of the task list changed, which is no progress. */
        readonly onlyLogged?: boolean;
        /** It finished without a word and without a deed. */
        readonly empty?: boolean;
        /** The tree is not what it was when the loop began, where tool calls cannot be counted. */
        readonly changed?: boolean;
        /** The user said something in the session during this turn. */
        readonly spoken?: boolean;
      })
  /**
   * A gate was run. Iteration 0 is the baseline, before the agent ever ran. `round` grows when the gates had to run
   * again because something changed the tree under them. `tree` is the tree after the gate, where it was measured.
   */
  | (InIteration & {
      readonly type: "gate.judged";
      readonly round: number;
      readonly gate: number;
      readonly name: string;
      readonly verdict: Verdict;
      /** What the judge used, where one was asked. */
      readonly usage?: Usage;
      readonly treeBefore?: string;
      readonly treeAfter?: string;
    })
  /** Who was asked beside the work (a gate's judge, for a commit message) was held back by its service, and is asked again after that. */
  | (InIteration & {
      readonly type: "answer.held";
      readonly from: "judge" | "agent";
      readonly ending: Extract<AgentEnding, { kind: "limited" }>;
      readonly usage: Usage;
    })
  /** The judge compared a failed iteration with the one before. `progress` is absent when it could not be asked or understood. */
  | (InIteration & {
      readonly type: "progress.judged";
      readonly progress?: boolean;
      readonly reason: string;
      readonly usage: Usage;
    })
  /** The agent worded a commit message; the commit is about to be made. */
  | (InIteration & {
      readonly type: "commit.intended";
      readonly message: string;
      readonly usage: Usage;
      readonly tree?: string;
      /** The commit that stood there before: one of ours can only come after it. */
      readonly head?: string;
    })
  /** The scm tasks of an iteration are over, done or not. `error` says what went wrong; the run goes on. */
  | (InIteration & {
      readonly type: "committed";
      readonly commit?: string;
      readonly nothingToCommit?: boolean;
      readonly error?: string;
      readonly usage?: Usage;
      /** The tree after the tasks, where it can be named. */
      readonly tree?: string;
      /** Set when the commit is not what was judged: which files differ, or why that cannot be told. */
      readonly mismatch?: string;
    })
  /** DONE stood in the task's folder before the turn began, or the task list (by its SHA-256) was finished: none was begun. */
  | (InIteration & { readonly type: "done.found"; readonly list?: string })
  /** A story was finished while checks failed, and is open again: gates have the last word. */
  | (InIteration & { readonly type: "story.reopened"; readonly story: string; readonly list: string })
  /** The runs that agents of this one started are over, or were waited for long enough. */
  | (InIteration & {
      readonly type: "children.settled";
      readonly waitedFor: readonly string[];
      readonly stillActive: readonly string[];
    })
  /** A wait is over: for the agent's service, or the pause between two turns (`pause`). */
  | (InIteration & { readonly type: "waited"; readonly untilMs: number; readonly pause?: boolean })
  /** The run goes on: after a crash, or after it ended in a way that can be gone on from. */
  | (InRun & {
      readonly type: "run.resumed";
      readonly ralph: string;
      readonly means?: string;
      readonly fence?: FenceNote;
      /** Another fence than the run began with, when one was asked for. */
      readonly sandbox?: SandboxSpec;
      /** What stood there then, when the run had ended: what differs from its end is the user's doing. */
      readonly snapshot?: string;
      /** A new limit of iterations, when one was given. */
      readonly iterations?: number;
    })
  /** Somebody asked the run to end. */
  | (InRun & { readonly type: "stop.requested"; readonly by: string })
  /** Set-up or configuration broke while the run was under way (the prompt file is gone, a folder cannot be written). */
  | (InRun & {
      readonly type: "run.faulted";
      readonly what: string;
      readonly why: string;
      readonly fix: string;
    })
  /** Last record of a run that ended. */
  | (InRun &
      Seen & {
        readonly type: "run.ended";
        /** Where the snapshots are, when there are any. */
        readonly snapshotPath?: string;
        readonly outcome: Outcome;
        readonly iterations: number;
        readonly usage: Usage;
        readonly costUsd: number;
        readonly tokens: number;
        readonly wallMs: number;
      });

/** The one thing to do next. The driver performs it and reports back with a LoopEvent. */
export type Step =
  | ({ readonly do: "start-iteration"; readonly iteration: number } & Whose)
  | { readonly do: "run-agent"; readonly iteration: number }
  | { readonly do: "judge"; readonly iteration: number; readonly round: number; readonly gate: number }
  | { readonly do: "judge-progress"; readonly iteration: number }
  | { readonly do: "reopen-story"; readonly iteration: number; readonly story?: string }
  | { readonly do: "word-commit"; readonly iteration: number }
  | { readonly do: "commit"; readonly iteration: number; readonly message: string; readonly head?: string }
  | {
      readonly do: "wait";
      readonly iteration: number;
      readonly untilMs: number;
      readonly why: string;
      /** For a connection, rather than for the agent's service. */
      readonly offline?: boolean;
      /** For whose service, where it is not the agent's. */
      readonly whom?: "judge";
    }
  | { readonly do: "pause"; readonly iteration: number; readonly untilMs: number }
  | { readonly do: "await-children"; readonly iteration: number }
  | { readonly do: "end"; readonly outcome: Outcome };
