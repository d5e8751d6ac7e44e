import type { AgentAdapter } from "../agent.ts";
import { classifyQwen } from "./classify.ts";
import { qwenCommand } from "./command.ts";
import { qwenParser } from "./parse.ts";

/** Qwen Code. Its stream is Claude's, but a failed request looks like an answer there. */
export const qwen: AgentAdapter = {
  kind: "qwen",
  program: "qwen",
  about: {
    title: "Qwen Code",
    prompt: "stdin",
    stream: "stream-json",
    hooks: "yes",
    cost: "tokens",
    resume: "yes",
    tried: ["0.15.10"],
  },
  command: qwenCommand,
  parser: qwenParser,
  classify: classifyQwen,
};
