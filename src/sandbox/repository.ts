import { closeSync, existsSync, lstatSync, mkdirSync, openSync, readdirSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { UserError } from "../errors.ts";
import { readNoFollow } from "../files.ts";
import { git, gitList } from "../scm/git.ts";
import { isWithin, type Policy, real } from "./policy.ts";

/** What is written of a repository, and what of it is not: whoever writes its config or its hooks has programs run outside. */
export interface RepositoryMounts extends Pick<Policy, "rw" | "ro"> {
  /** Other stores that objects are borrowed from: they have to be seen, wherever they are. */
  readonly borrowed: readonly string[];
  /** The work tree, where the project is only a folder of it. */
  readonly around?: string;
}

const MOST_MODULES = 200;
const MOST_BYTES = 1024 * 1024;

/**
 * The repository that a project stands in. Its folder becomes a mount of its own, so that it cannot be moved away and another one
 * put in its place; in it everything may be written (commits, branches) but what names programs. One that is elsewhere must know of
 * this project, or be in a place that the user opened: `.git` may be a file or a link of an agent's making.
 */
export async function repositoryMounts(
  project: string,
  opened: readonly string[] = [],
): Promise<RepositoryMounts> {
  const told = await git(project, ["rev-parse", "--show-toplevel", "--absolute-git-dir", "--git-common-dir"]);
  const [top = "", own = "", common = ""] = told.stdout.split("\n");
  if (told.code !== 0 || top === "") return { rw: [], ro: [], borrowed: [] };
  const gitDir = realpathSync(own);
  const commonDir = realpathSync(resolve(project, common));
  const link = join(top, ".git");
  const places = [project, ...opened];
  const isOpen =
    isWithin(gitDir, commonDir) &&
    [gitDir, commonDir].every((one) => places.some((place) => isWithin(one, place)));
  if (!isOpen && !(await isAtHome({ top, link, gitDir, commonDir }))) throw isElsewhere(link, commonDir);
  const named = await namedIn(project, top);
  // A config may go on in other files, of the work tree too.
  const listed = await gitList(project, [
    "config",
    "--includes",
    "--show-origin",
    "--name-only",
    "-z",
    "--list",
  ]);
  const configs = (listed ?? [])
    .filter((one) => one.startsWith("file:"))
    .map((one) => resolve(top, one.slice("file:".length)));
  const modules = modulesBelow(commonDir);
  // What is not there could be made inside, and would be obeyed outside.
  for (const one of [commonDir, ...modules].filter((folder) => !existsSync(join(folder, "hooks"))))
    mkdirSync(join(one, "hooks"));
  const each = await git(project, ["config", "--get", "--type=bool", "extensions.worktreeConfig"]);
  if (each.stdout.trim() === "true") closeSync(openSync(join(gitDir, "config.worktree"), "a"));
  const rw = [...new Set([commonDir, gitDir])];
  const ro = [
    ...[commonDir, gitDir, ...modules].flatMap(programsIn),
    ...foldersIn(join(commonDir, "worktrees")).flatMap(programsIn),
    ...(realpathSync(link) === gitDir ? [] : [link]),
    ...named.hooks,
    ...named.configs,
    ...configs,
  ].flatMap(real);
  return {
    rw,
    // What a link leads to elsewhere is none of ours, and cannot be written anyway.
    ro: [...new Set(ro)].filter((path) => [top, ...rw].some((place) => isWithin(path, place))),
    borrowed: alternatesOf(commonDir).flatMap(real),
    ...(top === project ? {} : { around: top }),
  };
}

/** Where the configs that git reads in a project say that hooks and more configs are, also what is not there yet. */
export async function namedIn(
  project: string,
  top: string,
): Promise<{ readonly hooks: readonly string[]; readonly configs: readonly string[] }> {
  const list = async (...words: string[]) => (await gitList(project, ["config", "-z", ...words])) ?? [];
  // The last is the word of our own by which hooks are off.
  const hooks = await list("--type=path", "--get-all", "core.hooksPath");
  const found = await list("--type=path", "--show-origin", "--get-regexp", "^include(if)?[.](.*[.])?path$");
  const configs = found.flatMap((origin, at) => {
    const [, path] = /\n(.*)$/s.exec(found[at + 1] ?? "") ?? [];
    if (at % 2 === 1 || path === undefined || !origin.startsWith("file:")) return [];
    return [resolve(top, dirname(origin.slice("file:".length)), path)];
  });
  return { hooks: hooks.slice(0, -1).map((path) => resolve(top, path)), configs };
}

/** The places of a repository. */
interface Repository {
  readonly top: string;
  readonly link: string;
  readonly gitDir: string;
  readonly commonDir: string;
}

/** Does the repository itself say that it belongs here? A plain one stands here; worktrees and submodules are known to theirs. */
async function isAtHome({ top, link, gitDir, commonDir }: Repository): Promise<boolean> {
  if (lstatSync(link).isDirectory()) return commonDir === gitDir;
  if (!isWithin(gitDir, commonDir)) return false;
  const worktree = textOf(join(gitDir, "gitdir"));
  if (worktree !== undefined) return real(resolve(gitDir, worktree.trim()))[0] === realpathSync(link);
  const told = await git(dirname(gitDir), ["config", "--file", join(gitDir, "config"), "core.worktree"]);
  return told.code === 0 && real(resolve(gitDir, told.stdout.replace(/\n$/, "")))[0] === realpathSync(top);
}

function isElsewhere(link: string, repository: string): UserError {
  return new UserError(
    "the repository of this project cannot be opened in the sandbox",
    `${link} leads to ${repository}, which does not know of it; an agent may have made it so`,
    "Look at it. If it is yours, add that folder to `sandbox.rw`; otherwise remove what leads there.",
  );
}

/** What names programs, or says where such names are. */
function programsIn(gitDir: string): string[] {
  return ["config", "config.worktree", "hooks", "commondir", "gitdir"].map((name) => join(gitDir, name));
}

function alternatesOf(gitDir: string): string[] {
  const text = textOf(join(gitDir, "objects/info/alternates")) ?? "";
  const paths = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return paths.map((path) => (isAbsolute(path) ? path : resolve(gitDir, "objects", path)));
}

/** The repositories of submodules, which have a config and hooks of their own. Links are nobody's submodules. */
function modulesBelow(gitDir: string): string[] {
  const found: string[] = [];
  const queue = foldersIn(join(gitDir, "modules"));
  for (let at = 0; at < queue.length && at < MOST_MODULES; at++) {
    const folder = queue[at] ?? "";
    const isModule = existsSync(join(folder, "HEAD"));
    if (isModule) found.push(folder);
    queue.push(...foldersIn(isModule ? join(folder, "modules") : folder));
  }
  return found;
}

/** The folders in a folder that are no links. */
function foldersIn(folder: string): string[] {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name));
}

function textOf(path: string): string | undefined {
  try {
    return readNoFollow(path, MOST_BYTES);
  } catch {
    return undefined;
  }
}
