import type { AgentCommand, TurnRequest } from "../agent.ts";
import { type FlagShapes, hasFlag } from "../flags.ts";
import { givenWords, modelFlag } from "../given.ts";
import { promptWithHint } from "../stdin.ts";

/** Flags by which the user decides himself what Copilot may do; any of them keeps ours away. */
const PERMISSION_FLAGS = [
  "--allow-all-tools",
  "--allow-all",
  "--yolo",
  "--allow-tool",
  "--available-tools",
  "--assisted-approval",
];

/** Flags of the user's that would let a text turn act, or make it print something else than its answer. */
const NOT_IN_TEXT: FlagShapes = {
  bare: [
    "--allow-all-tools",
    "--allow-all",
    "--yolo",
    "--allow-all-paths",
    "--allow-all-urls",
    "--assisted-approval",
    "--autopilot",
    "-s",
    "--silent",
  ],
  oneValue: ["--output-format", "--mode"],
  manyValues: ["--allow-tool"],
};

/** The command of one turn of Copilot, with the prompt on stdin. A refusal wins over every leave: `write` stays off. */
export function copilotCommand(turn: TurnRequest): AgentCommand {
  const given = givenWords(turn, NOT_IN_TEXT);
  const args = [
    ...given.first,
    ...(turn.mode === "text" ? ["-s", "--deny-tool=write"] : workFlags(turn, given.all)),
    ...modelFlag(turn, given, ["--model"]),
    ...given.flags,
  ];
  return { file: given.file, args, env: {}, stdin: promptWithHint(turn), answerFromFile: false };
}

function workFlags(turn: TurnRequest, given: readonly string[]): string[] {
  const format = hasFlag(given, ["--output-format"]) ? [] : ["--output-format", "json"];
  return [...format, ...(hasFlag(given, PERMISSION_FLAGS) ? [] : permissionFlags(turn))];
}

/** Without any of them Copilot refuses every tool that writes or runs something, and says so in its stream. */
function permissionFlags(turn: TurnRequest): string[] {
  if (turn.agent.autonomy === "none") return [];
  return turn.agent.autonomy === "edits" ? ["--allow-tool=write"] : ["--allow-all-tools"];
}
