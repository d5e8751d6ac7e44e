import { basename } from "node:path";
import { quote } from "shlex";
import type { Worktree } from "../scm/worktree.ts";
import { clean } from "../ui/clean.ts";

/** What a user is told about the worktree of a feature: where it is, how to go on, to bring the work back and to tidy up. */
export function worktreeWords(tree: Worktree & { readonly hasList: boolean }): string {
  const { path, branch, made, hasList } = tree;
  const project = quote(tree.project);
  const next = hasList
    ? [`  ralph run --tasks -d ${project}`]
    : [
        `  ralph init --tasks -d ${project} --name ${quote(basename(path))}`,
        `  ralph run --tasks -d ${project}`,
      ];
  return clean(
    [
      `${made ? "Made the" : "Using the"} worktree ${path} on the branch ${branch}.`,
      ...(made ? ["It holds what is committed: install dependencies there as after a clone."] : []),
      "Go on there:",
      ...next,
      "When the work is done, here:",
      `  git merge ${quote(branch)}`,
      `  git worktree remove ${quote(path)}`,
      "One folder takes one run at a time; several features at once need a worktree each.",
      "",
    ].join("\n"),
  );
}
