import type { AgentEvent } from "../../events.ts";
import { notice } from "../events.ts";
import { isObject, type JsonObject, numberAt, objectAt, parseObject, stringAt } from "../json.ts";
import { todosIn } from "../todos.ts";
import { outputHead, summaryOf } from "../tool-text.ts";

/** What a tool's outcome may be told in, whichever tool it was. */
const OUTPUTS = ["content", "stdout", "stderr", "output", "error", "errorMessage", "message", "reason"];

/** The events of a `tool_call` line. The tool is the key of its body: `{"shellToolCall":{"args":…,"result":…}}`. */
export function callEvents(message: JsonObject): readonly AgentEvent[] {
  const callId = stringAt(message, "call_id") ?? "";
  const [key = "tool", body] =
    Object.entries(objectAt(message, "tool_call")).find(([, one]) => isObject(one)) ?? [];
  const call = isObject(body) ? body : {};
  const subtype = stringAt(message, "subtype");
  if (subtype === "started") return startEvents(callId, key, call);
  if (subtype === "completed") return [endEvent(callId, objectAt(call, "result"))];
  return [notice("debug", `tool_call: ${subtype ?? "?"}`)];
}

function startEvents(callId: string, key: string, call: JsonObject): readonly AgentEvent[] {
  // Some tools are told as a function with its arguments in a string.
  const told = key === "function" ? stringAt(call, "name") : undefined;
  const words = stringAt(call, "arguments") ?? "";
  const args = key === "function" ? (parseObject(words) ?? words) : call["args"];
  const name = told ?? key.replace(/ToolCall$/, "");
  const started: AgentEvent = { type: "tool.started", callId, name, summary: summaryOf(args) };
  return name === "updateTodos" && isObject(args)
    ? [started, { type: "todos", items: todosIn(args) }]
    : [started];
}

/** The outcome too is a key: `success`, `rejected`, `error` and others. */
function endEvent(callId: string, result: JsonObject): AgentEvent {
  const [kind = "", body] = Object.entries(result).find(([, one]) => isObject(one)) ?? [];
  const outcome = isObject(body) ? body : {};
  const output = OUTPUTS.map((key) => stringAt(outcome, key) ?? "").filter((text) => text !== "");
  return {
    type: "tool.ended",
    callId,
    ok: kind === "success" && (numberAt(outcome, "exitCode") ?? 0) === 0,
    ...outputHead(output.join("\n")),
    ...(kind === "rejected" || kind === "permissionDenied" ? { denied: true } : {}),
  };
}
