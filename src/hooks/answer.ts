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
      /** The tool is not used, for this reason. */
      readonly deny?: string;
    }
  | undefined;

/** The answer in the words of the program. */
export function answerText(answer: Exclude<Answer, undefined>, event: string): string {
  const { goOn, context, tell, deny } = answer;
  if (deny !== undefined) return JSON.stringify(denialFor(event, deny));
  return JSON.stringify({
    ...(goOn === undefined ? {} : { decision: event === "AfterAgent" ? "deny" : "block", reason: goOn }),
    ...(context === undefined
      ? {}
      : { hookSpecificOutput: { hookEventName: event, additionalContext: context } }),
    ...(tell === undefined ? {} : { systemMessage: tell }),
  });
}

function denialFor(event: string, reason: string): object {
  if (event === "BeforeTool") return { decision: "deny", reason };
  const hookEventName = event === "" ? "PreToolUse" : event;
  return {
    hookSpecificOutput: { hookEventName, permissionDecision: "deny", permissionDecisionReason: reason },
  };
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
