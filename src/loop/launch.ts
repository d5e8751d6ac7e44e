import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { adapterFor } from "../agents/registry.ts";
import { commandWords } from "../agents/words.ts";
import { BrokenOff, codeOf, messageOf, UserError } from "../errors.ts";
import type { LoopEvent, Outcome } from "../events.ts";
import { openJournal } from "../journal/journal.ts";
import { newRunId, type RunFolder, runFolder, stateRoot } from "../journal/paths.ts";
import { readJournal } from "../journal/read.ts";
import { untrackedFiles } from "../scm/git.ts";
import { openTreeMeter } from "../snapshot/tree.ts";
import { type AgentSpec, agentsOf, type RunSpec, type SandboxSpec } from "../spec.ts";
import { exec } from "../supervise/exec.ts";
import { endLeftovers, RUN_VARIABLE } from "../supervise/leftovers.ts";
import { findMeans, type Means } from "../supervise/means.ts";
import { GRACE_MS, type Remains } from "../supervise/spawn.ts";
import type { Reporter } from "../ui/reporter.ts";
import { VERSION } from "../version.ts";
import { announce } from "./children.ts";
import { type Clock, systemClock } from "./clock.ts";
import type { OpenDesk } from "./desk.ts";
import { drive } from "./drive.ts";
import { evolve } from "./evolve.ts";
import { holdProject, lastRunOf, markProject } from "./hold.ts";
import { machine } from "./machine.ts";
import { noticesFor } from "./notices.ts";
import { createPerform } from "./perform.ts";
import { AT_END, keepSnapshots, openStore, type Snapshots } from "./snapshots.ts";
import { INITIAL } from "./state.ts";
import { rememberTasks } from "./task-turn.ts";
import { openTrees } from "./trees.ts";
import type { ReadyAgent, Workshop } from "./workshop.ts";
import { openYard, type Yard } from "./yard.ts";

interface Surroundings {
  readonly reporter: Reporter;
  readonly env?: NodeJS.ProcessEnv;
  readonly clock?: Clock;
  /** Ask the run to end when the present operation is over. The abort reason says who asked. */
  readonly softStop?: AbortSignal;
  /** End everything now. */
  readonly hardStop?: AbortSignal;
  /** Answers the hooks of the run's agents, where somebody does. */
  readonly hooks?: OpenDesk;
}

export interface Launch extends Surroundings {
  readonly spec: RunSpec;
  /** The run's id, when somebody has given it one already. */
  readonly run?: string;
}

export interface Resume extends Surroundings {
  readonly project: string;
  readonly run: string;
  /** A new limit of iterations. */
  readonly iterations?: number;
  /** Another fence. */
  readonly sandbox?: SandboxSpec;
}

/** Starts a new run and drives it to its end. */
export async function launch(options: Launch): Promise<{ run: string; outcome: Outcome }> {
  const { spec } = options;
  const at = (options.clock ?? systemClock).now();
  const run = options.run ?? newRunId(at);
  const first = {
    type: "run.started",
    at,
    run,
    journal: 1,
    ralph: VERSION,
    spec,
    machine: machine(),
  } as const;
  return { run, outcome: await work(options, { run, project: spec.project, past: [], next: first }) };
}

/** Goes on with a run where its journal ends, by the same road. */
export async function resume(options: Resume): Promise<Outcome> {
  const { run, project, iterations, sandbox } = options;
  const past = readJournal(runFolder(stateRoot(options.env ?? process.env), project, run).journal);
  const at = (options.clock ?? systemClock).now();
  const more = {
    ...(iterations === undefined ? {} : { iterations }),
    ...(sandbox === undefined ? {} : { sandbox }),
  };
  return work(options, {
    run,
    project,
    past,
    next: { type: "run.resumed", at, run, ralph: VERSION, ...more },
  });
}

interface Task {
  readonly run: string;
  readonly project: string;
  readonly past: readonly LoopEvent[];
  /** The event that this process begins with. */
  readonly next: LoopEvent;
}

