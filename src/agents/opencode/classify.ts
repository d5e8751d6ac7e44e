import type { AgentEnding } from "../../events.ts";
import type { TurnFacts } from "../agent.ts";
import { streamEnding } from "../endings.ts";

/**
 * How a turn of OpenCode ended. A stream whose last step did not stop by itself has no result, whatever the exit code;
 * and after an error that it got over (a full context, in which it made room) the exit code is 1 all the same.
 */
export function classifyOpencode(facts: TurnFacts): AgentEnding {
  const gotOver = facts.result?.ok === true && facts.limited !== undefined && facts.exitCode === 1;
  return streamEnding(gotOver ? { ...facts, exitCode: 0 } : facts, "opencode");
}
