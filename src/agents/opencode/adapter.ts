import type { AgentAdapter } from "../agent.ts";
import { classifyOpencode } from "./classify.ts";
import { opencodeCommand } from "./command.ts";
import { opencodeParser } from "./parse.ts";

/** OpenCode. It has no result of its own: the last step says how the turn ended. */
export const opencode: AgentAdapter = {
  kind: "opencode",
  program: "opencode",
  about: {
    title: "OpenCode",
    prompt: "stdin",
    stream: "json",
    hooks: "plugins",
    cost: "cost and tokens",
    resume: "yes",
    tried: ["1.18.33"],
  },
  command: opencodeCommand,
  parser: opencodeParser,
  classify: classifyOpencode,
};
