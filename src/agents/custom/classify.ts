import type { AgentEnding } from "../../events.ts";
import type { TurnFacts } from "../agent.ts";
import { failedEnding, lastLine, outerEnding, withReason } from "../endings.ts";

/** How a turn of a custom program ended: its exit code decides, and its words are only read when that is bad. */
export function classifyCustom(facts: TurnFacts): AgentEnding {
  const outer = outerEnding(facts);
  if (outer !== undefined) return outer;
  if (facts.exitCode === 0) return { kind: "finished" };
  const reason = lastLine(facts.stderrTail) ?? lastLine(facts.finalText);
  return failedEnding(facts, withReason(`the agent exited with code ${facts.exitCode ?? "unknown"}`, reason));
}
