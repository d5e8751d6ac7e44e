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
    await answerInput(handle, root);
  } catch (error) {
    letGo(error);
  }
  // All is said and written: what Node would tidy up on its way out goes with the process, and the session waits for it.
  process.exit(0);
}

async function answerInput(handle: Handle, root: string): Promise<void> {
  const input = readInput();
  if (input === undefined) return log(root, "the session was left to itself: what the hook got is no JSON");
  const answer = await handle(input, root);
  if (answer !== undefined) say(answerText(answer, input.event));
}
