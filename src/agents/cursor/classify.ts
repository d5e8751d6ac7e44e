import type { AgentEnding } from "../../events.ts";
import type { TurnFacts } from "../agent.ts";
import { streamEnding } from "../endings.ts";

/** How a turn of Cursor ended. By its documentation a failed one has no result: the stream ends, and stderr says why. */
export function classifyCursor(facts: TurnFacts): AgentEnding {
  return streamEnding(facts, "cursor");
}
