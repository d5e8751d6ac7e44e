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
  restart: { done: false, waits: false, delay: "off", max: 100, waitTimeout: "5m", pollInterval: "1s" },
  restartMs: { delayMs: 0, honoursWaits: false, childWaitMs: 300_000, pollMs: 1_000 },
  judge: { maxChars: 200_000 },
  progress: { judge: false },
  tasks: { maximumIterations: 15 },
  processes: "auto" satisfies Processes,
  baseline: { enabled: true, feedback: false },
  snapshots: true,
  contextMonitor: "runs",
  guard: { mode: "auto" },
  output: { emoji: true, color: "auto", timestamps: false, maxOutputLines: 10, maxOutputChars: 1000 },
} as const;

const RUN = {
  iterations: DEFAULTS.maximumIterations,
  failures: DEFAULTS.maximumFailures,
  noProgress: DEFAULTS.noProgressThreshold,
  baseline: DEFAULTS.baseline.enabled,
  waits: DEFAULTS.restart.waits,
  delayMs: DEFAULTS.restartMs.delayMs,
  durationMs: 0,
};

/** What differs between the kinds of run when nobody says otherwise. A limit of 0 is none. */
export const USUAL = {
  run: RUN,
  // A review roughly doubles what a story takes.
  tasks: { ...RUN, iterations: DEFAULTS.tasks.maximumIterations },
  // Any exit code restarts: neither failures nor a lack of progress end a supervised command.
  supervise: {
    iterations: DEFAULTS.restart.max,
    failures: 0,
    noProgress: 0,
    baseline: false,
    waits: true,
    delayMs: 1_000,
    durationMs: 0,
  },
} as const;

/** `ralph start` leaves nobody at the screen: it does not go on for ever. */
export const START_DURATION_MS = 30 * 60_000;

/** Consecutive waits for the agent's service before a run gives up. There is no setting for it. */
export const MAXIMUM_WAITS = 100;

/** The agents that are looked for, in this order, when none is named. */
export const KNOWN_AGENTS = [
  "claude",
  "codex",
  "amp",
  "copilot",
  "gemini",
  "qwen",
  "opencode",
  "cursor-agent",
] as const;
