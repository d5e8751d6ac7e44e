import type { AgentEnding } from "../../events.ts";
import type { TurnFacts } from "../agent.ts";
import { streamEnding } from "../endings.ts";

/**
 * How a turn of Codex ended. An `error` in its stream is no end (Codex tries again), a stream that just stops was
 * interrupted, and the causes of `turn.failed` are told in prose only.
 */
export function classifyCodex(facts: TurnFacts): AgentEnding {
  return streamEnding(facts, "codex");
}
