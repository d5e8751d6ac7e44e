import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { ensureRalphFolder } from "../config/write.ts";
import { messageOf, UserError } from "../errors.ts";
import { isInside } from "../files.ts";
import { openDesk } from "../hooks/desk.ts";
import { launch } from "../loop/launch.ts";
import { EXIT_CODES } from "../loop/outcome.ts";
import { preflight } from "../loop/preflight.ts";
import { git, gitError } from "../scm/git.ts";
import { checkOut } from "../snapshot/scratch.ts";
import type { RunSpec } from "../spec.ts";
import { postingToBus } from "./bus-reporter.ts";
import { specOf } from "./find-run.ts";
import { createReporter } from "./reporters.ts";
import { listenForSignals } from "./signals.ts";
import { iterationOf, type Moment, momentBefore, must, openPast, type Past, quote } from "./travel.ts";

interface Flags {
  readonly into?: string;
  readonly run?: boolean;
  readonly of?: string;
  readonly json?: boolean;
}

/** `ralph fork N`: a folder of its own with the files as they were before an iteration, and a run in it if asked. */
export async function forkCommand(typed: string, flags: Flags): Promise<void> {
  const past = openPast(flags.of);
  const iteration = iterationOf(past, typed);
  const moment = momentBefore(past, iteration);
  const folder = chooseFolder(past, iteration, flags.into);
  const branch = await make(past, moment, folder, `ralph/fork-${past.run}-${iteration}`);
  const project = resolve(folder, relative(past.shadow.top, past.shadow.project));
  mkdirSync(project, { recursive: true });
  const where = branch === undefined ? "" : `, on the branch ${branch}`;
  const say = flags.json === true ? process.stderr : process.stdout;
  say.write(`${folder}: the files as before iteration ${iteration}${where}.\n`);
  say.write("What git ignores is not in it (dependencies, .env): put it there first if the work needs it.\n");
  const spec = specOf(past.project, past.run);
  if (spec === undefined) return;
  const moved = move(spec, past.project, project);
  if (flags.run === true) await start(moved, flags);
  else say.write(`To go on from there: cd ${quote(project)} && ${commandFor(moved)}\n`);
}

/** Beside the project, under a name that is free; or where the user wants it, when nothing stands there. */
function chooseFolder({ shadow }: Past, iteration: number, into: string | undefined): string {
  if (into === undefined) {
    const name = `${shadow.top}-fork-${iteration}`;
    for (let n = 1; ; n++) {
      const folder = n === 1 ? name : `${name}-${n}`;
      if (!existsSync(folder)) return folder;
    }
  }
  const folder = resolve(into);
  if (isInside(shadow.top, folder))
    throw new UserError(
      "a fork cannot be in the project",
      `${folder} is inside ${shadow.top}`,
      "Name a folder beside it.",
    );
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new UserError(
      "the folder is not empty",
      folder,
      "Name one that is empty, or that is not there yet.",
    );
  return folder;
}

/** In git a work tree of the same repository on a branch of its own; elsewhere a plain copy. Returns the branch. */
async function make(past: Past, moment: Moment, folder: string, wish: string): Promise<string | undefined> {
  const { shadow } = past;
  const start = shadow.isRepository ? await startOf(shadow.top, moment.head) : undefined;
  const branch = start === undefined ? undefined : await addWorktree(shadow.top, folder, wish, start);
  try {
    mkdirSync(folder, { recursive: true });
    must((await checkOut(shadow, moment.tree, folder)) ?? {}, "cannot put the snapshot there");
    return branch;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true }); // made by us, a moment ago
    if (branch !== undefined) {
      await git(shadow.top, ["worktree", "prune"]);
      await git(shadow.top, ["branch", "-D", branch]);
    }
    if (error instanceof UserError) throw error;
    throw new UserError("cannot write the fork", messageOf(error), "Name another folder with --into.", {
      cause: error,
    });
  }
}

/** The commit of that time; when it is gone, the present one. Undefined without any commit or repository. */
async function startOf(top: string, head: string | undefined): Promise<string | undefined> {
  for (const one of [head, "HEAD"]) {
    if (one === undefined) continue;
    const found = await git(top, ["rev-parse", "--verify", "--quiet", `${one}^{commit}`]);
    if (found.code === 0) return found.stdout.trim();
  }
  return undefined;
}

async function addWorktree(top: string, folder: string, wish: string, start: string): Promise<string> {
  let branch = wish;
  for (
    let n = 2;
    (await git(top, ["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`])).code === 0;
    n++
  )
    branch = `${wish}-${n}`;
  const added = await git(top, ["worktree", "add", "--quiet", "--no-checkout", "-b", branch, folder, start]);
  if (added.code !== 0)
    throw new UserError("git cannot add a work tree", gitError(added), "Name another folder with --into.");
  // Not `reset`, which would read the files, and so run the filters that somebody may have named by now.
  await git(folder, ["read-tree", "HEAD"]);
  return branch;
}

/** The same run in another folder: what lay in the project lies in the fork. */
function move(spec: RunSpec, from: string, to: string): RunSpec {
  const moved = (path: string) => (isInside(from, path) ? join(to, relative(from, path)) : path);
  const { work } = spec;
  return {
    ...spec,
    project: to,
    taskDir: moved(spec.taskDir),
    work: work.kind === "prompt-file" ? { ...work, path: moved(work.path) } : work,
  };
}

function commandFor({ work, agent }: RunSpec): string {
  if (work.kind === "prompt") return `ralph run -p ${quote(work.text)}`;
  if (work.kind === "prompt-file") return `ralph run -f ${quote(work.path)}`;
  if (work.kind === "tasks") {
    const review = work.skipReview ? "--skip-review" : `--review-cap ${work.reviewCap}`;
    return `ralph run --tasks --ralph-dir ${quote(work.dir)} ${review}`;
  }
  return `ralph supervise -- ${[agent.command, ...agent.flags].map(quote).join(" ")}`;
}

async function start(spec: RunSpec, flags: Flags): Promise<void> {
  await preflight(spec, process.env);
  ensureRalphFolder(spec.project);
  const shown = await createReporter({ json: flags.json === true });
  const reporter = spec.kind === "supervise" ? postingToBus(shown, spec) : shown;
  const signals = listenForSignals((text) => process.stderr.write(text));
  try {
    const { outcome } = await launch({
      spec,
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
