import { type AgentEvent, NO_USAGE, type Usage } from "../../events.ts";
import type { StreamParser } from "../agent.ts";
import { notice } from "../events.ts";
import { failureEvents } from "../failures.ts";
import { countAt, type JsonObject, numberAt, objectAt, parseObject, stringAt } from "../json.ts";
import { todosIn } from "../todos.ts";
import { outputHead, summaryOf } from "../tool-text.ts";

/** What a parser of OpenCode's stream remembers from line to line. */
interface Memory {
  sessionId: string | undefined;
  /** The last thing that it said: OpenCode has no line of its own for the result. */
  lastText: string;
  spent: Usage;
}

/** What OpenCode tells the model of a call that was not allowed: nobody was there to ask, or a rule forbids it. */
const DENIED = /^The user (?:rejected permission|has specified a rule which prevents)/;

/** A parser of what `opencode run --format json` prints. */
export function opencodeParser(): StreamParser {
  const memory: Memory = { sessionId: undefined, lastText: "", spent: NO_USAGE };
  return {
    line(line) {
      if (line.trim() === "") return [];
      const message = parseObject(line);
      const type = message === undefined ? undefined : stringAt(message, "type");
      if (message === undefined || type === undefined) return [{ type: "unrecognised", line }];
      const session = sessionEvents(message, memory);
      return [...session, ...(eventsOf(type, message, memory) ?? [{ type: "unrecognised", line }])];
    },
  };
}

/** Every line names the session; it is told once. */
function sessionEvents(message: JsonObject, memory: Memory): readonly AgentEvent[] {
  const sessionId = stringAt(message, "sessionID");
  if (sessionId === undefined || memory.sessionId !== undefined) return [];
  memory.sessionId = sessionId;
  return [{ type: "session", sessionId }];
}

function eventsOf(type: string, message: JsonObject, memory: Memory): readonly AgentEvent[] | undefined {
  const part = objectAt(message, "part");
  switch (type) {
    case "step_start":
      return [notice("debug", type)];
    case "text":
      return part["synthetic"] === true
        ? goOnEvents(memory)
        : saidEvents(stringAt(part, "text") ?? "", memory);
    case "reasoning":
      return [{ type: "thinking", text: stringAt(part, "text") ?? "" }];
    case "tool_use":
      return callEvents(part);
    case "step_finish":
      return stepEvents(part, memory);
    case "error":
      return errorEvents(objectAt(message, "error"), memory);
    default:
      return undefined;
  }
}

function saidEvents(text: string, memory: Memory): readonly AgentEvent[] {
  if (text.trim() === "") return [notice("debug", "empty text")];
  memory.lastText = text;
  return [{ type: "text", text }];
}

/**
 * OpenCode's own words to the model after it made room: what stopped before was the summary and no answer. That it goes
 * on is told by the session, so that its silence now is not taken for that of a program that has given its result.
 */
function goOnEvents(memory: Memory): readonly AgentEvent[] {
  const error = "the conversation was compacted, and nothing was said after that";
  return [
    notice("info", "the conversation was compacted"),
    { type: "result", ok: false, text: "", error, usage: memory.spent },
    { type: "session", sessionId: memory.sessionId ?? "" },
  ];
}

/** A call is told only when it is over; it gets its beginning all the same, so that both always come in pairs. */
function callEvents(part: JsonObject): readonly AgentEvent[] {
  const callId = stringAt(part, "callID") ?? "";
  const name = stringAt(part, "tool") ?? "tool";
  const state = objectAt(part, "state");
  const input = objectAt(state, "input");
  const error = stringAt(state, "error");
  const exitCode = numberAt(objectAt(state, "metadata"), "exit") ?? 0;
  const started: AgentEvent = { type: "tool.started", callId, name, summary: summaryOf(input) };
  const ended: AgentEvent = {
    type: "tool.ended",
    callId,
    ok: stringAt(state, "status") === "completed" && exitCode === 0,
    ...outputHead(stringAt(state, "output") ?? error ?? ""),
    ...(DENIED.test(error ?? "") ? { denied: true } : {}),
  };
  const todos: readonly AgentEvent[] = name === "todowrite" ? [{ type: "todos", items: todosIn(input) }] : [];
  return [started, ...todos, ended];
}

/** A step that stopped by itself is the turn's result; after tool calls another one follows. */
function stepEvents(part: JsonObject, memory: Memory): readonly AgentEvent[] {
  memory.spent = sum(memory.spent, objectAt(part, "tokens"), countAt(part, "cost"));
  const reason = stringAt(part, "reason") ?? "?";
  if (reason === "stop") return [{ type: "result", ok: true, text: memory.lastText, usage: memory.spent }];
  return reason === "length" || reason === "content-filter"
    ? failureEvents({ words: `the answer was cut off (${reason})` }, memory.spent)
    : [{ type: "usage", usage: memory.spent }];
}

function errorEvents(error: JsonObject, memory: Memory): readonly AgentEvent[] {
  const data = objectAt(error, "data");
  const words = stringAt(data, "message") ?? stringAt(error, "name") ?? "error";
  const name = stringAt(error, "name") ?? "";
  // A key that is missing is told by the name of the error alone.
  const told = name === "ProviderAuthError" ? `authentication failed: ${words}` : words;
  const failed = failureEvents({ words: told, status: numberAt(data, "statusCode") }, memory.spent);
  // With a full context it tries to make room, which takes as long as a turn may: see `goOnEvents`.
  return name === "ContextOverflowError"
    ? [...failed, { type: "session", sessionId: memory.sessionId ?? "" }]
    : failed;
}

function sum(spent: Usage, tokens: JsonObject, costUsd: number): Usage {
  const cache = objectAt(tokens, "cache");
  return {
    inputTokens: plus(spent.inputTokens, countAt(tokens, "input")),
    outputTokens: plus(spent.outputTokens, plus(countAt(tokens, "output"), countAt(tokens, "reasoning"))),
    cacheReadTokens: plus(spent.cacheReadTokens, countAt(cache, "read")),
    cacheWriteTokens: plus(spent.cacheWriteTokens, countAt(cache, "write")),
    costUsd: plus(spent.costUsd, costUsd),
  };
}

/** No figures that a program tells can add up to no figure at all. */
function plus(one: number, other: number): number {
  return Math.min(one + other, Number.MAX_VALUE);
}
