import type { AgentAdapter } from "../agent.ts";
import { classifyClaude } from "./classify.ts";
import { claudeCommand } from "./command.ts";
import { claudeParser } from "./parse.ts";
import { claudeSession } from "./session.ts";

/** Claude Code. */
export const claude: AgentAdapter = {
  kind: "claude",
  program: "claude",
  command: claudeCommand,
  interactive: claudeSession,
  parser: claudeParser,
  classify: classifyClaude,
};
