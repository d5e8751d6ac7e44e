import type { StreamParser } from "../agent.ts";

/** A parser that takes every line for something the agent said. */
export function customParser(): StreamParser {
  return {
    line(line) {
      return line.trim() === "" ? [] : [{ type: "text", text: line }];
    },
  };
}
