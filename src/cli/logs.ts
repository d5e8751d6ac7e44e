import { closeSync, existsSync, openSync, readSync, watch } from "node:fs";
import { join } from "node:path";
import { adapterFor } from "../agents/registry.ts";
import type { LoopEvent } from "../events.ts";
import { runFolder, stateRoot } from "../journal/paths.ts";
import { readJournal } from "../journal/read.ts";
import { agentsOf } from "../spec.ts";
import { LineCutter } from "../supervise/lines.ts";
import type { Reporter } from "../ui/reporter.ts";
import { findRun, isDriven } from "./find-run.ts";
import { projectHere } from "./project.ts";
import { createReporter } from "./reporters.ts";

/** `ralph logs [run] [-f]`: what a run showed, again, from its journal and its raw streams. */
export async function logsCommand(
  asked: string | undefined,
  flags: { follow?: boolean; json?: boolean },
): Promise<void> {
  const project = projectHere();
  const run = findRun(project, asked);
  const folder = runFolder(stateRoot(process.env), project, run);
  const teller = new Teller(
    folder.streams,
    await createReporter({ json: flags.json === true, allToStdout: true }),
  );
  const show = () => teller.tell(readJournal(folder.journal));
  let isOver = show();
  if (flags.follow !== true) return;
  for (let isGone = false; !isOver && !isGone; ) {
    // Looked at before the journal: what its driver wrote last, before it went, is shown too.
    isGone = !isDriven(project, run);
    if (!isGone) await changed([folder.journal, folder.streams]);
    isOver = show();
  }
  if (!isOver) process.stderr.write(`Run ${run} was interrupted. To go on with it: ralph resume\n`);
}

type Turn = Extract<LoopEvent, { type: "agent.started" | "agent.exited" }>;

/** Tells a run again, as far as it has come. */
class Teller {
  readonly #streams: string;
  readonly #reporter: Reporter;
  #told = 0;
  /** The turn under way: its words come before the record of its exit. */
  #turn: StreamTail | undefined;

  constructor(streams: string, reporter: Reporter) {
    this.#streams = streams;
    this.#reporter = reporter;
  }

  /** Tells what is new. True when the run has ended. */
  tell(events: readonly LoopEvent[]): boolean {
    for (const event of events.slice(this.#told)) {
      if (event.type === "agent.exited") {
        this.#turn ??= this.#open(event, events);
        this.#turn.end();
        this.#turn = undefined;
      }
      this.#reporter.happened(event);
      if (event.type === "agent.started") {
        this.#turn?.end(); // a turn that was cut off has no exit
        this.#turn = this.#open(event, events);
      }
    }
    this.#told = events.length;
    this.#turn?.more();
    return events.at(-1)?.type === "run.ended";
  }

  /** The stream of a turn: an iteration that was run again has one for each time that the agent was started. */
  #open(turn: Turn, events: readonly LoopEvent[]): StreamTail {
    const [first] = events;
    const agent = first?.type === "run.started" ? agentsOf(first.spec)[turn.agent ?? 0] : undefined;
    const parser = adapterFor(agent?.kind ?? "custom").parser();
    const nth = events
      .slice(0, events.indexOf(turn) + 1)
      .filter((event) => event.type === "agent.started" && event.iteration === turn.iteration).length;
    const name = String(turn.iteration).padStart(3, "0");
    return new StreamTail(join(this.#streams, `${name}${nth > 1 ? `-${nth}` : ""}.out`), (line) => {
      for (const said of parser.line(line)) this.#reporter.said(turn.iteration, said);
    });
  }
}

/** Reads a file that may still grow, line by line. */
class StreamTail {
  readonly #path: string;
  readonly #cutter: LineCutter;
  readonly #buffer = Buffer.alloc(64 * 1024);
  #at = 0;

  constructor(path: string, say: (line: string) => void) {
    this.#path = path;
    this.#cutter = new LineCutter({ line: say, oversize: (head) => say(head) });
  }

  /** Says what has come since the last time. */
  more(): void {
    if (!existsSync(this.#path)) return;
    const fd = openSync(this.#path, "r");
    try {
      for (;;) {
        const read = readSync(fd, this.#buffer, 0, this.#buffer.length, this.#at);
        if (read === 0) return;
        this.#at += read;
        this.#cutter.write(Buffer.from(this.#buffer.subarray(0, read)));
      }
    } finally {
      closeSync(fd);
    }
  }

  /** Says the rest, a line without an end included. */
  end(): void {
    this.more();
    this.#cutter.end();
  }
}

/** Resolves when one of these changed, or after a second at the latest: a driver that died tells nobody. */
function changed(paths: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    const watchers = paths.filter(existsSync).map((path) => watch(path));
    const done = () => {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
      resolve();
    };
    const timer = setTimeout(done, 1_000);
    for (const watcher of watchers) {
      watcher.once("change", done);
      watcher.once("error", done);
    }
  });
}
