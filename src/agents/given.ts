import type { TurnRequest } from "./agent.ts";
import { type FlagShapes, hasFlag, withoutFlags } from "./flags.ts";
import { commandWords } from "./words.ts";

/** The user's own part of a command line. */
export interface Given {
  readonly file: string;
  /** The words that always come first. */
  readonly first: readonly string[];
  readonly flags: readonly string[];
  /** Both, to see what the user has decided already. */
  readonly all: readonly string[];
}

/** What the user gave; in a text turn without the flags that would let it act or make it print something else. */
export function givenWords(turn: TurnRequest, notInText: FlagShapes): Given {
  const [file, ...words] = commandWords(turn.agent.command);
  const kept = (some: readonly string[]) => (turn.mode === "text" ? withoutFlags(some, notInText) : some);
  const first = kept(words);
  const flags = kept(turn.agent.flags);
  return { file, first, flags, all: [...first, ...flags] };
}

/** The flag for the model, if one is asked for and the user has not given it. `names[0]` is the one that is used. */
export function modelFlag(turn: TurnRequest, given: Given, names: readonly [string, ...string[]]): string[] {
  const { model } = turn.agent;
  return model === undefined || hasFlag(given.all, names) ? [] : [names[0], model];
}
