import type { TurnRequest } from "./agent.ts";

/** The prompt with the hint as its last paragraph, for agents that have no other place for it. */
export function promptWithHint(turn: TurnRequest): string {
  return hintOf(turn) === undefined ? turn.prompt : `${turn.prompt}\n\n${turn.hint}`;
}

/** The hint, if there is anything in it. */
export function hintOf(turn: TurnRequest): string | undefined {
  return turn.hint === undefined || turn.hint.trim() === "" ? undefined : turn.hint;
}
