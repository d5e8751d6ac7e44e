import type { AgentEnding } from "../events.ts";

/** How often the gates are run again in one iteration because something changed the tree under them. */
export const MAX_ROUNDS = 3;

const FIRST_WAIT_MS = 30_000;
const LONGEST_WAIT_MS = 60 * 60_000;

/** Does waiting help? A full context does not empty itself: that turn failed. */
export function isWaitable(ending: AgentEnding): ending is Extract<AgentEnding, { kind: "limited" }> {
  return ending.kind === "limited" && ending.scope !== "context";
}

/**
 * When to try again. The time that the agent told is believed, but never less than the back-off: a reset time that
 * lies in the past would otherwise spin.
 */
export function waitUntil(facts: {
  atMs: number;
  retryAtMs: number | undefined;
  earlierWaits: number;
}): number {
  const backOffMs = Math.min(FIRST_WAIT_MS * 2 ** Math.min(facts.earlierWaits, 20), LONGEST_WAIT_MS);
  const told = facts.retryAtMs ?? 0;
  if (told > facts.atMs && facts.earlierWaits === 0) return told;
  return Math.max(told, facts.atMs + backOffMs);
}

/** One line that says how a failed turn ended, for people and for the next prompt. */
export function describeEnding(ending: AgentEnding): string {
  switch (ending.kind) {
    case "finished":
      return "finished";
    case "error":
    case "unauthorised":
    case "not-started":
      return ending.message;
    case "limited":
      return ending.scope === "context" ? `ran out of context (${ending.message})` : ending.message;
    case "killed":
      return KILLED[ending.why];
  }
}

const KILLED = {
  idle: "was silent for too long and was ended",
  timeout: "took longer than its time limit and was ended",
  stopped: "was ended because the run was stopped",
  signal: "was killed by a signal",
} as const;
