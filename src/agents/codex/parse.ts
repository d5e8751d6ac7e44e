import type { AgentEvent, Usage } from "../../events.ts";
import type { StreamParser } from "../agent.ts";
import { notice } from "../events.ts";
import { countAt, type JsonObject, objectAt, parseObject, stringAt } from "../json.ts";
import { limitIn } from "../limits.ts";
import { oneLine } from "../tool-text.ts";
import { itemEvents } from "./items.ts";

const ERROR_CHARS = 1000;

/** What a parser of Codex's stream remembers from line to line. */
export interface CodexMemory {
  /** The last thing that the agent said: Codex does not repeat it at the end. */
  lastText: string;
  /** Calls that began and have not ended. */
  readonly open: Set<string>;
}

/** A parser of what `codex exec --json` prints. */
export function codexParser(): StreamParser {
  const memory: CodexMemory = { lastText: "", open: new Set() };
  return {
    line(line) {
      if (line.trim() === "") return [];
      const message = parseObject(line);
      const type = message === undefined ? undefined : stringAt(message, "type");
      const events =
        message === undefined || type === undefined ? undefined : eventsOf(type, message, memory);
      return events ?? [{ type: "unrecognised", line }];
    },
  };
}

function eventsOf(type: string, message: JsonObject, memory: CodexMemory): readonly AgentEvent[] | undefined {
  switch (type) {
    case "thread.started":
      return [{ type: "session", sessionId: stringAt(message, "thread_id") ?? "" }];
    case "turn.started":
      return [notice("debug", type)];
    case "item.started":
    case "item.updated":
    case "item.completed":
      return itemEvents(type, objectAt(message, "item"), memory);
    case "turn.completed":
      return [
        { type: "result", ok: true, text: memory.lastText, usage: usageOf(objectAt(message, "usage")) },
      ];
    case "turn.failed":
      return failureEvents(stringAt(objectAt(message, "error"), "message") ?? stringAt(message, "message"));
    case "error":
      return errorEvents(stringAt(message, "message") ?? "error");
    default:
      return undefined;
  }
}

function failureEvents(words: string | undefined): readonly AgentEvent[] {
  const error = oneLine(words ?? "the turn failed", ERROR_CHARS);
  const scope = limitIn(error);
  const result: AgentEvent = { type: "result", ok: false, text: "", error };
  return scope === undefined ? [result] : [{ type: "limited", scope, message: error, final: true }, result];
}

/** An `error` is not the end: Codex tries again, or `turn.failed` follows and says it once more. */
function errorEvents(words: string): readonly AgentEvent[] {
  const scope = words.startsWith("Reconnecting") ? limitIn(words) : undefined;
  const message = oneLine(words, ERROR_CHARS);
  return [
    scope === undefined ? notice("warning", message) : { type: "limited", scope, message, final: false },
  ];
}

/** `input_tokens` holds the cached ones as well; elsewhere in ralph they are counted apart. No cost is told. */
function usageOf(usage: JsonObject): Usage {
  const cacheReadTokens = countAt(usage, "cached_input_tokens");
  return {
    inputTokens: Math.max(0, countAt(usage, "input_tokens") - cacheReadTokens),
    outputTokens: countAt(usage, "output_tokens"),
    cacheReadTokens,
    cacheWriteTokens: countAt(usage, "cache_write_input_tokens"),
    costUsd: 0,
  };
}
