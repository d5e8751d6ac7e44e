import { split } from "shlex";
import type { AgentEvent, Todo } from "../../events.ts";
import { notice } from "../events.ts";
import { isObject, type JsonObject, numberAt, objectAt, objectsAt, stringAt } from "../json.ts";
import { oneLine, outputHead, summaryOf } from "../tool-text.ts";
import type { CodexMemory } from "./parse.ts";

/** Statuses of a call that did not come off. */
const NOT_OK = new Set(["failed", "declined", "in_progress"]);

/** The events of a line about one item of a turn: something said, a tool call, a list. */
export function itemEvents(stage: string, item: JsonObject, memory: CodexMemory): readonly AgentEvent[] {
  const type = stringAt(item, "type") ?? "?";
  const done = stage === "item.completed";
  switch (type) {
    case "agent_message":
      return done ? saidEvents(stringAt(item, "text") ?? "", memory) : [notice("debug", `${stage}: ${type}`)];
    case "reasoning":
      return done
        ? [{ type: "thinking", text: stringAt(item, "text") ?? "" }]
        : [notice("debug", `${stage}: ${type}`)];
    case "todo_list":
      return [{ type: "todos", items: objectsAt(item, "items").map(asTodo) }];
    case "error":
      return [notice("warning", stringAt(item, "message") ?? "error")];
    case "command_execution":
    case "file_change":
    case "mcp_tool_call":
    case "web_search":
      return callEvents(stage, callOf(type, item), item, memory);
    default:
      return [notice("debug", `${stage}: ${type}`)];
  }
}

interface Call {
  readonly name: string;
  readonly summary: string;
  readonly output: string;
}

function saidEvents(text: string, memory: CodexMemory): readonly AgentEvent[] {
  memory.lastText = text;
  return [{ type: "text", text }];
}

/** A call that is told only when it is over gets its beginning all the same, so that both always come in pairs. */
function callEvents(stage: string, call: Call, item: JsonObject, memory: CodexMemory): readonly AgentEvent[] {
  const callId = stringAt(item, "id") ?? "";
  const begun = memory.open.has(callId);
  memory.open.add(callId);
  const started: readonly AgentEvent[] = begun
    ? []
    : [{ type: "tool.started", callId, name: call.name, summary: call.summary }];
  if (stage !== "item.completed") return begun ? [notice("debug", `${stage}: ${call.name}`)] : started;
  memory.open.delete(callId);
  const status = stringAt(item, "status") ?? "completed";
  const exitCode = numberAt(item, "exit_code") ?? 0;
  const ended: AgentEvent = {
    type: "tool.ended",
    callId,
    ok: !NOT_OK.has(status) && exitCode === 0,
    ...outputHead(call.output),
    ...(status === "declined" ? { denied: true } : {}),
  };
  return [...started, ended];
}

function callOf(type: string, item: JsonObject): Call {
  if (type === "command_execution") {
    const summary = oneLine(innerCommand(stringAt(item, "command") ?? ""));
    return { name: "Bash", summary, output: stringAt(item, "aggregated_output") ?? "" };
  }
  if (type === "file_change") {
    const changes = objectsAt(item, "changes").map(
      (change) => `${stringAt(change, "kind") ?? "change"} ${stringAt(change, "path") ?? "?"}`,
    );
    return { name: "Patch", summary: oneLine(changes.join(", ")), output: changes.join("\n") };
  }
  if (type === "mcp_tool_call") {
    const name = `${stringAt(item, "server") ?? "mcp"}.${stringAt(item, "tool") ?? "?"}`;
    return { name, summary: summaryOf(item["arguments"]), output: mcpOutput(item) };
  }
  return { name: "WebSearch", summary: oneLine(stringAt(item, "query") ?? ""), output: "" };
}

function mcpOutput(item: JsonObject): string {
  const parts = objectsAt(objectAt(item, "result"), "content");
  const error = isObject(item["error"]) ? stringAt(item["error"], "message") : undefined;
  return (
    error ?? parts.map((part) => stringAt(part, "text") ?? `[${stringAt(part, "type") ?? "?"}]`).join("\n")
  );
}

/** Codex wraps every command as `/bin/bash -lc '…'`; what it runs is the last word. */
function innerCommand(command: string): string {
  if (!/^\S*(?:ba|z|da)?sh -l?c /.test(command)) return command;
  try {
    const words = split(command);
    return words.length === 3 ? (words[2] ?? command) : command;
  } catch {
    return command; // an unbalanced quote: the line is shown as it came
  }
}

function asTodo(item: JsonObject): Todo {
  return { text: stringAt(item, "text") ?? "", state: item["completed"] === true ? "done" : "pending" };
}
