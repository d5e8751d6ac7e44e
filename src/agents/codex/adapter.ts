import type { AgentAdapter } from "../agent.ts";
import { classifyCodex } from "./classify.ts";
import { codexCommand } from "./command.ts";
import { codexParser } from "./parse.ts";
import { codexSession } from "./session.ts";

/** OpenAI Codex. Its flags come and go between versions, so its help is asked first. */
export const codex: AgentAdapter = {
  kind: "codex",
  program: "codex",
  about: {
    title: "OpenAI Codex",
    prompt: "stdin",
    stream: "json",
    hooks: "yes",
    cost: "tokens",
    resume: "yes",
    tried: ["0.166.0"],
  },
  helpArgs: ["exec", "--help"],
  command: codexCommand,
  interactive: codexSession,
  parser: codexParser,
  classify: classifyCodex,
};
