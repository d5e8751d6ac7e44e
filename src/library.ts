import { kindOf } from "./agents/registry.ts";
import { describeRun, type RunRequest } from "./config/describe.ts";
import { ensureRalphFolder } from "./config/write.ts";
import type { AgentEvent, LoopEvent, Outcome } from "./events.ts";
import { openDesk } from "./hooks/desk.ts";
import { launch } from "./loop/launch.ts";
import { preflight } from "./loop/preflight.ts";
import type { RunSpec } from "./spec.ts";
import type { Reporter } from "./ui/reporter.ts";

/** What a run says: its own events as they are, and the agent's in an envelope. The same lines as `ralph run --json`. */
export type RunEvent =
  | LoopEvent
  | { readonly type: "agent"; readonly run: string; readonly iteration: number; readonly event: AgentEvent };

export interface RunOptions {
  /** Ends the run at once, as a second Ctrl-C would; the outcome is then `stopped`. */
  readonly signal?: AbortSignal;
  readonly env?: NodeJS.ProcessEnv;
}

/** A run under way. Reading the events is optional; the run goes on either way. */
export interface Run extends AsyncIterable<RunEvent> {
  /** Rejects only for errors that the user must mend (`UserError`) and for faults of ours. */
  readonly outcome: Promise<Outcome>;
}

/** Starts a run. The events are an async iterable, the outcome is a promise. */
export function run(request: RunRequest | RunSpec, options: RunOptions = {}): Run {
  const spec = isSpec(request) ? request : describeRun(request, kindOf, options.env);
  const queue = new EventQueue();
  let id = "";
  const reporter: Reporter = {
    doing: () => {},
    detail: () => {},
    happened: (event) => {
      id = event.run;
      queue.push(event);
    },
    said: (iteration, event) => queue.push({ type: "agent", run: id, iteration, event }),
    full: () => queue.full(),
  };
  const stop = options.signal === undefined ? {} : { softStop: options.signal, hardStop: options.signal };
  const start = async (): Promise<Outcome> => {
    await preflight(spec, options.env ?? process.env);
    ensureRalphFolder(spec.project);
    const env = options.env === undefined ? {} : { env: options.env };
    return (await launch({ spec, reporter, hooks: openDesk, ...stop, ...env })).outcome;
  };
  const outcome = start().finally(() => queue.close());
  outcome.catch(() => {}); // whoever awaits it sees the error; nobody awaiting it must not crash the host
  return { outcome, [Symbol.asyncIterator]: () => queue.read() };
}

function isSpec(request: RunRequest | RunSpec): request is RunSpec {
  return "work" in request;
}

/** How many events wait for a reader who may never come. */
const MOST_UNREAD = 10_000;

/** Events that wait for their reader. As long as nobody reads, the oldest are forgotten. */
class EventQueue {
  #waiting: RunEvent[] = [];
  #hasReader = false;
  #room: (() => void) | undefined;
  #wake: (() => void) | undefined;
  #closed = false;

  push(event: RunEvent): void {
    this.#waiting.push(event);
    if (!this.#hasReader && this.#waiting.length > MOST_UNREAD) this.#waiting.shift();
    this.#wake?.();
  }

  /** Set while a slow reader has too much to read already. */
  full(): Promise<void> | undefined {
    if (!this.#hasReader || this.#waiting.length < MOST_UNREAD) return undefined;
    return new Promise((resolve) => {
      this.#room = resolve;
    });
  }

  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  async *read(): AsyncGenerator<RunEvent, void, undefined> {
    this.#hasReader = true;
    try {
      yield* this.#all();
    } finally {
      // A reader who leaves must not hold the agent up.
      this.#hasReader = false;
      this.#room?.();
    }
  }

  async *#all(): AsyncGenerator<RunEvent, void, undefined> {
    for (;;) {
      const next = this.#waiting.shift();
      if (this.#waiting.length < MOST_UNREAD / 2) this.#room?.();
      if (next !== undefined) yield next;
      else if (this.#closed) return;
      else
        await new Promise<void>((wake) => {
          this.#wake = wake;
        });
    }
  }
}
