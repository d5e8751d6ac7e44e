import type { AgentEnding } from "../../events.ts";
import type { TurnFacts } from "../agent.ts";
import { streamEnding } from "../endings.ts";

/** How a turn of OpenCode ended. A stream whose last step did not stop by itself has no result, whatever the exit code. */
export function classifyOpencode(facts: TurnFacts): AgentEnding {
  return streamEnding(facts, "opencode");
}
