import { git } from "../scm/git.ts";
import type { Finding } from "./finding.ts";
import type { Receipt } from "./schema.ts";
import type { Store } from "./store.ts";

const what = "commit";
const MOST_FILES = 5;

/** Is the commit that the run made still there, and is it what it was? One that was rewritten is looked for by its trailer. */
export async function checkCommit(receipt: Receipt, project: string, store: Store): Promise<Finding[]> {
  const { commit, tree: judged } = receipt.work ?? {};
  if (commit === undefined || judged === undefined) return [];
  const ask = (...args: string[]) => git(project, args, { env: { GIT_NO_REPLACE_OBJECTS: "1" } });
  const short = commit.id.slice(0, 12);
  const tree = await ask("rev-parse", "--verify", "--quiet", "--end-of-options", `${commit.id}^{tree}`);
  if (tree.code === 0 && tree.stdout.trim() !== commit.tree) {
    return [{ what, found: "different", how: `${short} holds another tree (${tree.stdout.trim()})` }];
  }
  const isOnHead = await ask("merge-base", "--is-ancestor", commit.id, "HEAD");
  if (isOnHead.code === 0) return [{ what, found: "same", how: `${short} on HEAD` }];
  // The same commit made anew, with something else in it, where the original should be.
  const rewritten = async (where: string): Promise<Finding[] | undefined> => {
    const mark = `--grep=Ralph-Run: ${receipt.run}/${commit.iteration}`;
    const format = ["-n", "1", "--format=%H %T", "--fixed-strings", mark];
    const log = await ask("log", ...format, where);
    const [other, otherTree] = log.code === 0 ? log.stdout.trim().split(" ") : [];
    if (other === undefined || otherTree === undefined) return undefined;
    const how = `${short} was rewritten as ${other.slice(0, 12)}${await changes(store, commit.tree, otherTree)}`;
    return [{ what, found: "different", how }];
  };
  const onHead = await rewritten("HEAD");
  if (onHead !== undefined) return onHead;
  const refs = await ask("for-each-ref", "--count=1", "--format=%(refname:short)", `--contains=${commit.id}`);
  const ref = refs.code === 0 ? refs.stdout.trim() : "";
  if (tree.code === 0 && ref !== "") return [{ what, found: "same", how: `${short} on ${ref}` }];
  const anywhere = await rewritten("--all");
  if (anywhere !== undefined) return anywhere;
  if (tree.code === 0) return [{ what, found: "different", how: `${short} is on no branch any more` }];
  return [{ what, found: "missing", how: `${short} is not in this repository` }];
}

/** Which files a rewritten commit moved, changed, added or removed. */
async function changes(store: Store, from: string, to: string): Promise<string> {
  if (from === to) return ", with the same files";
  const diff = await store.shadow.git(["diff-tree", "-r", "-z", "-M", "--name-status", from, to]);
  if (diff.code !== 0) return "";
  const words = diff.stdout.split("\0").filter((word) => word !== "");
  const told: string[] = [];
  for (let at = 0; at + 1 < words.length; ) {
    const [kind = "", path = "", moved = ""] = words.slice(at, at + 3);
    const isMove = kind.startsWith("R");
    told.push(isMove ? `moved ${path} to ${moved}` : `${VERBS[kind] ?? "changed"} ${path}`);
    at += isMove ? 3 : 2;
  }
  const more = told.length > MOST_FILES ? `, and ${told.length - MOST_FILES} more` : "";
  return `: ${told.slice(0, MOST_FILES).join(", ")}${more}`;
}

const VERBS: Readonly<Record<string, string>> = { A: "added", D: "removed" };
