import type { AgentAdapter } from "../agent.ts";
import { classifyAmp } from "./classify.ts";
import { ampCommand } from "./command.ts";
import { ampParser } from "./parse.ts";

/** Amp. It cannot be run without its own server: what is known of it is its documentation, its help and its flags. */
export const amp: AgentAdapter = {
  kind: "amp",
  program: "amp",
  about: {
    title: "Amp",
    prompt: "stdin",
    stream: "stream-json",
    hooks: "unknown",
    cost: "cost and tokens",
    resume: "unknown",
    tried: [],
  },
  command: ampCommand,
  parser: ampParser,
  classify: classifyAmp,
};
