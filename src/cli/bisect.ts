import { existsSync, lstatSync, mkdirSync, symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { DEFAULTS } from "../config/defaults.ts";
import { parseDuration } from "../config/duration.ts";
import { durationFlag } from "../config/flags.ts";
import { loadSettings } from "../config/load.ts";
import { Interrupted, UserError } from "../errors.ts";
import type { Verdict } from "../events.ts";
import { judgeGuardrail } from "../gates/guardrail.ts";
import { afterIteration, beforeIteration, iterationsOf } from "../loop/travel.ts";
import { patchBytes } from "../snapshot/compare.ts";
import { scratchWorktree } from "../snapshot/scratch.ts";
import type { Means } from "../supervise/means.ts";
import { clean, cleanLine } from "../ui/clean.ts";
import { formatDuration } from "../ui/format.ts";
import { fenceForChecks } from "./check-fence.ts";
import { projectHere } from "./project.ts";
import { listenForSignals } from "./signals.ts";
import { iterationsIn, must, openPast, type Past, presentTree } from "./travel.ts";

interface Flags {
  readonly gate: string;
  readonly setup?: string;
  readonly timeout?: string;
  readonly of?: string;
}

/** A tree that the run passed through. */
interface Station {
  readonly tree: string;
  /** The iterations that led to it: one, or more where snapshots are missing. None for the start. */
  readonly iterations: readonly number[];
}

/** Folders that tools fill and git ignores: a gate seldom works without them, so they are lent to it. */
const LENT = ["node_modules", ".venv", "vendor"];

/** `ralph bisect --gate "<command>"`: the first iteration whose tree fails a gate that passed before. */
export async function bisectCommand(flags: Flags): Promise<void> {
  const past = openPast(flags.of);
  iterationsIn(past); // there must be one
  const timeoutMs =
    durationFlag("--timeout", flags.timeout)?.value ?? parseDuration(DEFAULTS.gateTimeout) ?? 0;
  const stations = await stationsOf(past);
  const signals = listenForSignals(() => {});
  const project = projectHere();
  const fence = await fenceForChecks({ project, settings: (await loadSettings(project)).settings });
  try {
    const prober = new Prober(past, { ...flags, timeoutMs, means: fence.means, stop: signals.soft });
    process.exitCode = await search(past, stations, prober);
  } finally {
    await fence.close();
    signals.release();
  }
}

async function search(past: Past, stations: readonly Station[], prober: Prober): Promise<number> {
  let good = 0;
  let bad = stations.length - 1;
  if (!(await passes(prober, stations, good)))
    return none("The gate fails before the run already: there is nothing to find.");
  if (await passes(prober, stations, bad))
    return none("The gate passes at the end too: there is nothing to find.");
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (await passes(prober, stations, middle)) good = middle;
    else bad = middle;
  }
  const [from, to] = [stations[good], stations[bad]];
  if (from === undefined || to === undefined) throw new Error("there is no such station");
  const numbers = to.iterations.join(" or ");
  say(`\nThe gate broke in iteration ${numbers}:`);
  const stat = must(
    await patchBytes(past.shadow, from.tree, to.tree, { stat: true }),
    "cannot compare the snapshots",
  );
  say(clean(stat.bytes.toString("utf8")).trimEnd());
  const [first, last] = [to.iterations[0], to.iterations.at(-1)];
  say(
    `See it: ralph diff ${first === last ? first : `${first} ${last}`}. Go back: ralph rollback --to ${first}`,
  );
  return 0;
}

async function passes(prober: Prober, stations: readonly Station[], at: number): Promise<boolean> {
  const station = stations[at];
  if (station === undefined) throw new Error(`there is no station ${at}`);
  const last = station.iterations.at(-1);
  const name = last === undefined ? "before the run" : `after iteration ${last}`;
  const { pass, wallMs, exitCode, reason } = await prober.probe(station.tree, name);
  const how = pass ? "passes" : `fails (${reason ?? `exit code ${exitCode}`})`;
  say(`${name.padEnd(22)} ${how}, ${formatDuration(wallMs)}`);
  return pass;
}

