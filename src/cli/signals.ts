/** Two stages of stopping, driven by signals. */
export interface StopSignals {
  /** The first signal: let the present operation finish. Its reason is the signal's name. */
  readonly soft: AbortSignal;
  /** The second signal: end everything now. */
  readonly hard: AbortSignal;
  /** Takes the handlers away again. */
  release(): void;
}

/** Closing the terminal (SIGHUP) is a stop too. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Listens for signals. A third one gives up waiting for anything. */
export function listenForSignals(print: (text: string) => void): StopSignals {
  // On a terminal a countdown may stand on the line, and the terminal's own ^C.
  const say = (text: string) => print(process.stderr.isTTY === true ? `\r\u001b[K${text}` : text);
  const soft = new AbortController();
  const hard = new AbortController();
  const handle = (signal: NodeJS.Signals) => {
    if (!soft.signal.aborted) {
      say("Received signal, shutting down...\n");
      soft.abort(signal);
    } else if (!hard.signal.aborted) {
      say("Received a second signal, ending everything now.\n");
      hard.abort(signal);
    } else {
      process.exit(130);
    }
  };
  for (const signal of SIGNALS) process.on(signal, handle);
  return {
    soft: soft.signal,
    hard: hard.signal,
    release: () => {
      for (const signal of SIGNALS) process.off(signal, handle);
    },
  };
}
