import { runGate } from "./command.ts";
import type { Judge } from "./gate.ts";

/** A check that must pass before a claim is believed: a shell line of the user's, judged by its exit code. */
export const judgeGuardrail: Judge = async (moment) => (await runGate(moment, 0)).verdict;
