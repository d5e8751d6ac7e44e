import type { AgentEvent, LimitScope } from "../../events.ts";
import { notice } from "../events.ts";
import { type JsonObject, numberAt, stringAt } from "../json.ts";
import { limitOfStatus } from "../limits.ts";

/** What the error codes of a failed request mean as a limit. A refused key is none. */
const CODE_SCOPES: ReadonlyMap<string, LimitScope> = new Map([
  ["rate_limit", "rate"],
  ["overloaded", "overload"],
  ["server_error", "overload"],
  ["billing_error", "quota"],
]);

/** The limit that an error code of Claude's names. */
export function limitOfCode(code: string | undefined): LimitScope | undefined {
  return code === undefined ? undefined : CODE_SCOPES.get(code);
}

/** The events of a `system` line: the session's start, retries, hooks, notes of the program about itself. */
export function systemEvents(line: JsonObject): readonly AgentEvent[] {
  const subtype = stringAt(line, "subtype");
  switch (subtype) {
    case undefined:
    case "init":
      return sessionEvents(line);
    case "api_retry":
      return retryEvents(line);
    case "hook_response":
      return hookEvents(line);
    case "informational":
      return [
        notice(
          stringAt(line, "level") === "warning" ? "warning" : "info",
          stringAt(line, "content") ?? subtype,
        ),
      ];
    case "compact_boundary":
      return [notice("info", "the conversation was compacted")];
    case "model_refusal_fallback":
    case "model_refusal_no_fallback":
      return [notice("warning", "the model refused to answer")];
    default:
      return [notice("debug", debugText(subtype, line))];
  }
}

function sessionEvents(line: JsonObject): readonly AgentEvent[] {
  const sessionId = stringAt(line, "session_id");
  const model = stringAt(line, "model");
  const version = stringAt(line, "claude_code_version");
  if (sessionId === undefined) return [notice("debug", "system")];
  return [
    {
      type: "session",
      sessionId,
      ...(model === undefined ? {} : { model }),
      ...(version === undefined ? {} : { version }),
    },
  ];
}

function retryEvents(line: JsonObject): readonly AgentEvent[] {
  const status = numberAt(line, "error_status");
  const code = stringAt(line, "error") ?? "unknown";
  // Without a status there was no answer at all: the connection failed.
  const offline = status === undefined && code === "unknown" ? "offline" : undefined;
  const scope = limitOfStatus(status) ?? limitOfCode(code) ?? offline;
  const what = `${offline === undefined ? code : "no answer"}${status === undefined ? "" : ` (${status})`}`;
  const attempt = `attempt ${numberAt(line, "attempt") ?? "?"} of ${numberAt(line, "max_retries") ?? "?"}`;
  const message = `${what}, ${attempt}, again in ${((numberAt(line, "retry_delay_ms") ?? 0) / 1000).toFixed(1)} s`;
  if (scope !== undefined) return [{ type: "limited", scope, message, final: false }];
  const refused = status === 401 || code === "authentication_failed";
  return [{ ...notice("warning", message), ...(refused ? { refused } : {}) }];
}

function hookEvents(line: JsonObject): readonly AgentEvent[] {
  const name = stringAt(line, "hook_name") ?? "?";
  if (stringAt(line, "outcome") === "success") return [notice("debug", `hook ${name}: success`)];
  const words = stringAt(line, "stderr") ?? "";
  return [notice("warning", `hook ${name}: ${stringAt(line, "outcome") ?? "?"} ${words}`)];
}

/** The kind of line, and the first thing in it that says more. */
function debugText(subtype: string, line: JsonObject): string {
  const more = ["hook_name", "status", "text", "message", "description", "summary"]
    .map((key) => stringAt(line, key))
    .find((value) => value !== undefined);
  return more === undefined ? subtype : `${subtype}: ${more}`;
}
