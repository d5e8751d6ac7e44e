import type { AgentAdapter } from "../agents/agent.ts";
import type { RunFolder } from "../journal/paths.ts";
import type { RunSpec } from "../spec.ts";
import type { Reporter } from "../ui/reporter.ts";
import type { Clock } from "./clock.ts";

/** Everything that performing a step may touch. */
export interface Workshop {
  readonly run: string;
  readonly spec: RunSpec;
  readonly folder: RunFolder;
  readonly adapter: AgentAdapter;
  /** What the agent program printed when asked what it takes. */
  readonly help: string;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly reporter: Reporter;
  /** The project is a git work tree, so that its tree can be named. */
  readonly inGit: boolean;
  /** Files that stood there untracked before the run. */
  readonly untrackedBefore: ReadonlySet<string>;
  /** The run should end when the present operation is over. */
  readonly softStop: AbortSignal;
  /** The run must end now. */
  readonly hardStop: AbortSignal;
}

/** The environment of an agent or a gate: the user's own, and where they are. */
export function environmentOf(shop: Workshop, iteration: number): NodeJS.ProcessEnv {
  return {
    ...shop.env,
    RALPH_RUN_ID: shop.run,
    RALPH_ITERATION: String(iteration),
    RALPH_PROJECT: shop.spec.project,
  };
}
