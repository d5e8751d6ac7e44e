import type { AgentEvent } from "../../events.ts";
import type { StreamParser } from "../agent.ts";
import { notice } from "../events.ts";
import { type JsonObject, objectAt, parseObject, stringAt } from "../json.ts";
import { assistantEvents, userEvents } from "./messages.ts";
import { rateLimitEvents, resultEvents } from "./result.ts";
import { systemEvents } from "./system.ts";
import { type TaskList, taskList } from "./task-list.ts";

/** What a parser of Claude's stream remembers from line to line. */
export interface ClaudeMemory {
  readonly tasks: TaskList;
  /** The error code of the last message that Claude made up for a failed request. */
  errorCode: string | undefined;
  /** When the plan's limit resets, as last told. */
  resetAtMs: number | undefined;
}

/** Lines that belong to the stream and tell nothing that ralph shows. */
const QUIET = new Set([
  "auth_status",
  "control_cancel_request",
  "control_request",
  "control_response",
  "conversation_reset",
  "keep_alive",
  "prompt_suggestion",
  "tool_progress",
  "tool_use_summary",
]);

/** A parser of what `claude -p --output-format stream-json --verbose` prints. */
export function claudeParser(): StreamParser {
  const memory: ClaudeMemory = { tasks: taskList(), errorCode: undefined, resetAtMs: undefined };
  return {
    line(line) {
      if (line.trim() === "") return [];
      const message = parseObject(line);
      const type = message === undefined ? undefined : stringAt(message, "type");
      const events =
        message === undefined || type === undefined ? undefined : eventsOf(type, message, memory);
      if (events === undefined) return [{ type: "unrecognised", line }];
      return events.length > 0 ? events : [notice("debug", `${type}: nothing in it`)];
    },
  };
}

function eventsOf(
  type: string,
  message: JsonObject,
  memory: ClaudeMemory,
): readonly AgentEvent[] | undefined {
  switch (type) {
    case "system":
      return systemEvents(message);
    case "assistant":
      return assistantEvents(message, memory);
    case "user":
      return userEvents(message, memory);
    case "result":
      return resultEvents(message, memory);
    case "rate_limit_event":
      return rateLimitEvents(message, memory);
    case "stream_event":
      return [notice("debug", `stream: ${stringAt(objectAt(message, "event"), "type") ?? "?"}`)];
    default:
      return QUIET.has(type) ? [notice("debug", type)] : undefined;
  }
}
