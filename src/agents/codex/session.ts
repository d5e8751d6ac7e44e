import type { AgentCommand, SessionRequest } from "../agent.ts";
import { type FlagShapes, withoutFlags } from "../flags.ts";
import { commandWords } from "../words.ts";
import { modelFlags } from "./command.ts";

/** What only `codex exec` takes: at a terminal Codex refuses to start with it. */
const ONLY_IN_EXEC: FlagShapes = {
  bare: [
    "-",
    "--json",
    "--experimental-json",
    "--skip-git-repo-check",
    "--ephemeral",
    "--ignore-user-config",
    "--ignore-rules",
  ],
  oneValue: ["-o", "--output-last-message", "--output-schema", "--color", "--thread-source"],
  manyValues: [],
};

/** Codex at the user's terminal. What it may do is asked of the user there, unless the user's flags say otherwise. */
export function codexSession({ agent, prompt }: SessionRequest): Pick<AgentCommand, "file" | "args"> {
  const [file, ...words] = commandWords(agent.command);
  const exec = words.findIndex((word) => word === "exec" || word === "e");
  const first = words.filter((_word, index) => index !== exec);
  const given = [...withoutFlags(first, ONLY_IN_EXEC), ...withoutFlags(agent.flags, ONLY_IN_EXEC)];
  return { file, args: [...given, ...modelFlags(agent, given), "--", prompt] };
}
