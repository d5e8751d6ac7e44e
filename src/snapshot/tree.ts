import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  futimesSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { codeOf } from "../errors.ts";
import { RUNTIME_PATTERNS } from "../files.ts";
import { git, gitError, gitList } from "../scm/git.ts";
import { guardEnvironment, type Programs, readPrograms } from "../scm/guard.ts";
import { type InnerPrograms, innerPrograms, STAND_IN, unclearInside } from "./inside.ts";
import { refusePlanted } from "./planted.ts";
import { infoAt } from "./standing.ts";

/** The name of a tree, or why there is none. What cannot be measured is never taken for unchanged. */
export type Tree = { readonly name: string } | { readonly fault: string };

/** What was true of the repository before the agent ever ran. */
interface Place {
  readonly top: string;
  readonly gitDir: string;
  readonly objects: string;
  readonly programs: readonly (readonly [string, string])[];
  /** The same of the repositories inside, by path. Runs of older versions have none. */
  readonly inside?: readonly (readonly [string, readonly (readonly [string, string])[]])[];
}

export interface MeterSetup {
  /** The folder of the run before this one. */
  readonly lastRun?: string;
  readonly project: string;
  /** The run's own folder. */
  readonly folder: string;
  /** By these variables a git that outlives a killed run is found and ended, before another one works on the same index. */
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Names exactly what stands in a work tree: tracked and new files, not ignored ones. It works with an index and an object
 * store of its own, made before the agent ran, so that the user's are never touched and the agent's are never believed.
 */
export class TreeMeter {
  readonly #project: string;
  readonly #place: Place;
  readonly #index: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor({ project, folder, env }: MeterSetup, place: Place) {
    this.#project = project;
    this.#place = place;
    this.#index = join(folder, "index");
    this.#env = {
      ...env,
      GIT_DIR: place.gitDir,
      GIT_WORK_TREE: place.top,
      GIT_INDEX_FILE: this.#index,
      GIT_OBJECT_DIRECTORY: join(folder, "objects"),
      GIT_ALTERNATE_OBJECT_DIRECTORIES: place.objects,
      GIT_EXEC_PATH: standIn(folder),
    };
  }

  /** The top folder of the work tree. */
  get top(): string {
    return this.#place.top;
  }

  /** The programs that the repository's config named before the agent ever ran. */
  get programs(): Programs {
    return new Map(this.#place.programs);
  }

  async measure(): Promise<Tree> {
    const env = await this.#guarded();
    if (env === undefined) return { fault: "git cannot read the repository's configuration" };
    const unclear = await unclearInside(this.#place.top, env, this.#inside);
    if (unclear !== undefined) return { fault: unclear };
    rmSync(`${this.#index}.lock`, { force: true }); // only a git of ours that was killed can have left it
    const added = await git(this.#project, ["add", "--all", "--", ":/", ...NOT_IN_IT], { env });
    if (added.code !== 0) return { fault: `git add: ${gitError(added)}` };
    const tree = await git(this.#project, ["write-tree"], { env });
    return tree.code === 0 ? { name: tree.stdout.trim() } : { fault: `git write-tree: ${gitError(tree)}` };
  }

  /** Files in which a commit differs from a tree that was measured. */
  async differences(tree: string, commit: string): Promise<string[]> {
    const env = await this.#guarded();
    const diff = await git(this.#project, ["diff-tree", "-r", "--name-only", "-z", tree, commit], {
      env: env ?? this.#env,
    });
    if (diff.code !== 0) return [`(git diff-tree: ${gitError(diff)})`];
    return diff.stdout.split("\0").filter((name) => name !== "");
  }

  /** Files, from the top, in which a tree that was measured differs from the last commit; all of them before the first. */
  async uncommitted(tree: string): Promise<string[] | { readonly fault: string }> {
    const env = (await this.#guarded()) ?? this.#env;
    const head = await git(this.#project, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], { env });
    const args =
      head.code === 0
        ? ["diff-tree", "-r", "--name-only", "-z", "--no-renames", head.stdout.trim(), tree]
        : ["ls-tree", "-r", "--name-only", "-z", "--full-tree", tree];
    return (await gitList(this.#project, args, env)) ?? { fault: "git cannot compare with the last commit" };
  }

  /** Takes over what the user's index knows, without its flags: a file that it hides is looked at all the same. */
  async prepare(userIndex: string): Promise<void> {
    mkdirSync(join(this.#env["GIT_OBJECT_DIRECTORY"] ?? ""), { recursive: true, mode: 0o700 });
    if (!copyIndex(userIndex, this.#index)) return;
    const listed = await gitList(this.#project, ["ls-files", "-v", "-z", "--full-name", ":/"], this.#env);
    if (listed === undefined) return rmSync(this.#index, { force: true }); // rather slow than blind
    const flagged = listed
      .filter((entry) => /^(?:[a-z]|S) /.test(entry))
      .map((entry) => entry.slice(2))
      // A file that a sparse checkout left out is not there, and stays out.
      .filter((name) => infoAt(join(this.#place.top, name)) !== undefined);
    if (flagged.length === 0) return;
    const clear = ["update-index", "--no-assume-unchanged", "--no-skip-worktree", "-z", "--stdin"];
    await git(this.#place.top, clear, { env: this.#env, stdin: flagged.join("\0") });
  }

  async #guarded(): Promise<NodeJS.ProcessEnv | undefined> {
    const guard = await guardEnvironment(this.#project, this.programs, this.#env);
    return guard === undefined ? undefined : { ...this.#env, ...guard };
  }

  get #inside(): InnerPrograms {
    return new Map((this.#place.inside ?? []).map(([path, programs]) => [path, new Map(programs)]));
  }
}

/**
 * Opens the meter of a run, or undefined outside git. What it finds the first time is kept in the run's folder: a run that is
 * resumed does not ask the agent's `.git` again.
 */
export async function openTreeMeter(setup: MeterSetup): Promise<TreeMeter | undefined> {
  const { project, folder } = setup;
  const kept = join(folder, "git.json");
  if (existsSync(kept)) return new TreeMeter(setup, JSON.parse(readFileSync(kept, "utf8")) as Place);
  const asked = await git(project, [
    "rev-parse",
    "--path-format=absolute",
    "--show-toplevel",
    "--absolute-git-dir",
    "--git-path",
    "objects",
    "--git-path",
    "index",
  ]);
  const [top, gitDir, objects, index] = asked.stdout.split("\n");
  if (asked.code !== 0 || !top || !gitDir || !objects || !index) return undefined;
  const programs = await readPrograms(project);
  if (programs === undefined) return undefined;
  const inside = [...(await innerPrograms(top, {}))].map(([path, named]) => [path, [...named]] as const);
  const place: Place = { top, gitDir, objects: resolve(project, objects), programs: [...programs], inside };
  if (setup.lastRun !== undefined) refusePlanted(place, setup.lastRun);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const meter = new TreeMeter(setup, place);
  await meter.prepare(resolve(project, index));
  writeFileSync(kept, JSON.stringify(place), { mode: 0o600, flush: true });
  return meter;
}

/** The folder in which git finds our stand-in for the gits that it starts. */
function standIn(folder: string): string {
  const bin = join(folder, "bin");
  const program = join(bin, "git");
  mkdirSync(bin, { recursive: true, mode: 0o700 });
  if (!existsSync(program)) writeFileSync(program, STAND_IN, { mode: 0o700 });
  return bin;
}

/** Ralph's own runtime files, as arguments that leave them out. */
export const NOT_IN_IT: readonly string[] = RUNTIME_PATTERNS.map((pattern) => `:(exclude)${pattern}`);

/** Copies an index. The copy keeps its age: git trusts an index that is younger than a file, and would not look again. */
export function copyIndex(from: string, to: string): boolean {
  let fd: number;
  try {
    fd = openSync(from, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false; // a repository without a first commit has no index yet
    throw error;
  }
  try {
    const info = fstatSync(fd);
    if (!info.isFile()) return false;
    writeFileSync(to, readFileSync(fd), { mode: 0o600 });
    const copy = openSync(to, "r+");
    futimesSync(copy, info.atime, info.mtime);
    closeSync(copy);
    chmodSync(to, 0o600);
    return true;
  } finally {
    closeSync(fd);
  }
}
