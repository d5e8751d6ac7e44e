import type { AgentEvent, Usage } from "../../events.ts";
import type { StreamParser } from "../agent.ts";
import { notice } from "../events.ts";
import { failureEvents } from "../failures.ts";
import { countAt, type JsonObject, objectAt, parseObject, stringAt } from "../json.ts";
import { todosIn } from "../todos.ts";
import { outputHead, summaryOf } from "../tool-text.ts";

/** What a parser of Gemini's stream remembers from line to line. */
interface Memory {
  /** The pieces of what it is saying now; told as one text when something else follows. */
  saying: string;
  /** The last thing that it said: Gemini does not repeat it at the end. */
  lastText: string;
}

/** A parser of what `gemini -o stream-json` prints. */
export function geminiParser(): StreamParser {
  const memory: Memory = { saying: "", lastText: "" };
  return {
    line(line) {
      if (line.trim() === "") return [];
      const message = parseObject(line);
      const type = message === undefined ? undefined : stringAt(message, "type");
      if (message === undefined || type === undefined) return [{ type: "unrecognised", line }];
      if (type === "message" && stringAt(message, "role") === "assistant")
        return pieceEvents(message, memory);
      const said = wholeText(memory);
      return [...said, ...(eventsOf(type, message, memory) ?? [{ type: "unrecognised", line }])];
    },
  };
}

function eventsOf(type: string, message: JsonObject, memory: Memory): readonly AgentEvent[] | undefined {
  switch (type) {
    case "init":
      return sessionEvents(message);
    case "message":
      return [notice("debug", `${stringAt(message, "role") ?? "?"} message`)];
    case "tool_use":
      return startEvents(message);
    case "tool_result":
      return [endEvent(message)];
    case "error":
      return [notice("warning", stringAt(message, "message") ?? "error")];
    case "result":
      return resultEvents(message, memory);
    default:
      return undefined;
  }
}

function pieceEvents(message: JsonObject, memory: Memory): readonly AgentEvent[] {
  const piece = stringAt(message, "content") ?? "";
  if (message["delta"] === true) {
    memory.saying += piece;
    return [notice("debug", "a piece of a message")];
  }
  const before = wholeText(memory);
  memory.saying = piece;
  const said = [...before, ...wholeText(memory)];
  return said.length > 0 ? said : [notice("debug", "empty message")];
}

function wholeText(memory: Memory): readonly AgentEvent[] {
  const text = memory.saying;
  memory.saying = "";
  if (text.trim() === "") return [];
  memory.lastText = text;
  return [{ type: "text", text }];
}

function sessionEvents(message: JsonObject): readonly AgentEvent[] {
  const model = stringAt(message, "model");
  const sessionId = stringAt(message, "session_id") ?? "";
  return [{ type: "session", sessionId, ...(model === undefined ? {} : { model }) }];
}

function startEvents(message: JsonObject): readonly AgentEvent[] {
  const name = stringAt(message, "tool_name") ?? "tool";
  const input = objectAt(message, "parameters");
  const started: AgentEvent = {
    type: "tool.started",
    callId: stringAt(message, "tool_id") ?? "",
    name,
    summary: summaryOf(input),
  };
  return name === "write_todos" ? [started, { type: "todos", items: todosIn(input) }] : [started];
}

/** A command that failed is a success to Gemini too: its exit code is told nowhere. */
function endEvent(message: JsonObject): AgentEvent {
  const output = stringAt(message, "output") ?? stringAt(objectAt(message, "error"), "message") ?? "";
  return {
    type: "tool.ended",
    callId: stringAt(message, "tool_id") ?? "",
    ok: stringAt(message, "status") === "success",
    ...outputHead(output),
  };
}

function resultEvents(message: JsonObject, memory: Memory): readonly AgentEvent[] {
  const usage = usageOf(objectAt(message, "stats"));
  if (stringAt(message, "status") === "success") {
    return [{ type: "result", ok: true, text: memory.lastText, usage }];
  }
  const words = stringAt(objectAt(message, "error"), "message") ?? "the turn failed";
  return failureEvents({ words }, usage);
}

/** `input_tokens` holds the cached ones as well; elsewhere in ralph they are counted apart. No cost is told. */
function usageOf(stats: JsonObject): Usage {
  const cacheReadTokens = countAt(stats, "cached");
  return {
    inputTokens: Math.max(0, countAt(stats, "input_tokens") - cacheReadTokens),
    outputTokens: countAt(stats, "output_tokens"),
    cacheReadTokens,
    cacheWriteTokens: 0,
    costUsd: 0,
  };
}
