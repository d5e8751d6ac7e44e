import { type JsonObject, numberAt, objectAt, objectsAt, stringAt } from "../../src/agents/json.ts";
import { contentText, openAiRefusal } from "./openai.ts";
import { type Protocol, pieces, type Spoken, sse } from "./protocol.ts";
import type { Conversation } from "./script.ts";

/** OpenAI's chat completions, as Qwen, OpenCode and Copilot speak it. */
export const chat: Protocol = {
  name: "chat",
  read,
  stream,
  whole: (spoken) => ({
    ...headOf(spoken, "chat.completion"),
    choices: [{ index: 0, finish_reason: finishOf(spoken), message: messageOf(spoken) }],
    usage: usageOf(spoken),
  }),
  refusal: openAiRefusal,
  refusalInStream: (refusal) => [sse(openAiRefusal(refusal))],
};

function read(body: JsonObject): Conversation {
  const messages = objectsAt(body, "messages");
  const last = messages.slice(messages.findLastIndex((message) => message["role"] === "assistant") + 1);
  const said = (list: readonly JsonObject[], ...roles: string[]) =>
    list
      .filter((message) => roles.includes(stringAt(message, "role") ?? ""))
      .map((message) => contentText(message["content"]));
  const form = objectAt(objectAt(objectAt(body, "response_format"), "json_schema"), "schema");
  const maxTokens = numberAt(body, "max_tokens") ?? numberAt(body, "max_completion_tokens");
  return {
    system: said(messages, "system", "developer").join("\n"),
    heard: said(messages, "user"),
    results: said(last, "tool"),
    tools: objectsAt(body, "tools")
      .map((tool) => objectAt(tool, "function"))
      .map((tool) => ({
        name: stringAt(tool, "name") ?? "",
        kind: "function",
        schema: objectAt(tool, "parameters"),
      })),
    stream: body["stream"] === true,
    ...(Object.keys(form).length > 0 ? { form } : {}),
    ...(maxTokens === undefined ? {} : { maxTokens }),
  };
}

function headOf(spoken: Spoken, object: string): JsonObject {
  return { id: spoken.id, object, created: 0, model: spoken.model };
}

function finishOf(spoken: Spoken): string {
  return spoken.calls.length > 0 ? "tool_calls" : "stop";
}

function usageOf(spoken: Spoken): JsonObject {
  const { input, output } = spoken.tokens;
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

function messageOf(spoken: Spoken): JsonObject {
  return {
    role: "assistant",
    content: spoken.say === "" ? null : spoken.say,
    ...(spoken.think === "" ? {} : { reasoning_content: spoken.think }),
    ...(spoken.calls.length === 0
      ? {}
      : {
          tool_calls: spoken.calls.map(({ id, name, input }) => ({
            id,
            type: "function",
            function: { name, arguments: JSON.stringify(input) },
          })),
        }),
  };
}

function stream(spoken: Spoken): string[] {
  const chunk = (delta: JsonObject, finish: string | null = null, more: JsonObject = {}) =>
    sse({
      ...headOf(spoken, "chat.completion.chunk"),
      choices: [{ index: 0, delta, finish_reason: finish }],
      ...more,
    });
  return [
    chunk({ role: "assistant", content: "" }),
    ...pieces(spoken.think).map((text) => chunk({ reasoning_content: text })),
    ...pieces(spoken.say).map((content) => chunk({ content })),
    ...spoken.calls.flatMap(({ id, name, input }, index) => [
      chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
      ...pieces(JSON.stringify(input)).map((part) =>
        chunk({ tool_calls: [{ index, function: { arguments: part } }] }),
      ),
    ]),
    chunk({}, finishOf(spoken)),
    sse({ ...headOf(spoken, "chat.completion.chunk"), choices: [], usage: usageOf(spoken) }),
    sse("[DONE]"),
  ];
}
