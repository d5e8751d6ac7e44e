import { messageOf } from "../errors.ts";
import { stateRoot } from "../journal/state.ts";
import { type Answer, answerText, say } from "./answer.ts";
import { type HookInput, readInput } from "./input.ts";
import { log } from "./log.ts";

/** Answers what stands on standard input. */
export type Handle = (input: HookInput, root: string) => Answer | Promise<Answer>;

/**
 * Runs a hook. It fails open: whatever goes wrong with us, the session is left to itself, and a line in the log says so.
 */
export async function runHook(handle: Handle): Promise<void> {
  const root = stateRoot(process.env);
  const letGo = (error: unknown) =>
    log(root, `the session was left to itself, for a fault of ralph's: ${messageOf(error)}`);
  process.on("uncaughtException", letGo);
  process.on("unhandledRejection", letGo);
  try {
    const input = readInput();
    if (input === undefined) return log(root, "the session was left to itself: what the hook got is no JSON");
    const answer = await handle(input, root);
    if (answer !== undefined) say(answerText(answer, input.event));
  } catch (error) {
    letGo(error);
  }
}
