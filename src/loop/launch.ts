import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { adapterFor } from "../agents/registry.ts";
import { commandWords } from "../agents/words.ts";
import type { Outcome } from "../events.ts";
import { openJournal } from "../journal/journal.ts";
import { newRunId, runFolder, stateRoot } from "../journal/paths.ts";
import { untrackedFiles, workTree } from "../scm/git.ts";
import type { RunSpec } from "../spec.ts";
import { exec } from "../supervise/exec.ts";
import type { Reporter } from "../ui/reporter.ts";
import { VERSION } from "../version.ts";
import { type Clock, systemClock } from "./clock.ts";
import { drive } from "./drive.ts";
import { createPerform } from "./perform.ts";
import type { Workshop } from "./workshop.ts";

export interface Launch {
  readonly spec: RunSpec;
  readonly reporter: Reporter;
  readonly env?: NodeJS.ProcessEnv;
  readonly clock?: Clock;
  /** Ask the run to end when the present operation is over. The abort reason says who asked. */
  readonly softStop?: AbortSignal;
  /** End everything now. */
  readonly hardStop?: AbortSignal;
}

/** Starts a new run and drives it to its end. */
export async function launch(options: Launch): Promise<{ run: string; outcome: Outcome }> {
  const { spec, reporter } = options;
  const env = options.env ?? process.env;
  const clock = options.clock ?? systemClock;
  const softStop = options.softStop ?? new AbortController().signal;
  const hardStop = options.hardStop ?? new AbortController().signal;
  const run = newRunId(clock.now());
  const folder = runFolder(stateRoot(env), spec.project, run);
  const journal = await openJournal(folder.journal);
  try {
    const adapter = adapterFor(spec.agent.kind);
    const inGit = (await workTree(spec.project)) !== undefined;
    const shop: Workshop = {
      run,
      spec,
      folder,
      adapter,
      help: await askHelp(spec, env, hardStop),
      env,
      clock,
      reporter,
      inGit,
      untrackedBefore: await rememberUntracked(spec, folder.folder, inGit),
      softStop,
      hardStop,
    };
    const first = { type: "run.started", at: clock.now(), run, journal: 1, ralph: VERSION, spec } as const;
    await journal.append(first);
    reporter.happened(first);
    const outcome = await drive({
      history: [first],
      journal,
      reporter,
      perform: createPerform(shop),
      onStart: (stop) => listen(softStop, stop),
    });
    return { run, outcome };
  } finally {
    await journal.close();
  }
}

/** What the installed program takes, in its own words; empty when it has nothing to say. */
export async function askHelp(spec: RunSpec, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<string> {
  const { helpArgs } = adapterFor(spec.agent.kind);
  if (helpArgs === undefined) return "";
  const [file, ...first] = commandWords(spec.agent.command);
  const asked = await exec(file, [...first, ...helpArgs], { cwd: spec.project, env, signal, wallMs: 20_000 });
  return asked.code === 0 ? asked.stdout : "";
}

async function rememberUntracked(
  spec: RunSpec,
  folder: string,
  inGit: boolean,
): Promise<ReadonlySet<string>> {
  if (spec.scm === undefined || !inGit) return new Set();
  const path = join(folder, "untracked-before");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(path, (await untrackedFiles(spec.project)).join("\0"), { mode: 0o600 });
  return new Set(readFileSync(path, "utf8").split("\0"));
}

function listen(signal: AbortSignal, stop: (by: string) => Promise<void>): void {
  const ask = () => {
    // A journal that cannot be written fails the step under way too, and is reported there.
    stop(String(signal.reason ?? "request")).catch(() => {});
  };
  if (signal.aborted) ask();
  else signal.addEventListener("abort", ask, { once: true });
}
