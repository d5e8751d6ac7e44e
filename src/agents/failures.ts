import type { AgentEvent, Usage } from "../events.ts";
import { limitIn, limitOfStatus } from "./limits.ts";
import { oneLine } from "./tool-text.ts";

const ERROR_CHARS = 1000;

/** What a service said when a request failed for good. */
export interface Failure {
  readonly words: string;
  readonly status?: number | undefined;
}

/** The events of a turn that failed: the result, and before it the limit that the failure names, if it names one. */
export function failureEvents(failure: Failure, usage?: Usage): readonly AgentEvent[] {
  const { status } = failure;
  const words = oneLine(failure.words, ERROR_CHARS);
  // What the words leave out is added, so that the ending can be told from them alone.
  const error = status === undefined || words.includes(String(status)) ? words : `${words} (${status})`;
  // Of a failed turn there is no text: no claim may be read out of it.
  const result: AgentEvent = { type: "result", ok: false, text: "", error, ...(usage ? { usage } : {}) };
  const scope = status === 401 || status === 403 ? undefined : (limitIn(words) ?? limitOfStatus(status));
  return scope === undefined ? [result] : [{ type: "limited", scope, message: error, final: true }, result];
}
