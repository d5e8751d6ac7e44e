import { isObject, type JsonObject, stringAt } from "../../src/agents/json.ts";
import type { Refusal } from "./script.ts";

const CODES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "invalid_api_key",
  403: "permission_denied",
  404: "not_found",
  429: "rate_limit_exceeded",
};

/** What both of OpenAI's protocols put in the body of a refused request. */
export function openAiRefusal(refusal: Refusal): JsonObject {
  const code = openAiCode(refusal);
  return { error: { message: refusal.message ?? code, type: code, param: null, code } };
}

/** OpenAI's name for a refusal. */
export function openAiCode(refusal: Refusal): string {
  return refusal.code ?? CODES[refusal.fail] ?? "server_error";
}

/** The text of a content, which is one string or a list of parts. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .filter(isObject)
    .map((part) => stringAt(part, "text") ?? "")
    .join("\n");
}
