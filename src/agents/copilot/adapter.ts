import type { AgentAdapter } from "../agent.ts";
import { classifyCopilot } from "./classify.ts";
import { copilotCommand } from "./command.ts";
import { copilotParser } from "./parse.ts";

/** GitHub Copilot CLI. Its last line tells neither the final text nor the tokens: the text is the last thing it said. */
export const copilot: AgentAdapter = {
  kind: "copilot",
  program: "copilot",
  command: copilotCommand,
  parser: copilotParser,
  classify: classifyCopilot,
};
