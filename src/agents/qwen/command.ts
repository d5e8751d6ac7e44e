import type { AgentCommand, TurnRequest } from "../agent.ts";
import { type FlagShapes, hasFlag } from "../flags.ts";
import { givenWords, modelFlag } from "../given.ts";
import { notACommand, promptWithHint } from "../stdin.ts";

const FORMAT_FLAGS = ["-o", "--output-format"];
/** Flags by which the user decides himself what Qwen may do; any of them keeps ours away. */
const PERMISSION_FLAGS = ["-y", "--yolo", "--approval-mode", "--allowed-tools"];

/** Flags of the user's that would let a text turn act, or make it print something else than its answer. */
const NOT_IN_TEXT: FlagShapes = {
  bare: ["-y", "--yolo", "--include-partial-messages"],
  oneValue: ["--approval-mode", "--input-format", "--json-schema", ...FORMAT_FLAGS],
  manyValues: ["--allowed-tools"],
};

/** The command of one turn of Qwen, with the prompt on stdin (`-p` is deprecated there). */
export function qwenCommand(turn: TurnRequest): AgentCommand {
  const given = givenWords(turn, NOT_IN_TEXT);
  const args = [
    ...given.first,
    ...(turn.mode === "text" ? ["-o", "text", "--approval-mode", "default"] : workFlags(turn, given.all)),
    ...modelFlag(turn, given, ["-m", "--model"]),
    ...given.flags,
  ];
  const stdin = notACommand(promptWithHint(turn));
  return { file: given.file, args, env: {}, stdin, answerFromFile: false };
}

function workFlags(turn: TurnRequest, given: readonly string[]): string[] {
  const format = hasFlag(given, FORMAT_FLAGS) ? [] : ["-o", "stream-json"];
  return [...format, ...(hasFlag(given, PERMISSION_FLAGS) ? [] : permissionFlags(turn))];
}

/** Without any of them no tool that writes or runs something is offered to the model. */
function permissionFlags(turn: TurnRequest): string[] {
  if (turn.agent.autonomy === "none") return [];
  return turn.agent.autonomy === "edits" ? ["--approval-mode", "auto-edit"] : ["--yolo"];
}
