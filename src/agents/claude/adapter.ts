import type { AgentAdapter } from "../agent.ts";
import { classifyClaude } from "./classify.ts";
import { claudeCommand } from "./command.ts";
import { claudeParser } from "./parse.ts";
import { claudeSession } from "./session.ts";

/** Claude Code. */
export const claude: AgentAdapter = {
  kind: "claude",
  program: "claude",
  about: {
    title: "Claude Code",
    prompt: "stdin",
    stream: "stream-json",
    hooks: "yes",
    cost: "cost and tokens",
    resume: "yes",
    tried: ["2.1.197", "2.1.325"],
  },
  asksByHttp: true,
  command: claudeCommand,
  interactive: claudeSession,
  parser: claudeParser,
  classify: classifyClaude,
};
