import { type JsonObject, numberAt, objectAt, objectsAt, stringAt } from "../../src/agents/json.ts";
import { contentText, openAiCode, openAiRefusal } from "./openai.ts";
import { type Protocol, pieces, type Spoken, type SpokenCall, sse } from "./protocol.ts";
import type { Conversation, OfferedTool } from "./script.ts";

/** OpenAI's Responses, as Codex speaks it. */
export const responses: Protocol = {
  name: "responses",
  read,
  stream,
  whole: (spoken) => responseOf(spoken, "completed", itemsOf(spoken)),
  refusal: openAiRefusal,
  refusalInStream: (refusal) => [
    sse(
      {
        type: "response.failed",
        response: {
          id: "resp_refused",
          object: "response",
          status: "failed",
          error: { code: openAiCode(refusal), message: refusal.message ?? openAiCode(refusal) },
        },
      },
      "response.failed",
    ),
  ],
};

function read(body: JsonObject): Conversation {
  const input = typeof body["input"] === "string" ? [{ role: "user", content: body["input"] }] : [];
  const items: readonly JsonObject[] = input.length > 0 ? input : objectsAt(body, "input");
  const last = items.slice(items.findLastIndex(isModels) + 1);
  const form = objectAt(objectAt(objectAt(body, "text"), "format"), "schema");
  const maxTokens = numberAt(body, "max_output_tokens");
  return {
    system: [
      stringAt(body, "instructions") ?? "",
      ...items.filter(isOf("developer", "system")).map((item) => contentText(item["content"])),
    ].join("\n"),
    heard: items.filter(isOf("user")).map((item) => contentText(item["content"])),
    results: last
      .filter((item) => stringAt(item, "type")?.endsWith("_output") === true)
      .map((item) => stringAt(item, "output") ?? contentText(item["output"])),
    tools: objectsAt(body, "tools").flatMap(offered),
    stream: body["stream"] === true,
    ...(Object.keys(form).length > 0 ? { form } : {}),
    ...(maxTokens === undefined ? {} : { maxTokens }),
  };
}

function isOf(...roles: string[]): (item: JsonObject) => boolean {
  return (item) => roles.includes(stringAt(item, "role") ?? "");
}

/** Did the model say this? */
function isModels(item: JsonObject): boolean {
  return item["role"] === "assistant" || /_call$|^reasoning$/.test(stringAt(item, "type") ?? "");
}

/** Tools of the service itself, such as its web search, are no one's to call. */
function offered(tool: JsonObject): OfferedTool[] {
  const name = stringAt(tool, "name") ?? "";
  if (tool["type"] === "function") return [{ name, kind: "function", schema: objectAt(tool, "parameters") }];
  return tool["type"] === "custom" ? [{ name, kind: "freeform", schema: {} }] : [];
}

function responseOf(spoken: Spoken, status: string, output: readonly JsonObject[]): JsonObject {
  const { input, output: said } = spoken.tokens;
  const usage = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: said,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + said,
  };
  return {
    id: spoken.id,
    object: "response",
    created_at: 0,
    status,
    model: spoken.model,
    output,
    usage: status === "completed" ? usage : null,
  };
}

function itemsOf(spoken: Spoken): JsonObject[] {
  const reasoning = {
    type: "reasoning",
    id: `rs_${spoken.id}`,
    summary: [{ type: "summary_text", text: spoken.think }],
  };
  const message = {
    type: "message",
    id: `msg_${spoken.id}`,
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: spoken.say, annotations: [] }],
  };
  return [
    ...(spoken.think === "" ? [] : [reasoning]),
    ...(spoken.say === "" ? [] : [message]),
    ...spoken.calls.map(callItem),
  ];
}

function callItem({ id, name, kind, input }: SpokenCall): JsonObject {
  return kind === "freeform"
    ? { type: "custom_tool_call", id: `ctc_${id}`, call_id: id, name, input, status: "completed" }
    : {
        type: "function_call",
        id: `fc_${id}`,
        call_id: id,
        name,
        arguments: JSON.stringify(input),
        status: "completed",
      };
}

function stream(spoken: Spoken): string[] {
  const events: (JsonObject & { type: string })[] = [
    { type: "response.created", response: responseOf(spoken, "in_progress", []) },
    ...itemsOf(spoken).flatMap((item, index) => [
      { type: "response.output_item.added", output_index: index, item: begun(item) },
      ...deltasOf(item).map((delta) => ({ ...delta, item_id: item["id"], output_index: index })),
      { type: "response.output_item.done", output_index: index, item },
    ]),
    { type: "response.completed", response: responseOf(spoken, "completed", itemsOf(spoken)) },
  ];
  return events.map((event, n) => sse({ ...event, sequence_number: n }, event.type));
}

/** An item as it begins: what is in it comes in pieces. */
function begun(item: JsonObject): JsonObject {
  switch (item["type"]) {
    case "message":
      return { ...item, status: "in_progress", content: [] };
    case "reasoning":
      return { ...item, summary: [] };
    case "function_call":
      return { ...item, status: "in_progress", arguments: "" };
    default:
      return { ...item, status: "in_progress", input: "" };
  }
}

function deltasOf(item: JsonObject): (JsonObject & { type: string })[] {
  const deltas = (type: string, text: string, more: JsonObject = {}) =>
    pieces(text).map((delta) => ({ type, ...more, delta }));
  switch (item["type"]) {
    case "message": {
      const text = stringAt(objectsAt(item, "content")[0] ?? {}, "text") ?? "";
      const part = (words: string) => ({
        content_index: 0,
        part: { type: "output_text", text: words, annotations: [] },
      });
      return [
        { type: "response.content_part.added", ...part("") },
        ...deltas("response.output_text.delta", text, { content_index: 0 }),
        { type: "response.output_text.done", content_index: 0, text },
        { type: "response.content_part.done", ...part(text) },
      ];
    }
    case "reasoning": {
      const text = stringAt(objectsAt(item, "summary")[0] ?? {}, "text") ?? "";
      const part = (words: string) => ({ summary_index: 0, part: { type: "summary_text", text: words } });
      return [
        { type: "response.reasoning_summary_part.added", ...part("") },
        ...deltas("response.reasoning_summary_text.delta", text, { summary_index: 0 }),
        { type: "response.reasoning_summary_text.done", summary_index: 0, text },
        { type: "response.reasoning_summary_part.done", ...part(text) },
      ];
    }
    case "function_call": {
      const text = stringAt(item, "arguments") ?? "";
      return [
        ...deltas("response.function_call_arguments.delta", text),
        { type: "response.function_call_arguments.done", arguments: text },
      ];
    }
    default: {
      const text = stringAt(item, "input") ?? "";
      return [
        ...deltas("response.custom_tool_call_input.delta", text),
        { type: "response.custom_tool_call_input.done", input: text },
      ];
    }
  }
}
