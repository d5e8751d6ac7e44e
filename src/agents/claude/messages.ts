import type { AgentEvent } from "../../events.ts";
import { notice, ofSub } from "../events.ts";
import { arrayAt, isObject, type JsonObject, objectAt, objectsAt, stringAt } from "../json.ts";
import { outputHead, summaryOf } from "../tool-text.ts";
import type { ClaudeMemory } from "./parse.ts";

/**
 * What Claude writes as the outcome of a tool call that it was not allowed to make. A command that ran and failed
 * begins with "Exit code", so that its output cannot pass for one of these.
 */
const DENIED = [
  /^Claude requested permissions? to .*haven['’]t granted it yet/s,
  /^Permission to use .* has been denied/s,
  /^This (?:Bash )?command (?:.{0,200} )?requires? approval/s,
  /^(?!Exit code).{0,300}was blocked\. For security, Claude Code may only/s,
  /^(?!Exit code).{0,300}needs approval\. The path is/s,
];

/** The events of an `assistant` line: one for each block of its content. */
export function assistantEvents(line: JsonObject, memory: ClaudeMemory): readonly AgentEvent[] {
  const message = objectAt(line, "message");
  const sub = stringAt(line, "parent_tool_use_id");
  const synthetic = stringAt(message, "model") === "<synthetic>";
  if (sub === undefined) memory.errorCode = synthetic ? stringAt(line, "error") : undefined;
  return blocksOf(message).flatMap((block) => {
    const type = stringAt(block, "type") ?? "";
    if (type === "text") return textEvents(stringAt(block, "text") ?? "", sub, synthetic);
    if (type === "thinking")
      return [{ type: "thinking", text: stringAt(block, "thinking") ?? "", ...ofSub(sub) }];
    if (type.endsWith("tool_use")) return startEvents(block, sub, memory);
    if (type.endsWith("tool_result")) return endEvents(block, line, sub, memory);
    return [notice("debug", `assistant: ${type}`)];
  });
}

/** The events of a `user` line: outcomes of tool calls, and words that are put into the conversation. */
export function userEvents(line: JsonObject, memory: ClaudeMemory): readonly AgentEvent[] {
  const sub = stringAt(line, "parent_tool_use_id");
  return blocksOf(objectAt(line, "message")).flatMap((block) => {
    const type = stringAt(block, "type") ?? "";
    if (type.endsWith("tool_result")) return endEvents(block, line, sub, memory);
    const level = line["isSynthetic"] === true ? "info" : "debug";
    return [notice(level, `user: ${stringAt(block, "text") ?? type}`)];
  });
}

/** The content of a message is a list of blocks, or a bare string. */
function blocksOf(message: JsonObject): readonly JsonObject[] {
  const text = stringAt(message, "content");
  return text === undefined ? objectsAt(message, "content") : [{ type: "text", text }];
}

function textEvents(text: string, sub: string | undefined, synthetic: boolean): readonly AgentEvent[] {
  // Claude words a failed request as if the model had said it: it must not be taken for the agent's text.
  if (synthetic) return [notice("warning", text)];
  return text === "" ? [notice("debug", "assistant: empty text")] : [{ type: "text", text, ...ofSub(sub) }];
}

function startEvents(
  block: JsonObject,
  sub: string | undefined,
  memory: ClaudeMemory,
): readonly AgentEvent[] {
  const callId = stringAt(block, "id") ?? "";
  const name = stringAt(block, "name") ?? "tool";
  const started: AgentEvent = {
    type: "tool.started",
    callId,
    name,
    summary: summaryOf(block["input"]),
    ...ofSub(sub),
  };
  return sub === undefined
    ? [started, ...memory.tasks.called(callId, name, objectAt(block, "input"))]
    : [started];
}

function endEvents(
  block: JsonObject,
  line: JsonObject,
  sub: string | undefined,
  memory: ClaudeMemory,
): readonly AgentEvent[] {
  const callId = stringAt(block, "tool_use_id") ?? "";
  const text = contentText(block["content"]);
  const ok = block["is_error"] !== true;
  const denied = !ok && (wasRejected(line, callId) || DENIED.some((words) => words.test(text)));
  const ended: AgentEvent = {
    type: "tool.ended",
    callId,
    ok,
    ...outputHead(text),
    ...(denied ? { denied } : {}),
    ...ofSub(sub),
  };
  const outcome = line["tool_use_result"];
  return sub === undefined ? [ended, ...memory.tasks.answered(callId, ok, text, outcome)] : [ended];
}

/** Newer versions tell the decision beside the outcome. */
function wasRejected(line: JsonObject, callId: string): boolean {
  return objectsAt(line, "tool_result_meta").some(
    (meta) =>
      stringAt(meta, "id") === callId &&
      stringAt(objectAt(meta, "permission_decision"), "decision") === "reject",
  );
}

function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (isObject(content)) return stringAt(content, "text") ?? "";
  const parts = arrayAt({ content }, "content").filter(isObject);
  return parts.map((part) => stringAt(part, "text") ?? `[${stringAt(part, "type") ?? "?"}]`).join("\n");
}
