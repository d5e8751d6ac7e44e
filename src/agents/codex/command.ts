import type { AgentSpec } from "../../spec.ts";
import type { AgentCommand, TurnRequest } from "../agent.ts";
import { type FlagShapes, hasFlag, withoutFlags } from "../flags.ts";
import { promptWithHint } from "../stdin.ts";
import { commandWords } from "../words.ts";

const BYPASS = "--dangerously-bypass-approvals-and-sandbox";

/** Flags by which the user decides himself what Codex may do; any of them keeps ours away. */
const PERMISSION_FLAGS = [
  "-s",
  "--sandbox",
  "--full-auto",
  "--yolo",
  BYPASS,
  "-a",
  "--ask-for-approval",
  "--approve-for-me",
];

/**
 * Flags of the user's that would let a text turn act, or make it print something else than its answer. They must go:
 * next to `-s read-only` the bypass still wins.
 */
const NOT_IN_TEXT: FlagShapes = {
  bare: ["--full-auto", "--yolo", BYPASS, "--approve-for-me", "--json", "--experimental-json"],
  oneValue: ["-s", "--sandbox", "-a", "--ask-for-approval", "-o", "--output-last-message"],
  manyValues: [],
};

/** The command of one turn of Codex: `codex exec … -` with the prompt on stdin. No flag may stand there twice. */
export function codexCommand(turn: TurnRequest): AgentCommand {
  const [file, ...words] = commandWords(turn.agent.command);
  const text = turn.mode === "text";
  const first = text ? withoutFlags(words, NOT_IN_TEXT) : words;
  const flags = text ? withoutFlags(turn.agent.flags, NOT_IN_TEXT) : turn.agent.flags;
  const given = [...first, ...flags];
  const args = [
    ...first,
    ...(first.includes("exec") || first.includes("e") ? [] : ["exec"]),
    ...(text ? ["-o", turn.answerPath, "-s", "read-only"] : workFlags(turn, given)),
    ...(wants(turn, given, "--skip-git-repo-check") ? ["--skip-git-repo-check"] : []),
    ...modelFlags(turn.agent, given),
    ...flags,
    ...(given.includes("-") ? [] : ["-"]),
  ];
  return { file, args, env: {}, stdin: promptWithHint(turn), answerFromFile: text };
}

function workFlags(turn: TurnRequest, given: readonly string[]): string[] {
  const json = hasFlag(given, ["--json", "--experimental-json"]) ? [] : ["--json"];
  const decided = hasFlag(given, PERMISSION_FLAGS) || hasConfig(given, ["sandbox_mode", "approval_policy"]);
  return [...json, ...(decided ? [] : permissionFlags(turn))];
}

function permissionFlags(turn: TurnRequest): string[] {
  if (turn.agent.autonomy === "none") return [];
  const edits = ["-s", "workspace-write"];
  if (turn.agent.autonomy === "edits") return edits;
  if (turn.help === "" || helpNames(turn.help, BYPASS)) return [BYPASS];
  return helpNames(turn.help, "--full-auto") ? ["--full-auto"] : edits;
}

/** The model, unless the user's own words name one. */
export function modelFlags(agent: AgentSpec, given: readonly string[]): string[] {
  const decided = hasFlag(given, ["-m", "--model"]) || hasConfig(given, ["model"]);
  return agent.model === undefined || decided ? [] : ["-m", agent.model];
}

/** A flag that the program knows (or is believed to know) and the user has not given. */
function wants(turn: TurnRequest, given: readonly string[], flag: string): boolean {
  return !given.includes(flag) && (turn.help === "" || helpNames(turn.help, flag));
}

function helpNames(help: string, flag: string): boolean {
  return help.split(/[\s,=[\]]+/).includes(flag);
}

/** Whether one of these keys is set by `-c key=value`. */
function hasConfig(words: readonly string[], keys: readonly string[]): boolean {
  return words.some((word) => keys.includes(/^(?:-c|--config=)?\s*([\w.]+)\s*=/.exec(word)?.[1] ?? ""));
}
