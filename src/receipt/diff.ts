import { type GitResult, gitError } from "../scm/git.ts";
import type { Fault } from "../snapshot/shadow.ts";
import { canonical, sha256 } from "./digest.ts";
import type { Receipt } from "./schema.ts";

/** The words that ask git for the differences of two trees: modes, names of contents and paths, whatever the settings say. */
export function rawDiff(from: string, to: string): string[] {
  return [
    "diff-tree",
    "-r",
    "-z",
    "--raw",
    "--no-renames",
    "--no-abbrev",
    "--ignore-submodules=none",
    from,
    to,
  ];
}

/** Hashes what git answered. The contents are in it by their own hashes, so that no version of git makes another diff of it. */
export function diffFrom(answer: GitResult): NonNullable<NonNullable<Receipt["work"]>["diff"]> | Fault {
  if (answer.code !== 0) return { fault: `git diff-tree: ${gitError(answer)}` };
  const words = answer.stdout.split("\0");
  const changes: string[] = [];
  for (let at = 0; at + 1 < words.length; at += 2) changes.push(`${words[at]}\0${words[at + 1]}`);
  return { sha256: sha256(canonical(changes.sort())), files: changes.length };
}
