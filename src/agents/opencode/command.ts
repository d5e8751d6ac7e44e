import type { AgentCommand, TurnRequest } from "../agent.ts";
import { type FlagShapes, hasFlag } from "../flags.ts";
import { givenWords, modelFlag } from "../given.ts";
import { promptWithHint } from "../stdin.ts";

/** Flags of the user's that would let a text turn act, or make it print something else than its answer. */
const NOT_IN_TEXT: FlagShapes = { bare: ["--auto", "--thinking"], oneValue: ["--format"], manyValues: [] };

/**
 * OpenCode writes and runs what it likes unless its settings say otherwise, and has no flag against that; this variable
 * is its settings' `permission`. What is denied is not offered to the model; what is asked about would end the turn.
 */
const PERMISSION = "OPENCODE_PERMISSION";
const NO_SHELL = { [PERMISSION]: '{"bash":"deny"}' };
const NOTHING = { [PERMISSION]: '{"edit":"deny","bash":"deny"}' };
const READ_ONLY = {
  [PERMISSION]:
    '{"edit":"deny","bash":{"*":"deny","git diff*":"allow","git log*":"allow","git status*":"allow"}}',
};

/** The command of one turn of OpenCode: `opencode run …` with the prompt on stdin. */
export function opencodeCommand(turn: TurnRequest): AgentCommand {
  const given = givenWords(turn, NOT_IN_TEXT);
  const args = [
    ...given.first,
    ...(given.first.includes("run") ? [] : ["run"]),
    ...(turn.mode === "text" ? [] : workFlags(turn, given.all)),
    ...modelFlag(turn, given, ["-m", "--model"]),
    ...given.flags,
  ];
  return {
    file: given.file,
    args,
    env: environment(turn),
    stdin: promptWithHint(turn),
    answerFromFile: false,
  };
}

function workFlags(turn: TurnRequest, given: readonly string[]): string[] {
  const format = hasFlag(given, ["--format"]) ? [] : ["--format", "json"];
  const auto = turn.agent.autonomy === "full" && !given.includes("--auto") ? ["--auto"] : [];
  return [...format, ...auto];
}

function environment(turn: TurnRequest): Readonly<Record<string, string>> {
  if (turn.mode === "text") return READ_ONLY;
  if (turn.agent.autonomy === "full") return {};
  return turn.agent.autonomy === "edits" ? NO_SHELL : NOTHING;
}
