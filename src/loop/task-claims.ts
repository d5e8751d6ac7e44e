import { type BusMessage, busPath, lastMessages, messagesFrom } from "../bus/bus.ts";
import { asksToWait, isDone, WAIT_EXIT_CODE } from "../claims/task-folder.ts";
import { messageOf } from "../errors.ts";
import type { Claims } from "../events.ts";
import type { Workshop } from "./workshop.ts";

/** The end of the task's bus: messages after it were posted during the turn. */
export function busEnd(shop: Workshop): number {
  return quietly(shop, () => lastMessages(taskBus(shop), 0, () => false).next, 0);
}

/** What the agent claims by other means than its words: a file, an exit code, a message. */
export function taskClaims(shop: Workshop, turn: { exitCode: number | null; busFrom: number }): Claims {
  const { claim, restart, taskDir } = shop.spec;
  const said = quietly(shop, () => [...messagesFrom(taskBus(shop), turn.busFrom)], []);
  const ask = said.find((message) => message.type === "ask");
  const wait = restart.honoursWaits ? waitSaid(taskDir, turn.exitCode, said) : undefined;
  return {
    ...(claim.done && isDone(taskDir) ? { done: true } : {}),
    ...(wait === undefined ? {} : { wait }),
    ...(ask === undefined || ask.body.trim() === "" ? {} : { blocked: ask.body.trim().slice(0, 4096) }),
  };
}

function waitSaid(taskDir: string, exitCode: number | null, said: readonly BusMessage[]): string | undefined {
  if (exitCode === WAIT_EXIT_CODE) return `exit code ${WAIT_EXIT_CODE}`;
  if (asksToWait(taskDir)) return "WAIT_WITHOUT_RESTART";
  return said.some((message) => message.type === "wait_without_restart") ? "a message on the bus" : undefined;
}

function taskBus(shop: Workshop): string {
  return busPath(shop.spec.taskDir, "task");
}

/** The bus is the agent's to write, and may be anything; that it cannot be read never harms the run. */
function quietly<T>(shop: Workshop, read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (error) {
    shop.reporter.detail(`The bus cannot be read: ${messageOf(error)}`);
    return otherwise;
  }
}
