import { existsSync, readFileSync, realpathSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { messageOf } from "../errors.ts";
import type { LoopEvent } from "../events.ts";
import { type GitResult, git, gitError } from "../scm/git.ts";
import type { Fault } from "../snapshot/shadow.ts";
import { openTreeMeter } from "../snapshot/tree.ts";
import { composeReceipt, type Named, namedIn } from "./compose.ts";
import { diffFrom, rawDiff } from "./diff.ts";
import { sha256 } from "./digest.ts";
import type { Receipt } from "./schema.ts";
import { type KeptTasks, listPath } from "./tasks.ts";

/** A run as this machine keeps it. */
export interface KeptRun {
  readonly project: string;
  /** The run's own folder. */
  readonly folder: string;
  /** The journal's bytes, and the events in it. */
  readonly journal: Uint8Array;
  readonly events: readonly LoopEvent[];
  /** What a run on a task list kept of it, or why that cannot be told. */
  readonly tasks?: KeptTasks | Fault | undefined;
}

/** Where a run keeps the objects of the trees that it measured. */
export function objectsOf(runFolder: string): string | undefined {
  const folder = join(runFolder, "objects");
  return existsSync(folder) ? folder : undefined;
}

/** Composes the receipt of a run that this machine keeps, or says why it has none. The same run gives the same receipt. */
export async function receiptOf(run: KeptRun): Promise<Receipt | Fault> {
  const whole = run.journal.subarray(0, run.journal.lastIndexOf(0x0a) + 1);
  const journal = { sha256: sha256(whole), bytes: whole.length, events: run.events.length };
  try {
    const work = await workOf(run, namedIn(run.events));
    if (work !== undefined && "fault" in work) return work;
    const { tasks } = run;
    if (tasks !== undefined && "fault" in tasks) return tasks;
    const prompt = firstPrompt(run.folder);
    const receipt = composeReceipt(run.events, {
      journal,
      ...(prompt === undefined ? {} : { prompt }),
      ...(work === undefined ? {} : { work }),
      ...(tasks === undefined ? {} : { tasks: { ...tasks, isInTree: await holdsList(run, work) } }),
    });
    return receipt ?? { fault: "only a verified run has one" };
  } catch (error) {
    return { fault: messageOf(error) };
  }
}

async function workOf(run: KeptRun, named: Named): Promise<NonNullable<Receipt["work"]> | Fault | undefined> {
  const { tree, base, commit } = named;
  if (tree === undefined) return undefined; // outside git
  const meter = await openTreeMeter({ project: run.project, folder: run.folder, env: {} });
  if (meter === undefined) return { fault: "the project is in no git repository any more" };
  const ask = (args: readonly string[]) => git(meter.top, args, { env: readingEnvironment(run.folder) });
  const diff = base === undefined ? undefined : diffFrom(await ask(rawDiff(base.tree, tree)));
  if (diff !== undefined && "fault" in diff) return diff;
  const committed = commit === undefined ? undefined : await commitIn(commit, ask);
  if (committed !== undefined && "fault" in committed) return committed;
  const [first] = run.events;
  const taskFolder = first?.type === "run.started" ? below(run.project, first.spec.taskDir) : "";
  return {
    folder: below(realpathSync(meter.top), realpathSync(run.project)),
    ...(taskFolder === "" ? {} : { taskFolder }),
    tree,
    ...(base === undefined
      ? {}
      : { base: { tree: base.tree, ...(base.head === undefined ? {} : { commit: base.head }) } }),
    ...(diff === undefined ? {} : { diff }),
    ...(committed === undefined ? {} : { commit: committed }),
  };
}

/** Is the task list in the judged tree? It is not where git ignores it. */
async function holdsList(run: KeptRun, work: Receipt["work"]): Promise<boolean> {
  const [first] = run.events;
  if (work === undefined || first?.type !== "run.started" || first.spec.work.kind !== "tasks") return false;
  const path = `${work.tree}:${listPath(work, first.spec.work.dir)}`;
  const found = await git(run.project, ["cat-file", "-e", path], { env: readingEnvironment(run.folder) });
  return found.code === 0;
}

function below(folder: string, path: string): string {
  return relative(folder, path).split(sep).join("/");
}

async function commitIn(
  commit: NonNullable<Named["commit"]>,
  ask: (args: readonly string[]) => Promise<GitResult>,
): Promise<{ id: string; tree: string; iteration: number } | Fault> {
  const found = await ask(["rev-parse", "--verify", "--quiet", "--end-of-options", `${commit.id}^{tree}`]);
  if (found.code !== 0) return { fault: `the commit ${commit.id} cannot be read (${gitError(found)})` };
  return { ...commit, tree: found.stdout.trim() };
}

/** The user's repository and the run's own objects; what replaces an object for git is the agent's to write, so it is off. */
function readingEnvironment(folder: string): NodeJS.ProcessEnv {
  const objects = objectsOf(folder);
  const quoted = objects === undefined ? undefined : `"${objects.replace(/[\\"]/g, "\\$&")}"`;
  return { GIT_NO_REPLACE_OBJECTS: "1", GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted };
}

function firstPrompt(folder: string): string | undefined {
  const file = join(folder, "prompts", "001.txt");
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}
