import type { AgentEnding } from "../events.ts";

/** How often the gates are run again in one iteration because something changed the tree under them. */
export const MAX_ROUNDS = 3;

const FIRST_WAIT_MS = 30_000;
const LONGEST_WAIT_MS = 60 * 60_000;
/** No plan resets later than after a month: a time beyond that is a slip of the pen, or worse. */
const LONGEST_TOLD_MS = 32 * 24 * 60 * 60_000;
/** How much later than it must a wait may end: runs that are held back together do not all come back at once. */
const JITTER = 0.1;

/** Does waiting help? A full context does not empty itself: that turn failed. */
export function isWaitable(ending: AgentEnding): ending is Extract<AgentEnding, { kind: "limited" }> {
  return ending.kind === "limited" && ending.scope !== "context";
}

/**
 * When to try again. The time that the agent told is believed the first time; after that, and when it lies in the past,
 * it is never less than the back-off, which would otherwise spin. The jitter comes from the facts alone, so that a run
 * that is resumed waits for the same moment.
 */
export function waitUntil(facts: {
  atMs: number;
  retryAtMs: number | undefined;
  /** How often in a row this agent was held back before. */
  earlier: number;
  /** What tells this wait from those of other runs. */
  seed: string;
}): number {
  const { atMs, earlier } = facts;
  const backOffMs = Math.min(FIRST_WAIT_MS * 2 ** Math.min(earlier, 20), LONGEST_WAIT_MS);
  const jitterMs = Math.floor(fractionOf(`${facts.seed} ${atMs}`) * backOffMs * JITTER);
  const told = facts.retryAtMs ?? 0;
  const isCredible = told > atMs && told <= atMs + LONGEST_TOLD_MS;
  if (!isCredible) return atMs + backOffMs + jitterMs;
  return (earlier === 0 ? told : Math.max(told, atMs + backOffMs)) + jitterMs;
}

/** A number from 0 up to 1 that looks random and is always the same for the same text (FNV-1a). */
function fractionOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let n = 0; n < text.length; n++) hash = Math.imul(hash ^ text.charCodeAt(n), 0x01000193);
  return (hash >>> 0) / 2 ** 32;
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
  limit: "used more memory or processes than the sandbox allows and was ended",
  signal: "was killed by a signal",
} as const;
