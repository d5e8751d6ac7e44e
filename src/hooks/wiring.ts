import { timeoutOf } from "./timeouts.ts";

/** The agents that `ralph install-hooks` knows. */
export const WIRED_AGENTS = ["claude", "codex", "copilot", "qwen", "gemini", "opencode"] as const;
export type WiredAgent = (typeof WIRED_AGENTS)[number];

/** A hook as settings name it. */
export interface Hook {
  readonly event: string;
  readonly command: string;
  readonly timeout: number;
}

/** Where an agent looks for a file. */
export interface FilePlace {
  /** Its folder, in the user's home or in a project. */
  readonly folder: string;
  /** The one in the home, where it is another one. */
  readonly home?: string;
  /** The variable that names another place for the folder in the home, or for what it lies in there. */
  readonly variable?: string;
  /** Where it lies in what the variable names. */
  readonly below?: string;
  readonly file: string;
}

/** How an agent is told of hooks by a file. */
export interface Wiring extends FilePlace {
  /** The agent's name for each event that it has, by ours. */
  readonly events: Readonly<Record<string, string>>;
  readonly unit: "seconds" | "milliseconds";
}

const COMMON = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"];
const same = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, name]));

/** The agents whose settings can name our hooks, as the real programs showed it. */
export const WIRINGS: Readonly<Partial<Record<WiredAgent, Wiring>>> = {
  claude: {
    folder: ".claude",
    variable: "CLAUDE_CONFIG_DIR",
    file: "settings.json",
    events: same([...COMMON, "StopFailure", "PostToolUseFailure"]),
    unit: "seconds",
  },
  codex: {
    folder: ".codex",
    variable: "CODEX_HOME",
    file: "hooks.json",
    events: same(COMMON),
    unit: "seconds",
  },
  qwen: { folder: ".qwen", file: "settings.json", events: same(COMMON), unit: "milliseconds" },
  gemini: {
    folder: ".gemini",
    file: "settings.json",
    events: {
      SessionStart: "SessionStart",
      UserPromptSubmit: "BeforeAgent",
      PreToolUse: "BeforeTool",
      PostToolUse: "AfterTool",
      Stop: "AfterAgent",
      SessionEnd: "SessionEnd",
    },
    unit: "milliseconds",
  },
};

/** The hooks that an agent's settings are to name. `script` is the plugin's `hooks/ralph.sh`. */
export function hooksFor({ events, unit }: Wiring, script: string): Hook[] {
  return Object.entries(events).map(([ours, event]) => ({
    event,
    command: commandFor(script, ours),
    timeout: timeoutOf(ours) * (unit === "seconds" ? 1 : 1000),
  }));
}

/**
 * A script that is gone with its package must not end with 2, which tells some agents that they may not stop. It is read by the
 * shell that the agent started, for a second one would double the cost of a hook that has nothing to do.
 */
function commandFor(script: string, event: string): string {
  const word = `'${script.replaceAll("'", "'\\''")}'`;
  return `test -f ${word} || exit 0; set -- ${word} ${event}; . ${word}`;
}

const OURS = /^test -f ('.*\/plugin\/hooks\/ralph\.sh') \|\| exit 0; set -- \1 [A-Za-z]+; \. \1$/s;

/** Is it a command of ours, of this copy of ralph or of another one? */
export function isOurs(command: unknown): boolean {
  return typeof command === "string" && OURS.test(command);
}
