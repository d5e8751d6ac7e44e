import { type AgentEvent, NO_USAGE, type Usage } from "../../events.ts";
import type { StreamParser } from "../agent.ts";
import { claudeParser } from "../claude/parse.ts";
import { messageUsage } from "../claude/result.ts";
import { isObject, type JsonObject, objectAt, parseObject, stringAt } from "../json.ts";

/**
 * A parser of what `amp --stream-json -x` prints. The format is Claude's, but a result need not tell the tokens; then
 * those of the messages are added up, which in Amp are whole messages with their final figures.
 */
export function ampParser(): StreamParser {
  const inner = claudeParser();
  let spent: Usage = NO_USAGE;
  return {
    line(line) {
      const usage = usageOn(line);
      if (usage !== undefined) spent = sum(spent, messageUsage(usage));
      return inner.line(line).map((event) => withUsage(event, spent));
    },
  };
}

function usageOn(line: string): JsonObject | undefined {
  const message = parseObject(line) ?? {};
  const usage = objectAt(message, "message")["usage"];
  return stringAt(message, "type") === "assistant" && isObject(usage) ? usage : undefined;
}

function withUsage(event: AgentEvent, spent: Usage): AgentEvent {
  if (event.type !== "result" || event.usage !== undefined || spent === NO_USAGE) return event;
  return { ...event, usage: spent };
}

function sum(one: Usage, other: Usage): Usage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
    cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
    costUsd: one.costUsd + other.costUsd,
  };
}