/** The trees of a run in order. An iteration without a snapshot is told together with the next one. */
async function stationsOf(past: Past): Promise<Station[]> {
  const stations: Station[] = [];
  let iterations: number[] = [];
  for (const [at, iteration] of iterationsOf(past.events).entries()) {
    const start = beforeIteration(past.events, iteration);
    if (at === 0 && "tree" in start) stations.push({ tree: start.tree, iterations: [] });
    iterations.push(iteration);
    const end = afterIteration(past.events, iteration);
    const tree = end === undefined ? await presentTree(past) : "tree" in end ? end.tree : undefined;
    if (tree === undefined) continue;
    stations.push({ tree, iterations });
    iterations = [];
  }
  if (stations[0]?.iterations.length === 0 && stations.length > 1) return stations;
  throw new UserError(
    "there are not enough snapshots",
    "the first or all others are missing",
    "Look at another run with --of.",
  );
}

interface Probing extends Pick<Flags, "gate" | "setup"> {
  readonly timeoutMs: number;
  readonly means: Means;
  readonly stop: AbortSignal;
}

/** Runs the gate on trees, each in a scratch folder that is gone afterwards; the same tree only once. */
class Prober {
  readonly #past: Past;
  readonly #how: Probing;
  readonly #known = new Map<string, Verdict>();

  constructor(past: Past, how: Probing) {
    this.#past = past;
    this.#how = how;
  }

  async probe(tree: string, name: string): Promise<Verdict> {
    const known = this.#known.get(tree);
    if (known !== undefined) return known;
    this.#mustGoOn();
    const { shadow } = this.#past;
    const scratch = must(
      await scratchWorktree(shadow, tree),
      "cannot put a snapshot into a folder of its own",
    );
    try {
      const project = join(scratch.folder, relative(shadow.top, shadow.project));
      mkdirSync(project, { recursive: true });
      const { setup, gate } = this.#how;
      if (setup === undefined) lend(shadow.top, scratch.folder, relative(shadow.top, shadow.project));
      else await this.#setUp(project, setup, name);
      const verdict = await this.#run(project, gate);
      this.#known.set(tree, verdict);
      return verdict;
    } finally {
      scratch.dispose();
    }
  }

  async #setUp(project: string, setup: string, name: string): Promise<void> {
    const { pass, exitCode, reason, output } = await this.#run(project, setup);
    if (pass) return;
    const said = cleanLine(output.slice(-300), 300, "");
    throw new UserError(
      `the set-up fails ${name}`,
      `${reason ?? `exit code ${exitCode}`}${said === "" ? "" : `: ${said}`}`,
      "Give another with --setup.",
    );
  }

  async #run(project: string, command: string): Promise<Verdict> {
    this.#mustGoOn();
    const { timeoutMs, means, stop } = this.#how;
    const gate = {
      kind: "guardrail",
      name: command,
      command,
      failAction: "APPEND",
      timeoutMs,
      flaky: false,
    } as const;
    const where = { project, logPath: ".ralph/bisect.log", truncateChars: DEFAULTS.outputTruncateChars };
    const verdict = await judgeGuardrail({ gate, ...where, means, env: process.env, hardStop: stop });
    this.#mustGoOn();
    return verdict;
  }

  #mustGoOn(): void {
    if (this.#how.stop.aborted) throw new Interrupted("Stopped. Nothing was changed.");
  }
}

/** Links the tools' folders of the project into the scratch folder, where the snapshot has none of its own. */
function lend(top: string, scratch: string, project: string): void {
  for (const folder of new Set(["", project])) {
    for (const name of LENT) {
      const [own, other] = [join(top, folder, name), join(scratch, folder, name)];
      if (lstatSync(own, { throwIfNoEntry: false })?.isDirectory() === true && !existsSync(other))
        symlinkSync(own, other);
    }
  }
}

function none(text: string): number {
  say(text);
  return 1;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
