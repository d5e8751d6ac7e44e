import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf } from "../errors.ts";
import { type Answer, answerText, say } from "./answer.ts";
import { guardAnswer, placeIn } from "./guard-answer.ts";
import { type HookInput, readInput } from "./input.ts";
import { log } from "./log.ts";

/*
 * Asked before each tool of an agent in a guarded run. The other hooks fail open, for they would stand in a user's way; this one
 * fails closed, for nobody is there to see what it let pass.
 */

/** Answers what stands on standard input, for the run that keeps this file for its guard. */
export function answerFor(path: string): void {
  let input: HookInput | undefined;
  let answer: Answer;
  try {
    input = readInput();
    const place = placeIn(readFileSync(path, "utf8"));
    if (input === undefined || place === undefined) throw new Error("what it was told cannot be read");
    answer = guardAnswer(input, place);
  } catch (error) {
    answer = { deny: `ralph's guard could not judge this, so it is not allowed: ${messageOf(error)}` };
  }
  if (answer?.deny === undefined) return;
  log(dirname(path), `denied ${input?.tool ?? "a tool"}: ${answer.deny} ${shown(input?.toolInput)}`);
  say(answerText(answer, input?.event ?? ""));
}

function shown(input: unknown): string {
  return (JSON.stringify(input) ?? "").slice(0, 500);
}
