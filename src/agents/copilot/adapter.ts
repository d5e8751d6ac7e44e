import type { AgentAdapter } from "../agent.ts";
import { classifyCopilot } from "./classify.ts";
import { copilotCommand } from "./command.ts";
import { copilotParser } from "./parse.ts";

/** GitHub Copilot CLI. Its last line tells neither the final text nor the tokens: the text is the last thing it said. */
export const copilot: AgentAdapter = {
  kind: "copilot",
  program: "copilot",
  about: {
    title: "GitHub Copilot CLI",
    prompt: "stdin",
    stream: "json",
    hooks: "yes",
    cost: "none",
    resume: "yes",
    tried: ["1.0.102"],
  },
  command: copilotCommand,
  parser: copilotParser,
  classify: classifyCopilot,
};
