import type { AgentAdapter } from "../agent.ts";
import { classifyClaude } from "./classify.ts";
import { claudeCommand } from "./command.ts";
import { claudeParser } from "./parse.ts";

/** Claude Code. */
export const claude: AgentAdapter = {
  kind: "claude",
  program: "claude",
  command: claudeCommand,
  parser: claudeParser,
  classify: classifyClaude,
};
