import { writeSync } from "node:fs";
import { codeOf } from "../errors.ts";

/** What a hook tells the program that asked. Undefined: nothing, and all goes on as it would without us. */
export type Answer =
  | {
      /** The session goes on, with these words to its agent. */
      readonly goOn?: string;
      /** Words for its agent, beside what its user said. */
      readonly context?: string;
      /** Words for its user. */
      readonly tell?: string;
    }
  | undefined;

/** The answer in the words of the program. */
export function answerText(answer: Exclude<Answer, undefined>, event: string): string {
  const { goOn, context, tell } = answer;
  return JSON.stringify({
    ...(goOn === undefined ? {} : { decision: event === "AfterAgent" ? "deny" : "block", reason: goOn }),
    ...(context === undefined
      ? {}
      : { hookSpecificOutput: { hookEventName: event, additionalContext: context } }),
    ...(tell === undefined ? {} : { systemMessage: tell }),
  });
}

/** Writes it to standard output, all of it. */
export function say(text: string): void {
  const bytes = Buffer.from(text, "utf8");
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if (codeOf(error) !== "EAGAIN") throw error; // a reader that is slow is waited for
    }
  }
}
