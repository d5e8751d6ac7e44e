import type { AgentEvent } from "../../events.ts";
import type { StreamParser } from "../agent.ts";
import { notice, ofSub } from "../events.ts";
import { type Failure, failureEvents } from "../failures.ts";
import { type JsonObject, numberAt, objectAt, parseObject, stringAt } from "../json.ts";
import { limitOfStatus } from "../limits.ts";
import { oneLine, outputHead, summaryOf } from "../tool-text.ts";

/** What a parser of Copilot's stream remembers from line to line. */
interface Memory {
  model: string | undefined;
  /** The last thing that the main agent said: Copilot does not repeat it at the end. */
  lastText: string;
  failure: Failure | undefined;
}

/** Every line of Copilot's own begins its type with one of these; most lines tell nothing that ralph shows. */
const OWN =
  /^(?:abort|(?:agent|assistant|hook|mcp|model|permission|session|skill|subagent|system|tool|user)\.\w+)/;

/** A parser of what `copilot --output-format json` prints. */
export function copilotParser(): StreamParser {
  const memory: Memory = { model: undefined, lastText: "", failure: undefined };
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
  const data = objectAt(message, "data");
  const sub = stringAt(data, "parentToolCallId") ?? stringAt(message, "agentId");
  switch (type) {
    case "session.tools_updated":
      memory.model = stringAt(data, "model");
      return [notice("debug", type)];
    case "assistant.message":
      return saidEvents(stringAt(data, "content") ?? "", sub, memory);
    case "assistant.reasoning":
      return [{ type: "thinking", text: stringAt(data, "content") ?? "", ...ofSub(sub) }];
    case "tool.execution_start":
      return [startEvent(data, sub)];
    case "tool.execution_complete":
      return [endEvent(data, sub)];
    case "model.call_failure":
      return [attemptEvent(data)];
    case "session.error":
      memory.failure = {
        words: withoutWaits(stringAt(data, "message") ?? stringAt(data, "errorType") ?? "error"),
        status: numberAt(data, "statusCode"),
      };
      return [notice("warning", memory.failure.words)];
    case "session.warning":
    case "session.info":
      return [notice(type === "session.info" ? "info" : "warning", stringAt(data, "message") ?? type)];
    case "result":
      return resultEvents(message, memory);
    default:
      return OWN.test(type) ? [notice("debug", type)] : undefined;
  }
}

function saidEvents(text: string, sub: string | undefined, memory: Memory): readonly AgentEvent[] {
  if (text.trim() === "") return [notice("debug", "assistant.message: no text")];
  if (sub === undefined) memory.lastText = text;
  return [{ type: "text", text, ...ofSub(sub) }];
}

function startEvent(data: JsonObject, sub: string | undefined): AgentEvent {
  return {
    type: "tool.started",
    callId: stringAt(data, "toolCallId") ?? "",
    name: stringAt(data, "toolName") ?? "tool",
    summary: summaryOf(data["arguments"]),
    ...ofSub(sub),
  };
}

/** A command that failed is a success to Copilot: its exit code says otherwise. */
function endEvent(data: JsonObject, sub: string | undefined): AgentEvent {
  const error = objectAt(data, "error");
  const exitCode = numberAt(objectAt(data, "shellExecution"), "exitCode") ?? 0;
  const output = stringAt(objectAt(data, "result"), "content") ?? stringAt(error, "message") ?? "";
  return {
    type: "tool.ended",
    callId: stringAt(data, "toolCallId") ?? "",
    ok: data["success"] === true && exitCode === 0,
    ...outputHead(output),
    ...(stringAt(error, "code") === "denied" ? { denied: true } : {}),
    ...ofSub(sub),
  };
}

/** A request that failed. It is tried again, or `session.error` follows and says it once more. */
function attemptEvent(data: JsonObject): AgentEvent {
  const status = numberAt(data, "statusCode");
  const offline = stringAt(data, "failureKind") === "transport" ? "offline" : undefined;
  const scope = limitOfStatus(status) ?? offline;
  const words = stringAt(data, "errorMessage") ?? stringAt(data, "failureKind") ?? "failed";
  const told = stringAt(parseObject(words) ?? {}, "message") ?? words.replace(/^"|"$/g, "");
  const message = oneLine(`${status === undefined ? "" : `${status} `}${told}`);
  return scope === undefined ? notice("warning", message) : { type: "limited", scope, message, final: false };
}

function resultEvents(message: JsonObject, memory: Memory): readonly AgentEvent[] {
  const { model, lastText, failure } = memory;
  const sessionId = stringAt(message, "sessionId");
  const session: readonly AgentEvent[] =
    sessionId === undefined
      ? []
      : [{ type: "session", sessionId, ...(model === undefined ? {} : { model }) }];
  if (numberAt(message, "exitCode") === 0) return [...session, { type: "result", ok: true, text: lastText }];
  return [...session, ...failureEvents(failure ?? { words: "the turn failed" })];
}

/** How long it has tried already would be taken for a time to wait. */
function withoutWaits(words: string): string {
  return words.replace(/\s*\(total retry wait time: [^)]*\)/, "");
}