async function work(options: Surroundings, task: Task): Promise<Outcome> {
  const { reporter } = options;
  const env = options.env ?? process.env;
  const clock = options.clock ?? systemClock;
  const softStop = options.softStop ?? new AbortController().signal;
  const hardStop = options.hardStop ?? new AbortController().signal;
  const history = [...task.past, task.next];
  const { spec } = history.reduce(evolve, INITIAL);
  if (spec === undefined) throw new Error(`the journal of ${task.run} does not begin with run.started`);

  const folder = runFolder(stateRoot(env), task.project, task.run);
  // Found out before the project is ours: nobody has to wait for that.
  if (spec.sandbox === undefined || spec.sandbox.kind === "none")
    await findMeans(spec.processes ?? "auto", env);
  const hold = await holdProject(stateRoot(env), { ...task, isNew: task.past.length === 0 }, clock.now());
  let unmark: (() => void) | undefined;
  let yard: Yard | undefined;
  const notices = noticesFor(reporter);
  try {
    unmark = markProject(spec);
    refuseOldNews(task, folder.journal);
    yard = await openYard({
      ...options,
      run: task.run,
      spec,
      folder,
      env,
      onNotice: notices.tell,
    });
    const journal = await openJournal(folder.journal);
    const kept: Remains[] = [];
    const farewell = announce({
      run: task.run,
      project: spec.project,
      env,
      now: () => clock.now(),
      onFault: (text) => reporter.detail(text),
    });
    const at = { project: spec.project, folder: folder.folder };
    let store: ReturnType<typeof openStore> | undefined;
    const opening = () => (store ??= openStore({ ...at, run: task.run }));
    const snapshots = spec.snapshots === false ? undefined : keepSnapshots({ ...at, opening: opening() });
    try {
      const meter = await openTreeMeter({
        project: spec.project,
        folder: folder.folder,
        env: { [RUN_VARIABLE]: task.run },
        ...lastRunOf(task, stateRoot(env)),
      });
      const where = { cwd: spec.project, env, signal: hardStop, means: yard.parts.means.agent };
      const judge = spec.judge?.agent === undefined ? {} : { judge: await ready(spec.judge.agent, where) };
      const { work } = spec;
      const other = work.kind === "tasks" ? work.reviewer : undefined;
      const reviewer = other === undefined ? {} : { reviewer: await ready(other, where) };
      const isNew = task.past.length === 0;
      const always = work.kind === "tasks" && !work.skipReview;
      const agents = await Promise.all(agentsOf(spec).map((agent) => ready(agent, where)));
      const trees = await openTrees({ folder: folder.folder, gates: spec.gates, isNew, always, opening });
      const shop: Workshop = {
        run: task.run,
        spec,
        folder,
        agents,
        ...judge,
        ...reviewer,
        env,
        ...yard.parts,
        kept,
        clock,
        reporter,
        ...(meter === undefined ? {} : { meter }),
        ...(snapshots === undefined ? {} : { snapshots }),
        ...(trees === undefined ? {} : { trees }),
        untrackedBefore: await rememberUntracked(spec, folder.folder, meter?.top),
        softStop,
        hardStop,
      };
      if (isNew || task.past.at(-1)?.type === "run.ended") rememberTasks({ spec, folder });
      const begin = await withSnapshot(yard.begin(task.next), task.past, snapshots);
      await journal.append(begin);
      // A screen that joins late is told how the run began, so that it can name its gates and limits.
      for (const event of task.past.slice(0, 1)) reporter.happened(event);
      reporter.happened(begin);
      const perform = createPerform(shop);
      const outcome = await drive({
        history: [...task.past, begin],
        journal,
        reporter,
        perform: (step, state, record) => {
          notices.at(state.iteration);
          return perform(step, state, record);
        },
        onStart: (stop) => listen(softStop, stop),
      }).catch((error: unknown) => {
        throw brokenOff(task.run, error);
      });
      if (outcome.kind === "verified") await leaveReceipt(folder, spec.project, reporter);
      return outcome;
    } finally {
      await Promise.all(kept.map((remains) => remains.end(hardStop.aborted ? 0 : GRACE_MS)));
      // What a weaker means let slip through our fingers is looked for once more.
      if (!yard.parts.means.agent.diesWithUs) await endLeftovers(task.run);
      farewell();
      await snapshots?.settled();
      await journal.close();
    }
  } finally {
    await yard?.close();
    unmark?.();
    hold.release();
  }
}

