import type { LoopEvent, OutcomeKind } from "../events.ts";
import {
  type AgentSpec,
  agentsOf,
  checksWork,
  type RunSpec,
  type SessionSpec,
  type TaskMode,
} from "../spec.ts";
import { decide } from "./decide.ts";
import { evolve } from "./evolve.ts";
import { sessionStatus } from "./outcome.ts";
import { INITIAL, type LoopState } from "./state.ts";

/** A run at a glance: the fields of spec 000's `LoopRun`, and what else people ask for. */
export interface RunSummary {
  readonly id: string;
  readonly sessionId: string;
  readonly task: string;
  readonly criteria: readonly string[];
  readonly status: "running" | "success" | "failed" | "stopped";
  readonly iterations: number;
  readonly maxIterations: number;
  readonly noProgressCount: number;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly snapshotPath: string;
  readonly lastOutput?: string;
  /** The last event is so old. */
  readonly lastEventAt: number;
  readonly phase: LoopState["phase"];
  readonly outcome?: { readonly kind: OutcomeKind; readonly reason: string };
  readonly agent: string;
  /** What holds the processes together. */
  readonly processes?: string;
  /** Who has the turns while the agent is held back, in order. */
  readonly fallback: readonly string[];
  /** Who has the turn now, or had the last one. */
  readonly turnOf: string;
  /** Agents that their services hold back, and until when (milliseconds since 1970). */
  readonly heldBack: readonly { readonly agent: string; readonly until: number; readonly why: string }[];
  /** The run waits, and until when; absent while it has anything else to do. */
  readonly waitsUntil?: number;
  /** For whose service it waits, where that is not the agent's. */
  readonly waitsFor?: "judge";
  readonly failing: readonly string[];
  /** Of a run on a task list. */
  readonly tasks?: TaskProgress;
  readonly costUsd: number;
  readonly tokens: number;
  /** The session that has the turns, and how its loop ended in the words of spec 004. */
  readonly session?: { readonly id: string; readonly agent: string; readonly status?: string };
  /** It neither ended nor is anybody driving it: a crash, a kill, a reboot. */
  readonly interrupted: boolean;
}

/** How far a run on a task list has come. */
export interface TaskProgress {
  readonly stories: number;
  readonly finished: number;
  /** The iteration that is under way, or else the last one. */
  readonly turn?: TaskTurnAtAGlance;
}

interface TaskTurnAtAGlance {
  readonly mode: TaskMode;
  readonly story: string;
  readonly title: string;
  readonly underWay: boolean;
}

const STATUS: Readonly<Record<OutcomeKind, RunSummary["status"]>> = {
  verified: "success",
  claimed: "success",
  exhausted: "failed",
  stuck: "failed",
  failed: "failed",
  waiting: "stopped",
  stopped: "stopped",
};

/** Reads a run's events into a summary. Pure; undefined for a journal that does not tell what the run is. */
export function summarise(events: readonly LoopEvent[], isDriven: boolean): RunSummary | undefined {
  const state = events.reduce(evolve, INITIAL);
  const { spec, outcome, usage } = state;
  const last = events.at(-1);
  if (spec === undefined || last === undefined) return undefined;
  const failed = state.feedback.map(({ gate }) => spec.gates[gate]?.name ?? "");
  const step = decide(state);
  const output = state.feedback.at(-1)?.verdict.output;
  return {
    id: state.run,
    sessionId: spec.session?.id ?? state.run,
    task: taskOf(spec),
    criteria: spec.gates
      .filter(checksWork)
      .map((gate) => (gate.kind === "criterion" ? `criterion ${gate.name}` : gate.command)),
    status: outcome === undefined ? (isDriven ? "running" : "stopped") : STATUS[outcome.kind],
    iterations: state.iteration,
    maxIterations: spec.limits.iterations,
    noProgressCount: state.noProgress,
    startedAt: state.startedAtMs,
    ...(last.type === "run.ended" ? { endedAt: last.at } : {}),
    snapshotPath: "",
    ...(output === undefined ? {} : { lastOutput: output }),
    lastEventAt: last.at,
    phase: state.phase,
    ...(outcome === undefined ? {} : { outcome: { kind: outcome.kind, reason: outcome.reason } }),
    agent: spec.agent.command,
    ...(state.means === undefined ? {} : { processes: state.means }),
    fallback: (spec.fallback ?? []).map(nameOf),
    turnOf: nameOf(agentsOf(spec)[state.agent] ?? spec.agent),
    heldBack: state.held.map(({ agent, untilMs, why }) => ({
      agent: nameOf(agentsOf(spec)[agent] ?? spec.agent),
      until: untilMs,
      why,
    })),
    ...(step.do === "wait" ? { waitsUntil: step.untilMs } : {}),
    ...(step.do === "wait" && step.whom !== undefined ? { waitsFor: step.whom } : {}),
    failing: failed,
    costUsd: usage.costUsd,
    tokens: usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
    ...(spec.session === undefined ? {} : { session: sessionOf(spec.session, state) }),
    interrupted: outcome === undefined && !isDriven,
  };
}

function sessionOf({ id, agent }: SessionSpec, { outcome }: LoopState): NonNullable<RunSummary["session"]> {
  return { id, agent, ...(outcome === undefined ? {} : { status: sessionStatus(outcome) }) };
}

/** What the run is about, in the user's own words where there are any. */
function taskOf({ work, agent }: RunSpec): string {
  if (work.kind === "prompt") return work.text;
  if (work.kind === "tasks") return `${work.dir}/tasks.json`;
  return work.kind === "prompt-file" ? work.path : agent.command;
}

/** An agent as people tell it from the others: its command, and its model where one is asked for. */
function nameOf({ command, model }: AgentSpec): string {
  return model === undefined ? command : `${command} (${model})`;
}
