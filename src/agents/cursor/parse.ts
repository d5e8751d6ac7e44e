import type { AgentEvent, Usage } from "../../events.ts";
import type { StreamParser } from "../agent.ts";
import { notice } from "../events.ts";
import { failureEvents } from "../failures.ts";
import { countAt, isObject, type JsonObject, objectAt, objectsAt, parseObject, stringAt } from "../json.ts";
import { callEvents } from "./calls.ts";

/** What a parser of Cursor's stream remembers from line to line. */
interface Memory {
  /** The pieces of what it is thinking now; told as one thought when it is whole. */
  thought: string;
  /** The last thing that it said. */
  lastText: string;
}

/** A parser of what `cursor-agent -p --output-format stream-json` prints, by its documentation. */
export function cursorParser(): StreamParser {
  const memory: Memory = { thought: "", lastText: "" };
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

function eventsOf(type: string, message: JsonObject, memory: Memory): readonly AgentEvent[] | undefined {
  switch (type) {
    case "system":
      return sessionEvents(message);
    case "user":
      return [notice("debug", type)];
    case "thinking":
      return thoughtEvents(message, memory);
    case "assistant":
      return saidEvents(message, memory);
    case "tool_call":
      return callEvents(message);
    case "result":
      return resultEvents(message, memory);
    default:
      return undefined;
  }
}

function sessionEvents(message: JsonObject): readonly AgentEvent[] {
  const sessionId = stringAt(message, "session_id");
  const model = stringAt(message, "model");
  if (sessionId === undefined) return [notice("debug", "system")];
  return [{ type: "session", sessionId, ...(model === undefined ? {} : { model }) }];
}

function thoughtEvents(message: JsonObject, memory: Memory): readonly AgentEvent[] {
  memory.thought += stringAt(message, "text") ?? "";
  if (stringAt(message, "subtype") === "delta") return [notice("debug", "a piece of a thought")];
  const text = memory.thought;
  memory.thought = "";
  return [{ type: "thinking", text }];
}

/** With `--stream-partial-output` each text comes in pieces first, which bear a time and no call, and then whole. */
function saidEvents(message: JsonObject, memory: Memory): readonly AgentEvent[] {
  const isPiece = message["timestamp_ms"] !== undefined && message["model_call_id"] === undefined;
  const parts = objectsAt(objectAt(message, "message"), "content");
  const text = parts.map((part) => stringAt(part, "text") ?? "").join("");
  if (isPiece || text.trim() === "") return [notice("debug", "a piece of a message")];
  memory.lastText = text;
  return [{ type: "text", text }];
}

function resultEvents(message: JsonObject, memory: Memory): readonly AgentEvent[] {
  const usage = isObject(message["usage"]) ? usageOf(message["usage"]) : undefined;
  const whole = stringAt(message, "result") ?? "";
  const subtype = stringAt(message, "subtype");
  if (message["is_error"] !== false || subtype !== "success") {
    return failureEvents({ words: whole.trim() === "" ? (subtype ?? "the turn failed") : whole }, usage);
  }
  // The result holds all that was said in the turn; a claim is looked for in the last of it.
  const text = whole.trimEnd().endsWith(memory.lastText.trimEnd()) ? memory.lastText : whole;
  return [{ type: "result", ok: true, text: text === "" ? whole : text, ...(usage ? { usage } : {}) }];
}

/** Told by newer versions only. */
function usageOf(usage: JsonObject): Usage {
  return {
    inputTokens: countAt(usage, "inputTokens"),
    outputTokens: countAt(usage, "outputTokens"),
    cacheReadTokens: countAt(usage, "cacheReadTokens"),
    cacheWriteTokens: countAt(usage, "cacheWriteTokens"),
    costUsd: 0,
  };
}
