import { type CANCEL_SYMBOL, isCancel, updateSettings } from "@clack/prompts";

/** The user left in the middle: Ctrl-C, end of input, a signal, or the terminal was closed. */
export class Interrupted extends Error {
  constructor() {
    super("interrupted");
    this.name = "Interrupted";
  }
}

/** Asks questions one after the other, and throws `Interrupted` at whatever makes an answer impossible. */
export interface Dialogue {
  /** Shows one prompt. It is given the signal that takes it off the screen again. */
  ask<T>(prompt: (signal: AbortSignal) => Promise<T | typeof CANCEL_SYMBOL>): Promise<T>;
  /** Takes the handlers away again. */
  close(): void;
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** How a terminal that is gone looks from inside. */
const ENDINGS = ["end", "close", "error"] as const;

const USUAL_COLUMNS = 80;

/** Begins to ask on this terminal. */
export function openDialogue(): Dialogue {
  // In raw mode the end of input is a key like any other, and the prompts do not know it.
  updateSettings({ aliases: { "\u0004": "cancel" } });
  // Some terminals (in containers, above all) say that they are 0 wide, and each letter would get a line of its own.
  if (!(process.stdout.columns > 0)) process.stdout.columns = USUAL_COLUMNS;
  let gone = false;
  let current: AbortController | undefined;
  const leave = (): void => {
    gone = true;
    current?.abort();
  };
  for (const signal of SIGNALS) process.on(signal, leave);
  for (const ending of ENDINGS) process.stdin.on(ending, leave);
  return {
    async ask(prompt) {
      if (gone) throw new Interrupted();
      // One signal a prompt: an old prompt must not wake up when a later one is aborted.
      current = new AbortController();
      const answer = await prompt(current.signal);
      current = undefined;
      if (gone || isCancel(answer)) throw new Interrupted();
      return answer;
    },
    close() {
      for (const signal of SIGNALS) process.off(signal, leave);
      for (const ending of ENDINGS) process.stdin.off(ending, leave);
    },
  };
}
