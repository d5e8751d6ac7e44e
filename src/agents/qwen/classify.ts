import type { AgentEnding } from "../../events.ts";
import type { TurnFacts } from "../agent.ts";
import { streamEnding } from "../endings.ts";

/** How a turn of Qwen ended. Exit code 0 and "success" prove nothing there: the parser reads the text as well. */
export function classifyQwen(facts: TurnFacts): AgentEnding {
  return streamEnding(facts, "qwen");
}
