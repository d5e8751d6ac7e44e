import type { LoopEvent } from "../events.ts";
import type { Reporter } from "./reporter.ts";

/**
 * The reporter behind `--json`: one object a line. Loop events stand as they are in the journal; what the agent said
 * is wrapped as `{"type":"agent","run","iteration","event"}`.
 */
export function createJsonReporter(out: { write(text: string): void }): Reporter {
  let run = "";
  const print = (value: object) => {
    try {
      out.write(`${JSON.stringify(value).replace(UNSAFE, escaped)}\n`);
    } catch {
      // A reader that went away must not end the run.
    }
  };
  return {
    doing() {},
    happened(event: LoopEvent) {
      run = event.run;
      print(event);
    },
    said(iteration, event) {
      print({ type: "agent", run, iteration, event });
    },
    detail() {},
  };
}

/** JSON leaves these as they are, but a terminal obeys the first and many line readers break at the last. */
const UNSAFE = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069\u2028\u2029]/g;

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
