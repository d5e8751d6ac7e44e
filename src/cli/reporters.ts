import { DEFAULTS } from "../config/defaults.ts";
import type { ShowOptions } from "../config/resolve.ts";
import { redact } from "../redact.ts";
import { clean } from "../ui/clean.ts";
import type { LiveTerminal } from "../ui/plain/page.ts";
import type { Reporter } from "../ui/reporter.ts";

interface Wanted {
  readonly json?: boolean;
  readonly verbose?: boolean;
  readonly show?: ShowOptions;
  readonly streamAgentOutput?: boolean;
  /** Everything on standard output: for commands whose only purpose is to show a run. */
  readonly allToStdout?: boolean;
}

/** The reporter that the flags ask for. Details are free of secrets, whoever prints them. */
export async function createReporter(wanted: Wanted): Promise<Reporter> {
  const verbose = wanted.verbose === true;
  const shown = wanted.json === true ? await jsonReporter() : await plainReporter(wanted);
  let isCutOff = false;
  process.stdout.once("error", () => {
    isCutOff = true;
  });
  return {
    ...shown,
    // A stream whose reader has left says for ever that it is full: nobody is waited for then.
    full: () => (process.stdout.writableNeedDrain && !isCutOff ? drained(process.stdout) : undefined),
    detail: (line) => {
      if (!verbose) return;
      // With --json stdout belongs to the events; those who want details still get them, on stderr.
      if (wanted.json === true) process.stderr.write(`${clean(redact(line)).replace(/^/gm, "[ralph] ")}\n`);
      else shown.detail(redact(line));
    },
  };
}

/** Resolves when the stream has room again, or when nobody will ever read it. */
function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      for (const name of ["drain", "close", "error"]) stream.off(name, done);
      resolve();
    };
    for (const name of ["drain", "close", "error"]) stream.once(name, done);
    if (stream.destroyed) done();
  });
}

async function jsonReporter(): Promise<Reporter> {
  const { createJsonReporter } = await import("../ui/jsonl.ts");
  return createJsonReporter(process.stdout);
}

async function plainReporter(wanted: Wanted): Promise<Reporter> {
  const { createPlainReporter } = await import("../ui/plain/reporter.ts");
  const { colorWanted } = await import("../ui/style.ts");
  const err = wanted.allToStdout === true ? process.stdout : process.stderr;
  const show = wanted.show ?? DEFAULTS.output;
  return createPlainReporter({
    out: process.stdout,
    err: { write: (text) => void err.write(redact(text)) },
    now: () => Date.now(),
    live: liveOn(err),
    options: {
      ...show,
      color: colorWanted(show.color, process.env, err.isTTY === true),
      verbose: wanted.verbose === true,
      streamAgentOutput: wanted.streamAgentOutput ?? true,
    },
  });
}

/** A terminal on which a line can be written over; undefined for a pipe, a file, or one that knows no escapes. */
function liveOn(stream: NodeJS.WriteStream): LiveTerminal | undefined {
  if (stream.isTTY !== true || process.env["TERM"] === "dumb") return undefined;
  return {
    columns: () => stream.columns || 80,
    everySecond(tick) {
      const timer = setInterval(tick, 1_000);
      timer.unref(); // nobody waits for a line
      return () => clearInterval(timer);
    },
  };
}
