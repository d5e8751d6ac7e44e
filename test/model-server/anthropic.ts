import { isObject, type JsonObject, numberAt, objectAt, objectsAt, stringAt } from "../../src/agents/json.ts";
import { type Protocol, pieces, type Spoken, sse } from "./protocol.ts";
import type { Conversation, Refusal } from "./script.ts";

/** Anthropic's Messages, as Claude Code speaks it. */
export const anthropic: Protocol = {
  name: "anthropic",
  read,
  stream,
  whole,
  refusal: (refusal) => ({
    type: "error",
    error: { type: codeOf(refusal), message: refusal.message ?? codeOf(refusal) },
    request_id: "req_test",
  }),
  refusalInStream(refusal) {
    return [sse(this.refusal(refusal), "error")];
  },
};

const CODES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
  529: "overloaded_error",
};

function codeOf(refusal: Refusal): string {
  return refusal.code ?? CODES[refusal.fail] ?? "api_error";
}

function read(body: JsonObject): Conversation {
  const messages = objectsAt(body, "messages");
  const said = (role: string) =>
    messages.filter((message) => message["role"] === role).flatMap((message) => textsOf(message["content"]));
  const last = messages.slice(messages.findLastIndex((message) => message["role"] === "assistant") + 1);
  const form = objectAt(objectAt(objectAt(body, "output_config"), "format"), "schema");
  const maxTokens = numberAt(body, "max_tokens");
  return {
    // Claude Code also tells of its surroundings in system messages among the others.
    system: [...textsOf(body["system"]), ...said("system")].join("\n"),
    heard: said("user"),
    results: last
      .flatMap((message) => objectsAt(message, "content"))
      .filter((block) => block["type"] === "tool_result")
      .map((block) => textsOf(block["content"]).join("\n")),
    tools: objectsAt(body, "tools").map((tool) => ({
      name: stringAt(tool, "name") ?? "",
      kind: "function",
      schema: objectAt(tool, "input_schema"),
    })),
    stream: body["stream"] === true,
    ...(Object.keys(form).length > 0 ? { form } : {}),
    ...(maxTokens === undefined ? {} : { maxTokens }),
  };
}

/** The texts of a content, which is one string or a list of blocks. */
function textsOf(content: unknown): string[] {
  if (typeof content === "string") return [content];
  if (!Array.isArray(content)) return [];
  return content
    .filter(isObject)
    .filter((block) => block["type"] === "text")
    .map((block) => stringAt(block, "text") ?? "");
}

function usageOf(spoken: Spoken): JsonObject {
  return {
    input_tokens: spoken.tokens.input,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: spoken.tokens.output,
  };
}

function blocksOf(spoken: Spoken): JsonObject[] {
  return [
    ...(spoken.think === "" ? [] : [{ type: "thinking", thinking: spoken.think, signature: "c2lnbmVk" }]),
    ...(spoken.say === "" ? [] : [{ type: "text", text: spoken.say }]),
    ...spoken.calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })),
  ];
}

function messageOf(spoken: Spoken, content: readonly JsonObject[], stopReason: string | null): JsonObject {
  return {
    id: spoken.id,
    type: "message",
    role: "assistant",
    model: spoken.model,
    content,
    stop_reason: stopReason,
    stop_sequence: null,
    usage: usageOf(spoken),
  };
}

function whole(spoken: Spoken): JsonObject {
  return messageOf(spoken, blocksOf(spoken), stopReasonOf(spoken));
}

function stopReasonOf(spoken: Spoken): string {
  return spoken.calls.length > 0 ? "tool_use" : "end_turn";
}

function stream(spoken: Spoken): string[] {
  const named = (data: JsonObject & { type: string }) => sse(data, data.type);
  return [
    named({ type: "message_start", message: messageOf(spoken, [], null) }),
    ...blocksOf(spoken).flatMap((block, index) => [
      named({ type: "content_block_start", index, content_block: emptied(block) }),
      ...deltasOf(block).map((delta) => named({ type: "content_block_delta", index, delta })),
      named({ type: "content_block_stop", index }),
    ]),
    named({
      type: "message_delta",
      delta: { stop_reason: stopReasonOf(spoken), stop_sequence: null },
      usage: usageOf(spoken),
    }),
    named({ type: "message_stop" }),
  ];
}

/** A block as it begins: what is in it comes in pieces. */
function emptied(block: JsonObject): JsonObject {
  if (block["type"] === "tool_use") return { ...block, input: {} };
  return block["type"] === "text" ? { ...block, text: "" } : { ...block, thinking: "", signature: "" };
}

function deltasOf(block: JsonObject): JsonObject[] {
  switch (block["type"]) {
    case "text":
      return pieces(stringAt(block, "text") ?? "").map((text) => ({ type: "text_delta", text }));
    case "tool_use":
      return pieces(JSON.stringify(block["input"])).map((part) => ({
        type: "input_json_delta",
        partial_json: part,
      }));
    default:
      return [
        ...pieces(stringAt(block, "thinking") ?? "").map((thinking) => ({
          type: "thinking_delta",
          thinking,
        })),
        { type: "signature_delta", signature: block["signature"] },
      ];
  }
}
