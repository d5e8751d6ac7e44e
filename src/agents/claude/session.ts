import type { AgentCommand, SessionRequest } from "../agent.ts";
import { type FlagShapes, hasFlag, withoutFlags } from "../flags.ts";
import { commandWords } from "../words.ts";

/** What would make Claude answer and go, or belongs to that way of running it. */
const ONLY_IN_PRINT: FlagShapes = {
  bare: [
    "-p",
    "--print",
    "--include-partial-messages",
    "--include-hook-events",
    "--replay-user-messages",
    "--no-session-persistence",
  ],
  oneValue: [
    "--output-format",
    "--input-format",
    "--json-schema",
    "--permission-prompt-tool",
    "--max-turns",
    "--max-budget-usd",
    "--fallback-model",
  ],
  manyValues: [],
};

/**
 * Claude Code at the user's terminal. What it may do is asked of the user there, unless the user's flags say otherwise. The
 * prompt stands behind `--`: a flag such as `--allowedTools` would take it for one more of its values.
 */
export function claudeSession({ agent, prompt }: SessionRequest): Pick<AgentCommand, "file" | "args"> {
  const [file, ...words] = commandWords(agent.command);
  const given = [...withoutFlags(words, ONLY_IN_PRINT), ...withoutFlags(agent.flags, ONLY_IN_PRINT)];
  const model = agent.model === undefined || hasFlag(given, ["--model"]) ? [] : ["--model", agent.model];
  return { file, args: [...given, ...model, "--", prompt] };
}