/** What is known of a resumed run was read before the project was ours: another process may have gone on with it since. */
function refuseOldNews({ run, past }: Task, journal: string): void {
  if (past.length === 0 || readJournal(journal).length === past.length) return;
  throw new UserError(
    `run ${run} went on meanwhile`,
    "another process drove it while this one was starting",
    "See where it stands with `ralph status`.",
  );
}

/** Writes the receipt. One that cannot be written takes nothing from the proof: it can be composed again at any time. */
async function leaveReceipt(folder: RunFolder, project: string, reporter: Reporter): Promise<void> {
  const { keepReceipt } = await import("./receipt.ts");
  const kept = await keepReceipt(folder, project).catch((error: unknown) => ({ fault: messageOf(error) }));
  reporter.detail("fault" in kept ? `No receipt: ${kept.fault}` : `Receipt: ${kept.path}`);
}

/** Whoever resumes a run that had ended may have worked on the files since; after a crash nobody could tell whose work it was. */
async function withSnapshot(
  event: LoopEvent,
  past: readonly LoopEvent[],
  snapshots: Snapshots | undefined,
): Promise<LoopEvent> {
  if (event.type !== "run.resumed" || past.at(-1)?.type !== "run.ended") return event;
  const { snapshot } = (await snapshots?.take(AT_END)) ?? {};
  return snapshot === undefined ? event : { ...event, snapshot };
}

/** An agent with what it says that it takes. */
async function ready(agent: AgentSpec, where: Parameters<typeof askHelp>[1]): Promise<ReadyAgent> {
  return { spec: agent, adapter: adapterFor(agent.kind), help: await askHelp(agent, where) };
}

/** The run did not come to its end, but what its journal holds is whole: whoever mends the cause goes on from there. */
function brokenOff(run: string, error: unknown): Error {
  if (!(error instanceof UserError)) return new BrokenOff(run, error);
  const { what, why, fix } = error;
  return new UserError(what, why, `${fix} Then go on: ralph resume ${run}`, { cause: error });
}

/** What the installed program takes, in its own words; empty when it has nothing to say. */
export async function askHelp(
  agent: AgentSpec,
  where: { cwd: string; env: NodeJS.ProcessEnv; signal: AbortSignal; means?: Means },
): Promise<string> {
  const { helpArgs } = adapterFor(agent.kind);
  if (helpArgs === undefined) return "";
  const [file, ...first] = commandWords(agent.command);
  const asked = await exec(file, [...first, ...helpArgs], { ...where, wallMs: 20_000 });
  return asked.code === 0 ? asked.stdout : "";
}

/** The files that stood there untracked when the run began, as it remembers them when it is resumed. */
async function rememberUntracked(
  spec: RunSpec,
  folder: string,
  top: string | undefined,
): Promise<ReadonlySet<string>> {
  if (spec.scm === undefined || top === undefined) return new Set();
  const path = join(folder, "untracked-before");
  try {
    return new Set(readFileSync(path, "utf8").split("\0"));
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error; // the first start of this run: now is the time to look
  }
  const files = await untrackedFiles(top);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(path, files.join("\0"), { mode: 0o600, flush: true });
  return new Set(files);
}

function listen(signal: AbortSignal, stop: (by: string) => Promise<void>): void {
  const ask = () => {
    // A journal that cannot be written fails the step under way too, and is reported there.
    stop(String(signal.reason ?? "request")).catch(() => {});
  };
  if (signal.aborted) ask();
  else signal.addEventListener("abort", ask, { once: true });
}
