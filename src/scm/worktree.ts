import { lstatSync, mkdirSync, realpathSync, rmdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { quote } from "shlex";
import { codeOf, messageOf } from "../errors.ts";
import { git, gitError, gitList, headOf, plain } from "./git.ts";
import { trustNothing } from "./guard.ts";

/** A folder and a branch of its own for one feature. */
export interface Worktree {
  /** Its top folder. */
  readonly path: string;
  /** The folder in it that is the project: the same as the top, unless the project is a folder of its repository. */
  readonly project: string;
  readonly branch: string;
  readonly made: boolean;
}

const ADD_WALL_MS = 10 * 60_000;

/**
 * Makes or finds the worktree of a feature: `<repository>.worktrees/<slug>`, beside the main work tree, on the branch `ralph/<slug>`.
 * A branch that is not there is made at HEAD. Links are not followed, and what is not ours is left as it is. Never rejects.
 *
 * Not prevented: somebody who swaps the folder for a link in the moment between our look and git's.
 */
export async function worktreeFor(project: string, slug: string): Promise<Worktree | { fault: string }> {
  if (!/^[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*$/u.test(slug)) {
    return {
      fault: `"${plain(slug).slice(0, 100)}" is no name for a worktree: letters, digits and "-" make one`,
    };
  }
  const here = await repositoryOf(project);
  if ("fault" in here) return here;
  const path = join(`${here.main}.worktrees`, slug);
  const branch = `ralph/${slug}`;
  const result = (made: boolean, on = branch) => ({
    path,
    project: resolve(path, here.prefix),
    branch: on,
    made,
  });

  for (const folder of [dirname(path), path]) {
    const stands = kindOf(folder);
    if (stands === "other")
      return { fault: `${folder} is not a folder of its own (a link or a file stands in its place)` };
  }
  const isThere = kindOf(path) === "folder";
  const registered = here.trees.find((tree) => tree.path === path);
  if (isThere && registered === undefined) {
    return { fault: `${path} is there already, and is no worktree of this repository` };
  }
  if (isThere) {
    const fault = await notOurs(path, here.common);
    if (fault !== undefined) return { fault };
    if (registered?.branch === undefined)
      return { fault: `${path} stands on no branch: git -C ${quote(path)} switch ${branch}` };
    return result(false, registered.branch);
  }
  const elsewhere = here.trees.find((tree) => tree.branch === branch && tree !== registered);
  if (elsewhere !== undefined) return { fault: `the branch ${branch} is checked out in ${elsewhere.path}` };
  if (registered?.isLocked === true) {
    return {
      fault: `${path} is gone, but locked: bring it back, or let it go: git worktree unlock ${quote(path)}`,
    };
  }
  const fault = await make(project, { path, branch, isRegistered: registered !== undefined });
  return fault === undefined ? result(true) : { fault };
}

interface Here {
  /** The top of the main work tree, or the repository itself when it has none. */
  readonly main: string;
  /** The git folder that all its work trees share. */
  readonly common: string;
  /** Where the project is below the top of its work tree. */
  readonly prefix: string;
  readonly trees: readonly Tree[];
}

interface Tree {
  readonly path: string;
  readonly branch: string | undefined;
  readonly isLocked: boolean;
  readonly isBare: boolean;
}

async function repositoryOf(project: string): Promise<Here | { fault: string }> {
  const prefix = await git(project, ["rev-parse", "--show-prefix"]);
  const common = await commonOf(project);
  if (prefix.code !== 0 || common === undefined) {
    return { fault: `there is no git repository here (${plain(gitError(prefix))})` };
  }
  const outer = await git(project, ["rev-parse", "--show-superproject-working-tree"]);
  if (outer.stdout !== "") {
    return { fault: "this is a submodule: a folder beside it would lie inside the repository around it" };
  }
  if ((await headOf(project)) === undefined) return { fault: "there is no commit here yet to start from" };
  const listed = await gitList(project, ["worktree", "list", "--porcelain", "-z"]);
  const trees = treesIn(listed ?? []);
  const [first] = trees;
  // With its git folder elsewhere a main work tree is listed by that folder; only from within it git knows better.
  const isMain = (await gitDirOf(project)) === common;
  const top = isMain ? await git(project, ["rev-parse", "--show-toplevel"]) : undefined;
  const main = top?.code === 0 ? top.stdout.replace(/\n$/, "") : first?.path;
  if (
    main === undefined ||
    (!isMain && first?.isBare === false && kindOf(join(main, ".git")) === "nothing")
  ) {
    return { fault: "git does not say where the main work tree of this repository is: start from there" };
  }
  return { main, common, prefix: prefix.stdout.replace(/\n$/, ""), trees };
}

/** Each tree begins with its path. */
function treesIn(words: readonly string[]): Tree[] {
  const trees: { path: string; branch: string | undefined; isLocked: boolean; isBare: boolean }[] = [];
  for (const word of words) {
    const last = trees.at(-1);
    if (word.startsWith("worktree ")) {
      trees.push({ path: word.slice("worktree ".length), branch: undefined, isLocked: false, isBare: false });
    } else if (last !== undefined && word.startsWith("branch refs/heads/")) {
      last.branch = word.slice("branch refs/heads/".length);
    } else if (last !== undefined && /^locked(?: |$)/.test(word)) {
      last.isLocked = true;
    } else if (last !== undefined && word === "bare") {
      last.isBare = true;
    }
  }
  return trees;
}

/** Why a folder that is registered is no worktree of ours any more. */
async function notOurs(path: string, common: string): Promise<string | undefined> {
  const top = await git(path, ["rev-parse", "--show-toplevel"]);
  const isTop = top.code === 0 && top.stdout === `${path}\n`;
  if (isTop && (await commonOf(path)) === common) return undefined;
  return `${path} was a worktree of this repository, but its .git leads elsewhere now`;
}

/** Makes the worktree. Returns why it could not. */
async function make(
  project: string,
  { path, branch, isRegistered }: { path: string; branch: string; isRegistered: boolean },
): Promise<string | undefined> {
  const careful = await trustNothing(project);
  if (careful === undefined) return "git cannot read the repository's configuration";
  const { env, filters } = careful;
  const there = await git(project, ["show-ref", "--verify", "--quiet", `refs/heads/${branch}`]);
  const which = there.code === 0 ? [path, branch] : ["--no-track", "-b", branch, path, "HEAD"];
  if (filters.length > 0) {
    const yours = `git worktree add ${which.map(quote).join(" ")}`;
    return `the repository's own config names programs that a checkout would run (${plain(filters.join(", "))}); if they are yours, make it yourself: ${yours}`;
  }
  if (isRegistered) {
    // The folder is gone, so this forgets it and removes nothing; of others that are gone nothing is said.
    const forgotten = await git(project, ["worktree", "remove", path], { env });
    if (forgotten.code !== 0) return plain(gitError(forgotten));
  }
  const parent = dirname(path);
  try {
    mkdirSync(parent);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") return `cannot make the folder ${parent}: ${messageOf(error)}`;
  }
  const added = await git(project, ["worktree", "add", "--quiet", ...which], { env, wallMs: ADD_WALL_MS });
  if (added.code === 0) return undefined;
  try {
    rmdirSync(parent);
  } catch {
    // other worktrees are in it
  }
  return plain(gitError(added));
}

async function commonOf(cwd: string): Promise<string | undefined> {
  return realFolder(await git(cwd, ["rev-parse", "--path-format=absolute", "--git-common-dir"]));
}

async function gitDirOf(cwd: string): Promise<string | undefined> {
  return realFolder(await git(cwd, ["rev-parse", "--absolute-git-dir"]));
}

function realFolder({ code, stdout }: { code: number | null; stdout: string }): string | undefined {
  try {
    return code === 0 ? realpathSync(stdout.replace(/\n$/, "")) : undefined;
  } catch {
    return undefined; // git named a folder that is gone since
  }
}

/** What stands in a place, without following a link. */
function kindOf(path: string): "nothing" | "folder" | "other" {
  try {
    return lstatSync(path).isDirectory() ? "folder" : "other";
  } catch (error) {
    return codeOf(error) === "ENOENT" ? "nothing" : "other";
  }
}
