import type { AgentCommand, TurnRequest } from "../agent.ts";
import { type FlagShapes, hasFlag, withoutFlags } from "../flags.ts";
import { hintOf, notACommand } from "../stdin.ts";
import { commandWords } from "../words.ts";
import { hookVariables, settingsFlags } from "./hooks.ts";

/** Flags by which the user decides himself what Claude may do; any of them keeps ours away. */
const PERMISSION_FLAGS = [
  "--dangerously-skip-permissions",
  "--permission-mode",
  "--allowedTools",
  "--allowed-tools",
  "--permission-prompt-tool",
];

/** Two of these in one command are an error, or the last one silently wins. */
const SYSTEM_PROMPT_FLAGS = ["--append-system-prompt", "--append-system-prompt-file"];

/** Of two `--settings` the last one counts, and `--bare` has no hooks at all: what the user decided stays. */
const NO_HOOKS_FLAGS = ["--settings", "--bare"];

/**
 * Root is refused `--dangerously-skip-permissions`. These names lift every question that matters; what stays refused
 * are Claude's own settings under `.claude` and the tools of MCP servers. One word: the flag takes all words up to the
 * next flag, and a comma-joined list cannot swallow one of the user's.
 */
const ROOT_TOOLS = "Bash,Edit,Write,Read,Glob,Grep,NotebookEdit,WebFetch,WebSearch,Task,TodoWrite,Skill";

/** Taken away in text mode. Bash stays: without leave of the user it runs what only reads, such as `git diff`. */
const WRITE_TOOLS = "Edit,Write,NotebookEdit,Task";

/** Flags of the user's that would let a text turn act, or make it print something else than its answer. */
const NOT_IN_TEXT: FlagShapes = {
  bare: [
    "--dangerously-skip-permissions",
    "--allow-dangerously-skip-permissions",
    "--include-partial-messages",
    "--include-hook-events",
    "--replay-user-messages",
  ],
  oneValue: [
    "--permission-mode",
    "--permission-prompt-tool",
    "--output-format",
    "--input-format",
    "--json-schema",
  ],
  manyValues: ["--allowedTools", "--allowed-tools"],
};

/** The command of one turn of Claude Code. The prompt goes by stdin, the hint into the system prompt. */
export function claudeCommand(turn: TurnRequest): AgentCommand {
  const [file, ...words] = commandWords(turn.agent.command);
  const text = turn.mode === "text";
  const first = text ? withoutFlags(words, NOT_IN_TEXT) : words;
  const flags = text ? withoutFlags(turn.agent.flags, NOT_IN_TEXT) : turn.agent.flags;
  const given = [...first, ...flags];
  const hint = hintOf(turn);
  const hintByFlag = hint !== undefined && !hasFlag(given, SYSTEM_PROMPT_FLAGS);
  const hooks = text || hasFlag(given, NO_HOOKS_FLAGS) ? undefined : turn.hooks;
  const args = [
    ...first,
    ...(given.includes("-p") || given.includes("--print") ? [] : ["-p"]),
    ...(text ? textFlags() : workFlags(turn, given)),
    ...configFlags(turn, given),
    ...(turn.agent.model === undefined || hasFlag(given, ["--model"]) ? [] : ["--model", turn.agent.model]),
    ...(hintByFlag ? ["--append-system-prompt", hint] : []),
    ...(hooks === undefined ? [] : settingsFlags(hooks)),
    ...flags,
  ];
  const prompt = hint === undefined || hintByFlag ? turn.prompt : `${turn.prompt}\n\n${hint}`;
  const env = {
    // Without this word root is refused full autonomy, inside a fence too.
    ...(turn.fenced === true ? { IS_SANDBOX: "1" } : {}),
    ...(hooks === undefined ? {} : hookVariables(hooks)),
  };
  return { file, args, env, stdin: notACommand(prompt), answerFromFile: false };
}

/** Without the user's own settings there are neither his hooks nor his plugins; the project's stay. */
function configFlags({ agent }: TurnRequest, given: readonly string[]): string[] {
  return agent.inheritUserConfig !== false || hasFlag(given, ["--setting-sources"])
    ? []
    : ["--setting-sources", "project,local"];
}

function textFlags(): string[] {
  return ["--permission-mode", "default", "--disallowedTools", WRITE_TOOLS, "--output-format", "text"];
}

function workFlags(turn: TurnRequest, given: readonly string[]): string[] {
  const format = hasFlag(given, ["--output-format"]) ? [] : ["--output-format", "stream-json"];
  const verbose = given.includes("--verbose") ? [] : ["--verbose"]; // stream-json is refused without it
  return [...(hasFlag(given, PERMISSION_FLAGS) ? [] : permissionFlags(turn)), ...format, ...verbose];
}

function permissionFlags(turn: TurnRequest): string[] {
  if (turn.agent.autonomy === "none") return [];
  if (turn.agent.autonomy === "edits") return ["--permission-mode", "acceptEdits"];
  if (!turn.isRoot || turn.fenced === true) return ["--dangerously-skip-permissions"];
  return ["--permission-mode", "acceptEdits", "--allowedTools", ROOT_TOOLS];
}
