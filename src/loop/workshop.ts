import { type AgentAdapter, HOOKS_TOKEN_VARIABLE, HOOKS_URL_VARIABLE } from "../agents/agent.ts";
import type { RunFolder } from "../journal/paths.ts";
import { fingerprint } from "../snapshot/fingerprint.ts";
import type { Tree, TreeMeter } from "../snapshot/tree.ts";
import type { AgentSpec, RunSpec } from "../spec.ts";
import { ANCESTORS_VARIABLE, ancestorsIn } from "../supervise/leftovers.ts";
import type { Means } from "../supervise/means.ts";
import type { Remains } from "../supervise/spawn.ts";
import type { Reporter } from "../ui/reporter.ts";
import type { Clock } from "./clock.ts";
import type { HookDesk } from "./desk.ts";
import type { Snapshots } from "./snapshots.ts";
import type { Memory } from "./trees.ts";

/** An agent of the run with all that its turns need. */
export interface ReadyAgent {
  readonly spec: AgentSpec;
  readonly adapter: AgentAdapter;
  /** What the program printed when asked what it takes. */
  readonly help: string;
}

/** Everything that performing a step may touch. */
export interface Workshop {
  readonly run: string;
  readonly spec: RunSpec;
  readonly folder: RunFolder;
  /** By number: the main agent is 0, its fallbacks follow. */
  readonly agents: readonly ReadyAgent[];
  /** Who judges, where that is not whoever had the turn. */
  readonly judge?: ReadyAgent;
  /** Who reviews, where that is not whoever implements. */
  readonly reviewer?: ReadyAgent;
  readonly env: NodeJS.ProcessEnv;
  /** What holds the processes of agents and gates together, and keeps them in. */
  readonly means: Readonly<Record<"agent" | "check", Means>>;
  /** Is there a fence around them? */
  readonly fenced: boolean;
  /** What a turn has to wait for, where files are copied into the fence and out of it; and what is looked at when it is over. */
  readonly sync?: {
    readonly settleMs?: number;
    refresh?(): Promise<void>;
    tidy?(): Promise<void>;
    /** Keeps log-ins the same inside and outside. */
    readonly exchange?: () => void;
  };
  readonly clock: Clock;
  readonly reporter: Reporter;
  /** What goes on when the turn that started it is over: child runs. All of it ends with this run. */
  readonly kept: Remains[];
  /** Names the tree of a project that is a git work tree; absent elsewhere. */
  readonly meter?: TreeMeter;
  /** Keeps what the work tree was; absent when the run keeps none. */
  readonly snapshots?: Snapshots;
  /** Answers the hooks of its agents; absent where none of them can ask. */
  readonly desk?: HookDesk;
  /** How things were when the run began; absent when no gate asks. */
  readonly trees?: Memory;
  /** Files that stood there untracked before the run. */
  readonly untrackedBefore: ReadonlySet<string>;
  /** The file that tells the guard where it is; absent when there is none. */
  readonly guard?: string;
  /** The run should end when the present operation is over. */
  readonly softStop: AbortSignal;
  /** The run must end now. */
  readonly hardStop: AbortSignal;
}

/** The folder of a run that an agent may write to: an answer is left there. */
export const EXCHANGE = "exchange";

/** Waits until what was written inside the fence has arrived, and takes away what nobody outside should obey. */
export async function filesArrived({ sync, clock, hardStop }: Workshop): Promise<void> {
  if (sync?.settleMs !== undefined) await clock.sleepUntil(clock.now() + sync.settleMs, hardStop);
  await sync?.tidy?.();
}

/** The agent of a number. */
export function agentIn(shop: Workshop, agent: number): ReadyAgent {
  const found = shop.agents[agent];
  if (found === undefined) throw new Error(`there is no agent ${agent}`);
  return found;
}

/** The environment of an agent or a gate: the user's own, and where they are. */
export function environmentOf(shop: Workshop, iteration: number): NodeJS.ProcessEnv {
  // A run that ralph started inside of another one's agent has nothing to ask of that one.
  const { [HOOKS_URL_VARIABLE]: _url, [HOOKS_TOKEN_VARIABLE]: _token, ...env } = shop.env;
  return {
    ...env,
    RALPH_RUN_ID: shop.run,
    RALPH_ITERATION: String(iteration),
    RALPH_MAX_ITERATIONS: String(shop.spec.limits.iterations),
    RALPH_PROJECT: shop.spec.project,
    [ANCESTORS_VARIABLE]: ancestorsIn(shop.env),
    TASK_FOLDER: shop.spec.taskDir,
    ...(shop.guard === undefined ? {} : { RALPH_GUARD: shop.guard }),
  };
}

/** A name for exactly what stands in a git work tree now, or why there is none; undefined outside git. */
export async function treeIn(shop: Workshop): Promise<Tree | undefined> {
  return shop.meter?.measure();
}

/** The same for the measure of progress, which can make do with less where there is no git. Undefined when nobody asks. */
export async function measureIn(shop: Workshop): Promise<string | undefined> {
  const { limits, gates, project } = shop.spec;
  if (limits.noProgress === 0 && (gates.length === 0 || shop.meter === undefined)) return undefined;
  const tree = await treeIn(shop);
  if (tree === undefined) return fingerprint(project);
  return "name" in tree ? tree.name : undefined;
}
