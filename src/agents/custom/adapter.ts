import type { AgentAdapter } from "../agent.ts";
import { classifyCustom } from "./classify.ts";
import { customCommand } from "./command.ts";
import { customParser } from "./parse.ts";

/** Any other program: it gets the prompt on stdin, and what it prints is what the agent said. */
export const custom: AgentAdapter = {
  kind: "custom",
  program: "custom",
  command: customCommand,
  parser: customParser,
  classify: classifyCustom,
};
