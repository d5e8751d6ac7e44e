import type { AgentEnding } from "../../events.ts";
import type { TurnFacts } from "../agent.ts";
import { streamEnding } from "../endings.ts";

/** How a turn of Copilot ended. Its last line tells the exit code; what failed stands in the error before it. */
export function classifyCopilot(facts: TurnFacts): AgentEnding {
  return streamEnding(facts, "copilot");
}
