import { type JsonObject, numberAt, objectAt, objectsAt, stringAt } from "../../src/agents/json.ts";
import { type Protocol, pieces, type Spoken, sse } from "./protocol.ts";
import type { Conversation, Refusal } from "./script.ts";

/** Google's generateContent. */
export const gemini: Protocol = {
  name: "gemini",
  read,
  stream(spoken) {
    const parts = partsOf(spoken);
    return parts.map((part, n) => sse(answerOf(spoken, [part], n === parts.length - 1)));
  },
  whole: (spoken) => answerOf(spoken, partsOf(spoken), true),
  refusal: refusalOf,
  refusalInStream: (refusal) => [sse(refusalOf(refusal))],
};

const STATUSES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
};

function refusalOf(refusal: Refusal): JsonObject {
  const status = refusal.code ?? STATUSES[refusal.fail] ?? "INTERNAL";
  return { error: { code: refusal.fail, message: refusal.message ?? status, status } };
}

/** Whether to stream is said by the address, not by the body: the server knows. */
function read(body: JsonObject): Conversation {
  const contents = objectsAt(body, "contents");
  const last = contents.slice(contents.findLastIndex((content) => content["role"] === "model") + 1);
  const config = objectAt(body, "generationConfig");
  const form = [objectAt(config, "responseJsonSchema"), objectAt(config, "responseSchema")].find(
    (schema) => Object.keys(schema).length > 0,
  );
  const maxTokens = numberAt(config, "maxOutputTokens");
  return {
    system: textsOf(objectAt(body, "systemInstruction")).join("\n"),
    heard: contents.filter((content) => content["role"] !== "model").flatMap(textsOf),
    results: last
      .flatMap((content) => objectsAt(content, "parts"))
      .filter((part) => "functionResponse" in part)
      .map((part) => JSON.stringify(objectAt(objectAt(part, "functionResponse"), "response"))),
    tools: objectsAt(body, "tools")
      .flatMap((tool) => objectsAt(tool, "functionDeclarations"))
      .map((tool) => ({
        name: stringAt(tool, "name") ?? "",
        kind: "function",
        schema:
          "parametersJsonSchema" in tool
            ? objectAt(tool, "parametersJsonSchema")
            : objectAt(tool, "parameters"),
      })),
    stream: false,
    ...(form === undefined ? {} : { form }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
  };
}

function textsOf(content: JsonObject): string[] {
  return objectsAt(content, "parts")
    .map((part) => stringAt(part, "text"))
    .filter((text) => text !== undefined);
}

function partsOf(spoken: Spoken): JsonObject[] {
  const parts = [
    ...pieces(spoken.think).map((text) => ({ text, thought: true })),
    ...pieces(spoken.say).map((text) => ({ text })),
    ...spoken.calls.map(({ id, name, input }) => ({ functionCall: { id, name, args: input } })),
  ];
  return parts.length > 0 ? parts : [{ text: "" }];
}

function answerOf(spoken: Spoken, parts: readonly JsonObject[], isLast: boolean): JsonObject {
  const { input, output } = spoken.tokens;
  return {
    candidates: [
      { index: 0, content: { role: "model", parts }, ...(isLast ? { finishReason: "STOP" } : {}) },
    ],
    usageMetadata: {
      promptTokenCount: input,
      candidatesTokenCount: output,
      totalTokenCount: input + output,
    },
    modelVersion: spoken.model,
    responseId: spoken.id,
  };
}
