import { createReadStream, existsSync, readdirSync, watch } from "node:fs";
import { join } from "node:path";
import { adapterFor } from "../agents/registry.ts";
import type { LoopEvent } from "../events.ts";
import { runFolder, stateRoot } from "../journal/paths.ts";
import { readJournal } from "../journal/read.ts";
import { LineCutter } from "../supervise/lines.ts";
import type { Reporter } from "../ui/reporter.ts";
import { findRun, isDriven } from "./find-run.ts";
import { createReporter } from "./reporters.ts";

/** `ralph logs [run] [-f]`: what a run showed, again, from its journal and its raw streams. */
export async function logsCommand(
  asked: string | undefined,
  flags: { follow?: boolean; json?: boolean },
): Promise<void> {
  const project = process.cwd();
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
  let over = await show();
  while (flags.follow === true && !over && isDriven(project, run)) {
    await changed(folder.journal);
    over = await show();
  }
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
    const kind = first?.type === "run.started" ? first.spec.agent.kind : "custom";
    const parser = adapterFor(kind).parser();
    const say = (line: string) => {
      for (const said of parser.line(line)) reporter.said(event.iteration, said);
    };
    const cutter = new LineCutter({ line: say, oversize: (head) => say(head) });
    const path = lastStream(streams, event.iteration);
    if (path !== undefined) for await (const chunk of createReadStream(path)) cutter.write(chunk as Buffer);
    cutter.end();
  }
  reporter.happened(event);
}

/** The newest stream of an iteration: one that was run again has several. */
function lastStream(streams: string, iteration: number): string | undefined {
  if (!existsSync(streams)) return undefined;
  const name = String(iteration).padStart(3, "0");
  const own = new RegExp(`^${name}(?:-(\\d+))?\\.out$`);
  const found = readdirSync(streams).flatMap((file) => {
    const match = own.exec(file);
    return match === null ? [] : [{ file, n: Number(match[1] ?? 1) }];
  });
  const newest = found.sort((a, b) => a.n - b.n).at(-1);
  return newest === undefined ? undefined : join(streams, newest.file);
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
