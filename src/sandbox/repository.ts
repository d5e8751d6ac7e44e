import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { git } from "../scm/git.ts";
import type { Policy } from "./policy.ts";

/** What is written of a repository, and what of it is not: whoever writes its config or its hooks has programs run outside. */
export type RepositoryMounts = Pick<Policy, "rw" | "ro">;

const MOST_MODULES = 200;

/**
 * The repository that a project stands in. Its folder becomes a mount of its own, so that it cannot be moved away and another one
 * put in its place; in it everything may be written (commits, branches) but what names programs.
 */
export async function repositoryMounts(project: string): Promise<RepositoryMounts> {
  const told = await git(project, ["rev-parse", "--show-toplevel", "--absolute-git-dir", "--git-common-dir"]);
  const [top = "", own = "", common = ""] = told.stdout.split("\n");
  if (told.code !== 0 || top === "") return { rw: [], ro: [] };
  const gitDir = realpathSync(own);
  const commonDir = realpathSync(resolve(project, common));
  const hooks = await git(project, ["config", "--local", "--get", "--type=path", "core.hooksPath"]);
  const elsewhere = hooks.code === 0 ? [resolve(top, hooks.stdout.trim())] : [];
  const pointers = ["commondir", "gitdir", "config.worktree"].map((name) => join(gitDir, name));
  const link = join(top, ".git");
  // What is not there could be made inside, and would be obeyed outside.
  for (const one of [commonDir, ...modulesBelow(commonDir)])
    mkdirSync(join(one, "hooks"), { recursive: true });
  const each = await git(project, ["config", "--get", "--type=bool", "extensions.worktreeConfig"]);
  if (each.stdout.trim() === "true") closeSync(openSync(join(gitDir, "config.worktree"), "a"));
  return {
    rw: [...new Set([commonDir, gitDir])],
    ro: [
      ...programsIn(commonDir),
      ...pointers.filter((path) => gitDir !== commonDir || path.endsWith("worktree")),
      ...modulesBelow(commonDir).flatMap(programsIn),
      ...(realpathSync(link) === gitDir ? [] : [link]),
      ...alternatesOf(commonDir),
      ...elsewhere,
    ].filter(existsSync),
  };
}

/** What names programs. */
function programsIn(gitDir: string): string[] {
  return ["config", "config.worktree", "hooks"].map((name) => join(gitDir, name));
}

/** Other stores that objects are borrowed from: they have to be seen, wherever they are. */
function alternatesOf(gitDir: string): string[] {
  try {
    const text = readFileSync(join(gitDir, "objects/info/alternates"), "utf8");
    const paths = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    return paths.map((path) => (isAbsolute(path) ? path : resolve(gitDir, "objects", path)));
  } catch {
    return [];
  }
}

/** The repositories of submodules, which have a config and hooks of their own. */
function modulesBelow(gitDir: string): string[] {
  const found: string[] = [];
  const queue = [join(gitDir, "modules")];
  for (let at = 0; at < queue.length && at < MOST_MODULES; at++) {
    const folder = queue[at] ?? "";
    if (existsSync(join(folder, "HEAD"))) {
      found.push(folder);
      queue.push(join(folder, "modules"));
      continue;
    }
    if (existsSync(folder)) queue.push(...readdirSync(folder).map((name) => join(folder, name)));
  }
  return found;
}
