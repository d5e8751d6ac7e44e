import * as v from "valibot";
import { DEFAULTS } from "./defaults.ts";
import { flag, key, notBlank, oneOf, section, word } from "./schema-parts.ts";

/** The agent of a run, and each that stands in for it. */
export const agent = section({
  command: key(
    notBlank(),
    "The agent's program, and words that always come first: claude, codex, gemini or any other.",
  ),
  flags: key(
    v.array(word(), "a list of texts"),
    'Flags for the agent, split as a shell would: "--model opus".',
    [],
  ),
  kind: key(
    oneOf(["claude", "codex", "amp", "copilot", "gemini", "qwen", "opencode", "cursor", "custom"]),
    "How the agent is driven. Inferred from the command's name when absent.",
  ),
  model: key(notBlank(), "The model that the agent is asked to use."),
  autonomy: key(
    oneOf(["full", "edits", "none"]),
    "What the agent may do without asking: everything, edit files, or nothing.",
    DEFAULTS.autonomy,
  ),
  inheritUserConfig: key(
    flag(),
    "false keeps your own settings, hooks and plugins out of the agent's turns: Claude Code, and Codex in a sandbox. The project's, and the log-in, stay.",
    true,
  ),
});

/** What is wanted where an agent is named. */
export const AGENT_WANTED = 'an agent ("codex", "codex:gpt-5", or an object as for "agent")';
/** An agent by its name, or as an object. */
export const standIn = v.union([notBlank(), agent], AGENT_WANTED);
