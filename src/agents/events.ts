import type { AgentEvent } from "../events.ts";
import { oneLine } from "./tool-text.ts";

const NOTICE_CHARS = 300;

/** A word of the program about itself, on one line. */
export function notice(
  level: "debug" | "info" | "warning",
  text: string,
): Extract<AgentEvent, { type: "notice" }> {
  return { type: "notice", level, text: oneLine(text, NOTICE_CHARS) };
}

/** What belongs to a subagent carries the tool call that started it. */
export function ofSub(sub: string | undefined): { readonly sub?: string } {
  return sub === undefined ? {} : { sub };
}
