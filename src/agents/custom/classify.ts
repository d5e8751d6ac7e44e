import type { AgentEnding } from "../../events.ts";
import type { TurnFacts } from "../agent.ts";
import { lastLine, outerEnding, withReason } from "../endings.ts";
import { isNoConnection } from "../limits.ts";
import { resetTimeIn } from "../reset-time.ts";

/** Only these words of an unknown program mean a limit; anything looser would be found in the output of its tests. */
const HELD_BACK = /\b(?:too many requests|rate[ -]limit(?:ed)?(?: exceeded| reached)|usage limit reached)\b/i;

/** How a turn of a custom program ended: its exit code decides, and its last words are only read when that is bad. */
export function classifyCustom(facts: TurnFacts): AgentEnding {
  const outer = outerEnding(facts);
  if (outer !== undefined) return outer;
  if (facts.exitCode === 0) return { kind: "finished" };
  const reason = lastLine(facts.stderrTail) ?? lastLine(facts.finalText);
  const message = withReason(`the agent exited with code ${facts.exitCode ?? "unknown"}`, reason);
  // What it prints is its own text; that there is no connection a program says on its other stream.
  if (isNoConnection(lastLine(facts.stderrTail) ?? "")) return { kind: "limited", scope: "offline", message };
  if (reason === undefined || !HELD_BACK.test(reason)) return { kind: "error", message };
  const retryAtMs = resetTimeIn(reason, facts.nowMs);
  return { kind: "limited", scope: "rate", message, ...(retryAtMs === undefined ? {} : { retryAtMs }) };
}
