import type { LimitScope } from "../events.ts";

/** A status number counts only where something calls it one: "line 429" is no limit. */
function status(numbers: string): string {
  return `(?:status|error|code|http(?:/[\\d.]+)?)\\W{0,4}(?:code\\W{0,3})?(?:${numbers})\\b|\\((?:${numbers})\\)`;
}

function any(...parts: string[]): RegExp {
  return new RegExp(parts.join("|"), "im");
}

/** What programs write when nobody answers at all. */
const NO_CONNECTION = [
  "\\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ECONNABORTED|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|EPIPE)\\b",
  "connection (?:error|failed|closed|refused|reset|aborted|timed out)",
  "ConnectionRefused|FailedToOpenSocket",
  "(?:unable|failed) to connect",
  "could(?:n['’]t| not) (?:connect|resolve (?:host|proxy|address))",
  "network (?:error|is unreachable|is down)",
  "no route to host",
  "waiting for network",
  "fetch failed(?:[.)]?$| sending request)",
  "error sending request",
  "stream disconnected",
  "socket hang up",
  "other side closed",
  "dns error",
  "failed to lookup address",
  "temporary failure in name resolution|name or service not known|nodename nor servname provided",
  "request timed out",
];

/**
 * What services and programs write when they hold an agent back; the first rule that fits decides. The order matters:
 * a used-up plan and a full context both arrive with status numbers that mean something milder by themselves.
 */
const RULES: readonly (readonly [LimitScope, RegExp])[] = [
  // Claude says this of a plain 429, and the words "usage limit" in it would otherwise mean the plan.
  ["rate", any("not your usage limit")],
  [
    "context",
    any(
      "prompt (?:is )?too[ _]long",
      "prompt_too_long",
      "input is too long",
      "context[ _](?:limit|length|window)",
      "maximum context",
      "maximum number of tokens",
      "ran out of room",
    ),
  ],
  [
    "quota",
    any(
      "usage[ _]limit",
      "(?:hit|reached) your [\\w '’-]{0,30}limit",
      "(?:session|hour|hourly|daily|weekly|monthly|opus|sonnet|spend|credit) limit",
      "(?<!rate )limit reached",
      "(?:exceeded|out of|over|insufficient)[\\w _]{0,30}quota|quota[\\w _]{0,20}(?:exceeded|reached|exhausted)",
      "out of (?:extra )?(?:usage|credits)",
      "credit balance",
      "billing[_ ](?:error|hard|limit|not active|details)|(?:check|update) your (?:plan|billing)",
      "payment required",
      status("402"),
    ),
  ],
  ["rate", any("rate[ _-]?limit", "too many requests", status("429"))],
  [
    "overload",
    any(
      "overloaded",
      "at capacity",
      "high (?:demand|load)",
      "internal server error",
      "bad gateway",
      "service unavailable",
      "gateway time-?out",
      "server_error",
      status("500|502|503|504|520|521|522|523|524|529"),
    ),
  ],
  ["offline", any(...NO_CONNECTION)],
];

const UNAUTHORISED = any(
  status("401|403"),
  "40[13] (?:unauthori[sz]ed|forbidden)",
  "(?:invalid|incorrect) (?:x-)?api[ _-]?key",
  "no api key found",
  "api key not valid",
  "no authentication information found|^(?:error: )?not authenticated",
  "no auth type is selected|set an auth method",
  "invalid (?:auth|bearer) token",
  "authentication[ _](?:failed|error|required)",
  "failed to authenticate",
  "oauth_org_not_allowed|account_on_hold|verification_required|cloud_credential_error",
  "not logged in",
  "login failed",
  "please (?:run /login|log ?in|sign in|log out and sign in)",
  "missing environment variable",
  "access token could not be refreshed",
);

/** What held an agent back, told from the words of its failure; undefined when they name no limit. */
export function limitIn(words: string): LimitScope | undefined {
  return RULES.find(([, rule]) => rule.test(words))?.[0];
}

/** What may stand before the words of a failure: programs and errors that name themselves, each with a colon. */
const SPEAKER =
  "(?:(?:[a-z][\\w.@/-]{0,30}|[\\w .[\\]()-]{0,40}(?:error|exception|fatal|caused by|cause|reason)[\\w .[\\]()-]{0,12}):\\s*(?:\\(\\d+\\)\\s*)?)";
/** A call that failed, named before the cause. */
const CALL =
  "(?:(?:connect|read|write|getaddrinfo|dial|lookup|request to|unable to access) \\S*\\s?.{0,80}?)";
const SAID_BY_A_PROGRAM = new RegExp(
  `^[\\s✗✘×❌]*(?!assert)${SPEAKER}{0,5}${CALL}?(?:${NO_CONNECTION.join("|")})`,
  "i",
);
/** "Summary: …" is no program. */
const SAID_BY_A_PERSON = /^\s*(?!\w*(?:Error|Exception|Fatal|Cause|Reason)\b)[A-Z][a-z]*:/;
/** A server of the project's own that is not up is no lost connection. */
const TO_ITSELF = /\b(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0)\b|::1\b/;

/**
 * Whether a line of plain output is a program's own word that it has no connection. Stricter than `limitIn`: there the
 * words are known to be those of the service, here they may be those of a test, or the agent's about its work.
 */
export function isNoConnection(line: string): boolean {
  const words = line.slice(0, 500);
  return SAID_BY_A_PROGRAM.test(words) && !SAID_BY_A_PERSON.test(words) && !TO_ITSELF.test(words);
}

/** Whether the words of a failure say that the key or the log-in was refused. */
export function isUnauthorised(words: string): boolean {
  return UNAUTHORISED.test(words);
}

/** What a status number of a model's service means as a limit. */
export function limitOfStatus(code: number | undefined): LimitScope | undefined {
  if (code === 402) return "quota";
  if (code === 429) return "rate";
  return code !== undefined && code >= 500 && code < 600 ? "overload" : undefined;
}
