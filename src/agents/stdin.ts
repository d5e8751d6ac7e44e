import type { TurnRequest } from "./agent.ts";

/** The prompt with the hint as its last paragraph, for agents that have no other place for it. */
export function promptWithHint(turn: TurnRequest): string {
  return hintOf(turn) === undefined ? turn.prompt : `${turn.prompt}\n\n${turn.hint}`;
}

/** The hint, if there is anything in it. */
export function hintOf(turn: TurnRequest): string | undefined {
  return turn.hint === undefined || turn.hint.trim() === "" ? undefined : turn.hint;
}

/**
 * A prompt that begins with `/` is a command to Claude Code, Gemini and Qwen: they run it, and may ask no model at all.
 * Any white space before the slash makes it text (seen in Claude 2.1.197 and 2.1.325, Gemini 0.61.0, Qwen 0.15.10).
 */
export function notACommand(prompt: string): string {
  return prompt.startsWith("/") ? `\n${prompt}` : prompt;
}
