import type { AgentAdapter } from "../agent.ts";
import { classifyGemini } from "./classify.ts";
import { geminiCommand } from "./command.ts";
import { geminiParser } from "./parse.ts";

/** Gemini CLI. */
export const gemini: AgentAdapter = {
  kind: "gemini",
  program: "gemini",
  about: {
    title: "Gemini CLI",
    prompt: "stdin",
    stream: "stream-json",
    hooks: "yes",
    cost: "tokens",
    resume: "yes",
    tried: ["0.61.0"],
  },
  command: geminiCommand,
  parser: geminiParser,
  classify: classifyGemini,
};
