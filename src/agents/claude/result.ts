import type { AgentEvent, LimitScope, Usage } from "../../events.ts";
import { notice } from "../events.ts";
import { arrayAt, countAt, isObject, type JsonObject, numberAt, objectAt, stringAt } from "../json.ts";
import { limitIn, limitOfStatus } from "../limits.ts";
import { oneLine } from "../tool-text.ts";
import type { ClaudeMemory } from "./parse.ts";
import { limitOfCode } from "./system.ts";

const ERROR_CHARS = 1000;

/** The events of a `result` line: the result, and before it the limit that a failed request met. */
export function resultEvents(line: JsonObject, memory: ClaudeMemory): readonly AgentEvent[] {
  const ok = isGood(line);
  const error = ok ? undefined : errorOf(line, memory);
  const turns = numberAt(line, "num_turns");
  const usage = usageOf(line);
  const denials = line["permission_denials"];
  const result: AgentEvent = {
    type: "result",
    ok,
    // Of a failed turn the text is the failure's, not the agent's: no claim may be read out of it.
    text: ok ? (stringAt(line, "result") ?? "") : "",
    ...(error === undefined ? {} : { error }),
    ...(usage === undefined ? {} : { usage }),
    ...(turns === undefined ? {} : { turns }),
    ...(Array.isArray(denials) ? { denials: denials.length } : {}),
  };
  const scope = error === undefined ? undefined : scopeOf(line, memory);
  if (error === undefined || scope === undefined) return [result];
  const retryAtMs = scope === "quota" || scope === "rate" ? memory.resetAtMs : undefined;
  return [
    {
      type: "limited",
      scope,
      message: error,
      final: true,
      ...(retryAtMs === undefined ? {} : { retryAtMs }),
    },
    result,
  ];
}

/** The events of a `rate_limit_event`, by which a subscription's limits are told. */
export function rateLimitEvents(line: JsonObject, memory: ClaudeMemory): readonly AgentEvent[] {
  const info = objectAt(line, "rate_limit_info");
  const status = stringAt(info, "status") ?? "?";
  const message = `${stringAt(info, "rateLimitType") ?? "plan"} limit: ${status}`;
  if (status !== "rejected") return [notice(status === "allowed" ? "debug" : "info", message)];
  const resetsAt = numberAt(info, "resetsAt");
  // Seconds today; a figure this large can only be milliseconds.
  const retryAtMs = resetsAt === undefined ? undefined : resetsAt > 1e11 ? resetsAt : resetsAt * 1000;
  memory.resetAtMs = retryAtMs;
  return [
    {
      type: "limited",
      scope: "quota",
      message,
      final: false,
      ...(retryAtMs === undefined ? {} : { retryAtMs }),
    },
  ];
}

/** `subtype` alone proves nothing: a failed request says "success" there. Without `is_error` there must be a text. */
function isGood(line: JsonObject): boolean {
  const subtype = stringAt(line, "subtype") ?? "success";
  if (line["is_error"] !== undefined) return line["is_error"] === false && subtype === "success";
  return subtype === "success" && stringAt(line, "result") !== undefined;
}

function errorOf(line: JsonObject, memory: ClaudeMemory): string {
  const status = numberAt(line, "api_error_status");
  const words = [stringAt(line, "result"), errorsOf(line), stringAt(line, "error"), endOf(line)];
  const text =
    words.find((candidate) => candidate !== undefined && candidate.trim() !== "") ?? "unknown error";
  // What the words leave out is added, so that the ending can be told from them alone.
  const told = status === undefined || text.includes(String(status)) ? text : `${text} (${status})`;
  return oneLine(memory.errorCode === undefined ? told : `${told} [${memory.errorCode}]`, ERROR_CHARS);
}

/** The reasons that Claude lists, without its notes to its own makers. */
function errorsOf(line: JsonObject): string {
  const errors = arrayAt(line, "errors").filter((error) => typeof error === "string");
  return errors.filter((error) => !error.startsWith("[ede_diagnostic]")).join("; ");
}

function endOf(line: JsonObject): string | undefined {
  const subtype = stringAt(line, "subtype");
  const reason = stringAt(line, "terminal_reason");
  return reason === undefined ? subtype : `${subtype ?? "error"} (${reason})`;
}

function scopeOf(line: JsonObject, memory: ClaudeMemory): LimitScope | undefined {
  if (stringAt(line, "terminal_reason") === "prompt_too_long") return "context";
  // A limit that the user set himself (turns, budget) is no limit of the service.
  if (stringAt(line, "subtype")?.startsWith("error_max") === true) return undefined;
  const status = numberAt(line, "api_error_status");
  if (status === 401 || status === 403) return undefined;
  const words = stringAt(line, "result") ?? errorOf(line, memory);
  const byWords = limitIn(words);
  if (byWords === "context" || byWords === "quota") return byWords;
  return limitOfStatus(status) ?? byWords ?? limitOfCode(memory.errorCode);
}

/** `modelUsage` counts subagents too, `usage` does not, and is all zero when a budget ended the turn. */
function usageOf(line: JsonObject): Usage | undefined {
  const models = Object.values(objectAt(line, "modelUsage")).filter(isObject);
  if (models.length > 0) {
    const sum = (key: string): number => models.reduce((total, model) => total + countAt(model, key), 0);
    return {
      inputTokens: sum("inputTokens"),
      outputTokens: sum("outputTokens"),
      cacheReadTokens: sum("cacheReadInputTokens"),
      cacheWriteTokens: sum("cacheCreationInputTokens"),
      costUsd: numberAt(line, "total_cost_usd") ?? sum("costUSD"),
    };
  }
  return isObject(line["usage"])
    ? { ...messageUsage(line["usage"]), costUsd: countAt(line, "total_cost_usd") }
    : undefined;
}

/** The tokens of one message or of one turn, as the Messages API names them. */
export function messageUsage(usage: JsonObject): Usage {
  return {
    inputTokens: countAt(usage, "input_tokens"),
    outputTokens: countAt(usage, "output_tokens"),
    cacheReadTokens: countAt(usage, "cache_read_input_tokens"),
    cacheWriteTokens: countAt(usage, "cache_creation_input_tokens"),
    costUsd: 0,
  };
}
