import type { AgentCommand, TurnRequest } from "../agent.ts";
import { type FlagShapes, hasFlag, withoutFlags } from "../flags.ts";
import { promptWithHint } from "../stdin.ts";
import { commandWords } from "../words.ts";

const ALLOW_ALL = "--dangerously-allow-all";
const STREAM_FLAGS = ["--stream-json", "--stream-json-thinking"];

/** `-x` takes the next word as its prompt, so it must stand last, where ralph puts it. */
const NOT_IN_WORK: FlagShapes = { bare: ["-x", "--execute"], oneValue: [], manyValues: [] };
const NOT_IN_TEXT: FlagShapes = {
  ...NOT_IN_WORK,
  bare: [...NOT_IN_WORK.bare, ...STREAM_FLAGS, "--stream-json-input", ALLOW_ALL],
};

/** The command of one turn of Amp: `amp … -x` with the prompt on stdin. Amp chooses the model itself. */
export function ampCommand(turn: TurnRequest): AgentCommand {
  const [file, ...words] = commandWords(turn.agent.command);
  const text = turn.mode === "text";
  const unwanted = text ? NOT_IN_TEXT : NOT_IN_WORK;
  const given = [...withoutFlags(words, unwanted), ...withoutFlags(turn.agent.flags, unwanted)];
  const ours = text ? [] : workFlags(turn, given);
  return {
    file,
    args: [...given, ...ours, "-x"],
    env: {},
    stdin: promptWithHint(turn),
    answerFromFile: false,
  };
}

function workFlags(turn: TurnRequest, given: readonly string[]): string[] {
  const stream = hasFlag(given, STREAM_FLAGS) ? [] : ["--stream-json"];
  const allow = turn.agent.autonomy === "full" && !given.includes(ALLOW_ALL) ? [ALLOW_ALL] : [];
  return [...stream, ...allow];
}
