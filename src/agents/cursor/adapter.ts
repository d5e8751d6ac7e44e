import type { AgentAdapter } from "../agent.ts";
import { classifyCursor } from "./classify.ts";
import { cursorCommand } from "./command.ts";
import { cursorParser } from "./parse.ts";

/** Cursor's command line, cursor-agent. Known from its documentation and its users' reports; it was not run here. */
export const cursor: AgentAdapter = {
  kind: "cursor",
  program: "cursor-agent",
  about: {
    title: "Cursor CLI",
    prompt: "stdin",
    stream: "stream-json",
    hooks: "unknown",
    cost: "tokens",
    resume: "yes",
    tried: [],
  },
  helpArgs: ["--help"],
  command: cursorCommand,
  parser: cursorParser,
  classify: classifyCursor,
};
