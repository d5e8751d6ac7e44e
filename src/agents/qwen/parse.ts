import type { AgentEvent, Usage } from "../../events.ts";
import type { StreamParser } from "../agent.ts";
import { claudeParser } from "../claude/parse.ts";
import { notice } from "../events.ts";
import { failureEvents } from "../failures.ts";
import { type JsonObject, objectAt, objectsAt, parseObject, stringAt } from "../json.ts";
import { todosIn } from "../todos.ts";

/**
 * How Qwen words a request that failed for good: as if the model had said it, with exit code 0 and "success". A model
 * that ends with just such words is taken for failed too; that costs a turn, the other mistake would cost the truth.
 */
const API_ERROR = "[API Error: ";

/** A parser of what `qwen -o stream-json` prints. The format is Claude's, with tools and failures of its own. */
export function qwenParser(): StreamParser {
  const inner = claudeParser();
  return {
    line(line) {
      const message = parseObject(line) ?? {};
      return inner.line(line).flatMap((event) => inQwensWay(event, message));
    },
  };
}

function inQwensWay(event: AgentEvent, message: JsonObject): readonly AgentEvent[] {
  switch (event.type) {
    case "session": {
      const version = stringAt(message, "qwen_code_version");
      return [version === undefined ? event : { ...event, version }];
    }
    case "text":
      return [event.text.startsWith(API_ERROR) ? notice("warning", event.text) : event];
    case "tool.started":
      return event.name === "todo_write" && event.sub === undefined
        ? [event, { type: "todos", items: todosIn(inputOf(event.callId, message)) }]
        : [event];
    case "limited":
      return stringAt(message, "type") === "result" ? [] : [event]; // `failureEvents` tells it anew
    case "result":
      return resultEvents(event, message);
    default:
      return [event];
  }
}

function inputOf(callId: string, message: JsonObject): JsonObject {
  const blocks = objectsAt(objectAt(message, "message"), "content");
  return objectAt(blocks.find((block) => stringAt(block, "id") === callId) ?? {}, "input");
}

function resultEvents(
  event: Extract<AgentEvent, { type: "result" }>,
  message: JsonObject,
): readonly AgentEvent[] {
  const usage = event.usage === undefined ? undefined : withoutCached(event.usage);
  const failed = event.ok ? apiErrorIn(event.text) : errorOf(event, message);
  if (failed !== undefined) return failureEvents({ words: failed }, usage);
  return [{ ...event, ...(usage === undefined ? {} : { usage }) }];
}

/** The failure at the end of a text. Before it may stand what was said until then. */
function apiErrorIn(text: string): string | undefined {
  const end = text.trimEnd();
  const at = end.endsWith("]") ? end.lastIndexOf(API_ERROR) : -1;
  return at === -1 ? undefined : end.slice(at);
}

function errorOf(event: Extract<AgentEvent, { type: "result" }>, message: JsonObject): string {
  return stringAt(objectAt(message, "error"), "message") ?? event.error ?? "the turn failed";
}

/** Qwen counts the cached tokens among the input; elsewhere in ralph they are counted apart. */
function withoutCached(usage: Usage): Usage {
  return { ...usage, inputTokens: Math.max(0, usage.inputTokens - usage.cacheReadTokens) };
}
