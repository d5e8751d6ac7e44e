import type { AgentEnding } from "../../events.ts";
import type { TurnFacts } from "../agent.ts";
import { streamEnding } from "../endings.ts";

/**
 * How a turn of Claude Code ended. Its exit code and its "success" both lie: an interrupted Claude exits with 0 and has
 * no result, and a request that failed for good is a result of subtype "success" with `is_error` (the parser tells).
 */
export function classifyClaude(facts: TurnFacts): AgentEnding {
  return streamEnding(facts, "claude");
}
