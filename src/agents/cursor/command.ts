import type { AgentCommand, TurnRequest } from "../agent.ts";
import { type FlagShapes, hasFlag } from "../flags.ts";
import { givenWords, modelFlag } from "../given.ts";
import { promptWithHint } from "../stdin.ts";

const PRINT_FLAGS = ["-p", "--print"];
/** Flags by which the user decides himself what Cursor may do; any of them keeps ours away. */
const PERMISSION_FLAGS = ["-f", "--force", "--yolo", "--mode", "--plan"];

/** Flags of the user's that would let a text turn act, or make it print something else than its answer. */
const NOT_IN_TEXT: FlagShapes = {
  bare: ["-f", "--force", "--yolo", "--plan", "--approve-mcps", "--stream-partial-output"],
  oneValue: ["--output-format", "--mode"],
  manyValues: [],
};

/** The command of one turn of Cursor: `cursor-agent -p …` with the prompt on stdin. */
export function cursorCommand(turn: TurnRequest): AgentCommand {
  const given = givenWords(turn, NOT_IN_TEXT);
  const args = [
    ...given.first,
    ...(given.all.some((word) => PRINT_FLAGS.includes(word)) ? [] : ["-p"]),
    ...(turn.mode === "text" ? ["--output-format", "text", "--mode", "ask"] : workFlags(turn, given.all)),
    ...trustFlag(turn, given.all),
    ...modelFlag(turn, given, ["--model"]),
    ...given.flags,
  ];
  return { file: given.file, args, env: {}, stdin: promptWithHint(turn), answerFromFile: false };
}

function workFlags(turn: TurnRequest, given: readonly string[]): string[] {
  const format = hasFlag(given, ["--output-format"]) ? [] : ["--output-format", "stream-json"];
  const decided = hasFlag(given, PERMISSION_FLAGS) || turn.agent.autonomy !== "full";
  return [...format, ...(decided ? [] : ["--force"])];
}

/** Newer versions ask about the folder first, and nobody is there to answer; older ones do not know the flag. */
function trustFlag(turn: TurnRequest, given: readonly string[]): string[] {
  const known = turn.help.split(/[\s,=[\]]+/).includes("--trust");
  return known && !given.includes("--trust") ? ["--trust"] : [];
}
