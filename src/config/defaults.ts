import type { Autonomy, FailAction, Processes } from "../spec.ts";

/** What is true of a run when neither a flag nor a setting says otherwise. */
export const DEFAULTS = {
  maximumIterations: 10,
  maximumFailures: 3,
  completionResponse: "DONE",
  claimHint: true,
  outputTruncateChars: 5000,
  streamAgentOutput: true,
  includeIterationCountInPrompt: false,
  autonomy: "full" satisfies Autonomy,
  failAction: "APPEND" satisfies FailAction,
  gateTimeout: "10m",
  gateTimeoutMs: 600_000,
  flaky: false,
  noProgressThreshold: 3,
  timeouts: { idle: "15m", linger: "10s" },
  timeoutsMs: { turnMs: 0, idleMs: 900_000, lingerMs: 10_000 },
  restartMs: { delayMs: 0, honoursWaits: false, childWaitMs: 300_000, pollMs: 1_000 },
  processes: "auto" satisfies Processes,
  baseline: { enabled: true, feedback: false },
  output: { emoji: true, color: "auto", timestamps: false, maxOutputLines: 10, maxOutputChars: 1000 },
} as const;

/** Consecutive waits for the agent's service before a run gives up. There is no setting for it. */
export const MAXIMUM_WAITS = 100;

/** The agents that are looked for, in this order, when none is named. */
export const KNOWN_AGENTS = ["claude", "codex", "amp"] as const;
