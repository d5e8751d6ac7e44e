import type { AgentEnding } from "../../events.ts";
import type { TurnFacts } from "../agent.ts";
import { streamEnding } from "../endings.ts";

/** How a turn of Amp ended. Its stream follows Claude's, and so do the rules. */
export function classifyAmp(facts: TurnFacts): AgentEnding {
  return streamEnding(facts, "amp");
}
