import { existsSync } from "node:fs";
import { join } from "node:path";
import { git, gitError, gitList } from "../scm/git.ts";
import { guardEnvironment, type Programs, readPrograms } from "../scm/guard.ts";
import { infoAt, wayTo } from "./standing.ts";

/** The programs that each repository inside named before the agent ever ran, by its path. */
export type InnerPrograms = ReadonlyMap<string, Programs>;

/**
 * A program that stands in for git where git would start another one. To add a repository inside, git asks it whether it is
 * clean, by a git that obeys what is configured there. Whatever else somebody's filter wants of git goes to the real one.
 */
export const STAND_IN = `#!/bin/sh
if [ "$1" = status ] && [ "$GIT_DIR" = .git ]; then exit 0; fi
while :; do
  case $PATH in
    "\${0%/*}:"*) PATH=\${PATH#*:} ;;
    *) break ;;
  esac
done
unset GIT_EXEC_PATH
exec git "$@"
`;

/** What the repositories inside name as programs now. */
export async function innerPrograms(top: string, env: NodeJS.ProcessEnv): Promise<InnerPrograms> {
  const found = new Map<string, Programs>();
  await eachInside(top, env, async (path, inner) => {
    found.set(path, (await readPrograms(join(top, path), inner)) ?? new Map());
    return undefined;
  });
  return found;
}

/**
 * Why the repositories inside cannot be told by their commits: one holds changes that are in none. Each is asked by a git that
 * runs no program but those that it named before the agent ran. Undefined when all is well.
 */
export function unclearInside(
  top: string,
  env: NodeJS.ProcessEnv,
  trusted: InnerPrograms,
): Promise<string | undefined> {
  return eachInside(top, env, async (path, inner) => {
    const folder = join(top, path);
    const guard = await guardEnvironment(folder, trusted.get(path) ?? new Map(), inner);
    if (guard === undefined) return `git cannot read the configuration of the submodule ${path}`;
    // Those inside it are asked by us, in their turn.
    const args = ["status", "--porcelain=v2", "-z", "--ignore-submodules=dirty", "--untracked-files=no"];
    const status = await git(folder, args, { env: { ...inner, ...guard } });
    if (status.code !== 0) return `the submodule ${path}: git status: ${gitError(status)}`;
    return status.stdout === ""
      ? undefined
      : `the submodule ${path} holds changes that are in no commit of its own`;
  });
}

/** Visits every repository inside that git knows of, and those in them, until a visit has something to say. */
async function eachInside(
  top: string,
  env: NodeJS.ProcessEnv,
  visit: (path: string, env: NodeJS.ProcessEnv) => Promise<string | undefined>,
  within = "",
): Promise<string | undefined> {
  if (!existsSync(join(top, within, ".gitmodules"))) return undefined;
  for (const name of await commitsIn(join(top, within), env)) {
    const path = join(within, name);
    // A link would lead elsewhere; one that was never fetched has nothing in it.
    if (wayTo(top, `${path}/.git`, false) !== "there" || infoAt(join(top, path, ".git")) === undefined)
      continue;
    const inner = { ...env, ...NOT_INHERITED, GIT_DIR: join(top, path, ".git") };
    const said = (await visit(path, inner)) ?? (await eachInside(top, inner, visit, path));
    if (said !== undefined) return said;
  }
  return undefined;
}

const NOT_INHERITED = {
  GIT_WORK_TREE: undefined,
  GIT_INDEX_FILE: undefined,
  GIT_OBJECT_DIRECTORY: undefined,
  GIT_ALTERNATE_OBJECT_DIRECTORIES: undefined,
};

/** The paths at which an index has the commit of another repository. */
async function commitsIn(folder: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  return ((await gitList(folder, ["ls-files", "--stage", "-z"], env)) ?? [])
    .filter((line) => line.startsWith("160000 "))
    .map((line) => line.slice(line.indexOf("\t") + 1));
}
