import type { AgentEnding } from "../../events.ts";
import type { TurnFacts } from "../agent.ts";
import { streamEnding } from "../endings.ts";
import { limitOfStatus } from "../limits.ts";

/**
 * How a turn of Gemini ended. After a failed request its exit code is the status of the answer as far as a byte holds
 * it (401 is 145), which tells what the words of the service leave out.
 */
export function classifyGemini(facts: TurnFacts): AgentEnding {
  const ending = streamEnding(facts, "gemini");
  if (ending.kind !== "error" || facts.result?.ok !== false || facts.exitCode === null) return ending;
  const status = facts.exitCode + 256;
  if (status === 401 || status === 403) return { kind: "unauthorised", message: ending.message };
  const scope = limitOfStatus(status);
  return scope === undefined ? ending : { kind: "limited", scope, message: ending.message };
}
