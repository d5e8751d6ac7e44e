import { type JsonObject, numberAt, objectAt, objectsAt, stringAt } from "../../src/agents/json.ts";
import { contentText, openAiRefusal } from "./openai.ts";
import { type Protocol, pieces, type Spoken, type SpokenCall, sse } from "./protocol.ts";
import type { Conversation, OfferedTool } from "./script.ts";

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
    tools: objectsAt(body, "tools").map(offered),
    stream: body["stream"] === true,
    ...(Object.keys(form).length > 0 ? { form } : {}),
    ...(maxTokens === undefined ? {} : { maxTokens }),
  };
}

function offered(tool: JsonObject): OfferedTool {
  const kind = tool["type"] === "custom" ? "freeform" : "function";
  const told = objectAt(tool, kind === "freeform" ? "custom" : "function");
  return { name: stringAt(told, "name") ?? "", kind, schema: objectAt(told, "parameters") };
}

/** A call, with as much of its input as has been said. */
function callOf({ id, name, kind }: SpokenCall, input: string): JsonObject {
  return kind === "freeform"
    ? { id, type: "custom", custom: { name, input } }
    : { id, type: "function", function: { name, arguments: input } };
}

function inputText({ input }: SpokenCall): string {
  return typeof input === "string" ? input : JSON.stringify(input);
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
          tool_calls: spoken.calls.map((call) => callOf(call, inputText(call))),
        }),
  };
}

function stream(spoken: Spoken): string[] {
  const chunk = (delta: JsonObject, finish: string | null = null) =>
    sse({
      ...headOf(spoken, "chat.completion.chunk"),
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
  const more = ({ kind }: SpokenCall, part: string) =>
    kind === "freeform" ? { custom: { input: part } } : { function: { arguments: part } };
  return [
    chunk({ role: "assistant", content: "" }),
    ...pieces(spoken.think).map((text) => chunk({ reasoning_content: text })),
    ...pieces(spoken.say).map((content) => chunk({ content })),
    ...spoken.calls.flatMap((call, index) => [
      chunk({ tool_calls: [{ index, ...callOf(call, "") }] }),
      ...pieces(inputText(call)).map((part) => chunk({ tool_calls: [{ index, ...more(call, part) }] })),
    ]),
    chunk({}, finishOf(spoken)),
    sse({ ...headOf(spoken, "chat.completion.chunk"), choices: [], usage: usageOf(spoken) }),
    sse("[DONE]"),
  ];
}
