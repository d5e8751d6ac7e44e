import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ResolvedRun, ShowOptions } from "../config/resolve.ts";
import { ensureRalphFolder } from "../config/write.ts";
import { openDesk } from "../hooks/desk.ts";
import { newRunId, runFolder, stateRoot, unwritableState } from "../journal/paths.ts";
import { hasBegun } from "../journal/runs.ts";
import { launch } from "../loop/launch.ts";
import { EXIT_CODES } from "../loop/outcome.ts";
import type { RunSpec } from "../spec.ts";
import { startInBackground } from "../supervise/background.ts";
import { FAULT } from "./exit.ts";
import { createReporter } from "./reporters.ts";
import { listenForSignals } from "./signals.ts";
import { clearedRun, resolveHere, type StartFlags, showRun, startRun, tidyFlags } from "./start.ts";

const POLL_MS = 50;

interface Flags extends StartFlags {
  readonly foreground?: boolean;
}

/** What one process hands to the one that drives the run. */
interface Handover {
  readonly spec: RunSpec;
  readonly show: ShowOptions;
  readonly streamAgentOutput: boolean;
}

/** `ralph start "<task>"`: the loop in the background; prints the run's id and leaves. */
export async function startCommand(task: string | undefined, given: Record<string, unknown>): Promise<void> {
  const flags: Flags = tidyFlags(task === undefined ? given : { ...given, prompt: task });
  const resolved = await resolveHere(flags, { usual: "start" });
  if (flags.dryRun === true) return showRun(resolved, flags);
  const cleared = await clearedRun(resolved, flags, { usual: "start" });
  if (flags.foreground === true) return startRun(cleared, flags);
  ensureRalphFolder(cleared.spec.project);
  const run = await begin(cleared);
  if (run === undefined) return;
  if (flags.json === true) process.stdout.write(`${JSON.stringify({ run })}\n`);
  else {
    process.stdout.write(`${run}\n`);
    process.stderr.write(
      "It runs in the background. See it: ralph status, ralph logs -f. End it: ralph stop.\n",
    );
  }
}

/** Starts the process that drives the run, and waits until the run has begun or was refused. */
async function begin({ spec, show, streamAgentOutput }: ResolvedRun): Promise<string | undefined> {
  const root = stateRoot(process.env);
  const run = newRunId(Date.now());
  const { folder, journal } = runFolder(root, spec.project, run);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const handover: Handover = { spec, show, streamAgentOutput };
    writeFileSync(handoverIn(folder), JSON.stringify(handover), { mode: 0o600, flush: true });
  } catch (error) {
    throw unwritableState("the run's state", folder, error);
  }
  const logPath = join(folder, "output.log");
  const child = startInBackground(process.execPath, [process.argv[1] ?? "", "drive", run], {
    cwd: spec.project,
    env: process.env,
    logPath,
  });
  let isOver = false;
  void child.exited.then(() => (isOver = true));
  // Its first record comes after all that could refuse it, and after it has told a run around it.
  while (!isOver && !hasBegun(journal)) await sleep(POLL_MS);
  if (!hasBegun(journal)) {
    // It says itself why it did not begin, in the words that a run in the foreground has.
    process.stderr.write(readFileSync(logPath, "utf8"));
    process.exitCode = (await child.exited) ?? FAULT;
    rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
  child.leave();
  return run;
}

/** `ralph drive <run>`: the other half of `ralph start`. Not for people. */
export async function driveCommand(run: string): Promise<void> {
  const project = process.cwd();
  const { folder } = runFolder(stateRoot(process.env), project, run);
  const { spec, show, streamAgentOutput } = JSON.parse(readFileSync(handoverIn(folder), "utf8")) as Handover;
  rmSync(handoverIn(folder)); // from now on the journal says what the run is
  const reporter = await createReporter({ show, streamAgentOutput });
  const signals = listenForSignals((text) => process.stderr.write(text));
  try {
    const { outcome } = await launch({
      spec,
      run,
      reporter,
      hooks: openDesk,
      softStop: signals.soft,
      hardStop: signals.hard,
    });
    process.exitCode = EXIT_CODES[outcome.kind];
  } finally {
    signals.release();
  }
}

function handoverIn(folder: string): string {
  return join(folder, "start.json");
}
