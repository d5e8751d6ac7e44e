import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type GitResult, git, gitError } from "../scm/git.ts";
import { checkOut } from "../snapshot/scratch.ts";
import { type Fault, openShadow, type Shadow } from "../snapshot/shadow.ts";

/** A repository of ralph's own for a moment, with all objects that are known here. The user's is only read. */
export interface Store {
  readonly home: string;
  readonly shadow: Shadow;
  dispose(): void;
}

const AUTHOR = { NAME: "ralph", EMAIL: "ralph@localhost", DATE: "2000-01-01T00:00:00Z" };

/** Opens a store beside a project: its repository's objects, those that the run kept, those of a bundle. */
export async function openStore(
  project: string,
  from: { readonly objects?: string | undefined; readonly bundle?: string | undefined },
): Promise<Store | Fault> {
  const home = mkdtempSync(join(realpathSync(tmpdir()), "ralph-receipt-"));
  const dispose = () => rmSync(home, { recursive: true, force: true });
  try {
    const shadow = await openShadow(project, home);
    const fault = "fault" in shadow ? shadow : await fill(shadow, from);
    if (!("fault" in shadow) && fault === undefined) return { home, shadow, dispose };
    dispose();
    return fault ?? { fault: "there is no store" };
  } catch (error) {
    dispose();
    throw error;
  }
}

async function fill(
  shadow: Shadow,
  { objects, bundle }: { objects?: string | undefined; bundle?: string | undefined },
): Promise<Fault | undefined> {
  if (objects !== undefined) borrow(join(shadow.folder, "objects"), objects);
  if (bundle === undefined) return undefined;
  // Whatever a bundle names, it is its contents that name themselves: git hashes each when it takes it in.
  const taken = await inStore(shadow, ["-c", "fetch.fsckObjects=true", "bundle", "unbundle", bundle]);
  return taken.code === 0 ? undefined : { fault: `the bundle cannot be read: ${gitError(taken)}` };
}

/** Two commits without a past, the base and on it the judged tree; returns the second. */
export async function commitTrees(
  store: Store,
  trees: { readonly base?: string | undefined; readonly tree: string },
): Promise<string | Fault> {
  const base = trees.base === undefined ? undefined : await commitTree(store, trees.base, "the base");
  if (typeof base === "object") return base;
  return commitTree(store, trees.tree, "the judged tree", base);
}

async function commitTree(
  store: Store,
  tree: string,
  message: string,
  parent?: string,
): Promise<string | Fault> {
  const args = ["commit-tree", "-m", message, ...(parent === undefined ? [] : ["-p", parent]), tree];
  const made = await inStore(store.shadow, args);
  return made.code === 0 ? made.stdout.trim() : { fault: `git commit-tree: ${gitError(made)}` };
}

/**
 * A clean checkout of the judged tree outside the project, as a repository of its own, so that checks that ask git find one.
 * Byte for byte what is in the tree: no filter and no hook runs.
 */
export async function workFolder(
  store: Store,
  trees: { readonly base?: string | undefined; readonly tree: string },
): Promise<string | Fault> {
  const folder = join(store.home, "work");
  const gitDir = join(folder, ".git");
  const commit = await commitTrees(store, trees);
  if (typeof commit === "object") return commit;
  mkdirSync(folder);
  const format = `--object-format=${trees.tree.length === 64 ? "sha256" : "sha1"}`;
  const made = await alone(gitDir, [
    "init",
    "--quiet",
    "--template=",
    "--initial-branch=main",
    format,
    folder,
  ]);
  if (made.code !== 0) return { fault: `git init: ${gitError(made)}` };
  borrow(join(gitDir, "objects"), join(store.shadow.folder, "objects"));
  appendFileSync(join(gitDir, "config"), "[core]\n\tautocrlf = false\n");
  const fault = await checkOut(store.shadow, trees.tree, folder);
  if (fault !== undefined) return fault;
  for (const args of [
    ["update-ref", "refs/heads/main", commit],
    ["read-tree", "HEAD"],
    ["update-index", "-q", "--refresh"],
  ]) {
    const done = await alone(gitDir, args, { GIT_WORK_TREE: folder });
    if (done.code !== 0) return { fault: `git ${args[0]}: ${gitError(done)}` };
  }
  return folder;
}

/** Writes the two trees of a receipt into one file that git can read anywhere. */
export async function bundleInto(
  store: Store,
  trees: { readonly base?: string | undefined; readonly tree: string },
  run: string,
): Promise<{ readonly file: string } | Fault> {
  const commit = await commitTrees(store, trees);
  if (typeof commit === "object") return commit;
  const file = join(store.home, "trees.bundle");
  for (const args of [
    ["update-ref", `refs/ralph/${run}`, commit],
    ["bundle", "create", "--quiet", file, `refs/ralph/${run}`],
  ]) {
    const done = await inStore(store.shadow, args);
    if (done.code !== 0) return { fault: `git ${args[0]}: ${gitError(done)}` };
  }
  return { file };
}

/** Makes objects of another store readable in this one. */
function borrow(into: string, from: string): void {
  mkdirSync(join(into, "info"), { recursive: true });
  writeFileSync(join(into, "info", "alternates"), `${from}\n`, { flag: "a" });
}

/** Git on the store itself. Unlike the shadow's own it may start others of git's programs: packs are made by one. */
function inStore(shadow: Shadow, args: readonly string[]): Promise<GitResult> {
  return alone(shadow.folder, args);
}

/** Git that hears of no repository but this one, and of nobody's settings. */
function alone(gitDir: string, args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<GitResult> {
  const who = Object.entries(AUTHOR).flatMap(([key, value]) => [
    [`GIT_AUTHOR_${key}`, value],
    [`GIT_COMMITTER_${key}`, value],
  ]);
  return git(tmpdir(), args, {
    env: {
      ...Object.fromEntries(who),
      GIT_DIR: gitDir,
      GIT_WORK_TREE: undefined,
      GIT_INDEX_FILE: undefined,
      GIT_OBJECT_DIRECTORY: undefined,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: undefined,
      GIT_COMMON_DIR: undefined,
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_NOSYSTEM: "1",
      ...more,
    },
    wallMs: 10 * 60_000,
  });
}
