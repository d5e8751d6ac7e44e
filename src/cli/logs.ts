import { createReadStream, existsSync, watch } from "node:fs";
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
  const reporter = await createReporter({ json: flags.json === true, allToStdout: true });
  let shown = 0;
  const show = async () => {
    const events = readJournal(folder.journal);
    for (const event of events.slice(shown)) await tell(event, events, folder.streams, reporter);
    shown = events.length;
    return events.at(-1)?.type === "run.ended";
  };
  let isOver = await show();
  if (flags.follow !== true) return;
  for (let isGone = false; !isOver && !isGone; ) {
    // Looked at before the journal: what its driver wrote last, before it went, is shown too.
    isGone = !isDriven(project, run);
    if (!isGone) await changed(folder.journal);
    isOver = await show();
  }
  if (!isOver) process.stderr.write(`Run ${run} was interrupted. To go on with it: ralph resume\n`);
}

/** An agent's words belong before the record of its exit: they are read from the raw stream of that iteration. */
async function tell(
  event: LoopEvent,
  events: readonly LoopEvent[],
  streams: string,
  reporter: Reporter,
): Promise<void> {
  if (event.type === "agent.exited") {
    const first = events[0];
    const agent = first?.type === "run.started" ? agentsOf(first.spec)[event.agent ?? 0] : undefined;
    const parser = adapterFor(agent?.kind ?? "custom").parser();
    const say = (line: string) => {
      for (const said of parser.line(line)) reporter.said(event.iteration, said);
    };
    const cutter = new LineCutter({ line: say, oversize: (head) => say(head) });
    const path = streamOf(streams, event, events);
    if (path !== undefined) for await (const chunk of createReadStream(path)) cutter.write(chunk as Buffer);
    cutter.end();
  }
  reporter.happened(event);
}

type Exited = Extract<LoopEvent, { type: "agent.exited" }>;

/** The stream of a turn: an iteration that was run again has one for each time that the agent was started. */
function streamOf(streams: string, exited: Exited, events: readonly LoopEvent[]): string | undefined {
  const nth = events
    .slice(0, events.indexOf(exited))
    .filter((event) => event.type === "agent.started" && event.iteration === exited.iteration).length;
  const name = String(exited.iteration).padStart(3, "0");
  const path = join(streams, `${name}${nth > 1 ? `-${nth}` : ""}.out`);
  return existsSync(path) ? path : undefined;
}

/** Resolves when the journal grew, or after a second at the latest: a driver that died tells nobody. */
function changed(path: string): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(path);
    const done = () => {
      clearTimeout(timer);
      watcher.close();
      resolve();
    };
    const timer = setTimeout(done, 1_000);
    watcher.once("change", done);
    watcher.once("error", done);
  });
}
