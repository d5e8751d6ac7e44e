import type { AgentSpec, GateSpec, RunSpec } from "../spec.ts";
import { DEFAULTS } from "./defaults.ts";
import { gateOf } from "./gates.ts";

/** What has to be known of a task list to describe a run on it. */
export interface TaskInput {
  /** The folder of the list, relative to the project. */
  readonly dir: string;
  readonly skipReview: boolean;
  readonly reviewCap: number;
  readonly branch: string;
  /** Shell lines that the list names. They are gates as they stand now: what an agent adds is only asked of agents. */
  readonly verifyCommands: readonly string[];
  readonly budget: { readonly stories: number; readonly open: number; readonly iterations: number };
  /** The project is in a git work tree, so that there are commits to ask for. */
  readonly isGit: boolean;
}

/** The gates of a run on a task list: its own first, each command once. */
export function withTaskGates(
  gates: readonly GateSpec[],
  { verifyCommands, isGit }: TaskInput,
  commitsItself: boolean,
): readonly GateSpec[] {
  const known = new Set(gates.map(({ command }) => command));
  // A blank line is no check: it would pass, and prove nothing.
  const own = [...new Set(verifyCommands)].filter((command) => command.trim() !== "" && !known.has(command));
  // Where ralph commits when all gates pass, there is nothing to ask of the agent.
  return [
    ...(isGit && !commitsItself ? [CLEAN_TREE] : []),
    ...own.map((command) => gateOf({ command })),
    ...gates,
  ];
}

const CLEAN_TREE: GateSpec = {
  kind: "clean-tree",
  name: "all is committed",
  command: "",
  failAction: DEFAULTS.failAction,
  timeoutMs: DEFAULTS.gateTimeoutMs,
  flaky: false,
};

/** The work of a run on a task list. */
export function taskWork(input: TaskInput, reviewer: AgentSpec | undefined): RunSpec["work"] {
  const { isGit: _git, verifyCommands: _gates, ...work } = input;
  const others = reviewer === undefined || input.skipReview ? {} : { reviewer };
  return { kind: "tasks", ...work, ...others };
}
