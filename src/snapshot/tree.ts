import { copyFileSync, mkdirSync, statSync, utimesSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { codeOf } from "../errors.ts";
import { RUNTIME_FILES } from "../files.ts";
import { disarm, git } from "../scm/git.ts";

/**
 * A name for exactly what stands in the work tree now: tracked and new files, not ignored ones. Made with an index of
 * our own, so that the user's index and HEAD are never touched. Undefined outside git, or when git cannot tell.
 */
export async function treeOf(project: string, privateIndex: string): Promise<string | undefined> {
  const where = await git(project, ["rev-parse", "--git-path", "index"]);
  if (where.code !== 0) return undefined;
  mkdirSync(dirname(privateIndex), { recursive: true, mode: 0o700 });
  try {
    // The user's index knows which files are unchanged; starting from a copy spares reading them all. The copy is made
    // to look as old as it is: git trusts an index that is younger than a file, and would not look at that file again.
    const index = resolve(project, where.stdout.trim());
    const { atime, mtime } = statSync(index);
    copyFileSync(index, privateIndex);
    utimesSync(privateIndex, atime, mtime);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error; // a repository without a first commit has no index yet
  }
  const env = { GIT_INDEX_FILE: privateIndex };
  const disarmed = await disarm(project);
  const ours = RUNTIME_FILES.map((pattern) => `:(exclude)${pattern}`);
  const added = await git(project, [...disarmed, "add", "--all", "--", ":/", ...ours], { env });
  if (added.code !== 0) return undefined;
  const tree = await git(project, [...disarmed, "write-tree"], { env });
  return tree.code === 0 ? tree.stdout.trim() : undefined;
}
