import type { AgentAdapter } from "../agent.ts";
import { classifyGemini } from "./classify.ts";
import { geminiCommand } from "./command.ts";
import { geminiParser } from "./parse.ts";

/** Gemini CLI. */
export const gemini: AgentAdapter = {
  kind: "gemini",
  program: "gemini",
  command: geminiCommand,
  parser: geminiParser,
  classify: classifyGemini,
};
