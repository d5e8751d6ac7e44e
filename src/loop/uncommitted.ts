import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { LoopState } from "./state.ts";
import { tasksOf } from "./task-turn.ts";
import { KEPT, keptNames } from "./uncommitted-before.ts";
import type { Workshop } from "./workshop.ts";

const LEFT = "uncommitted-after";

/** Remembers what is not committed when its user last had the word: those files are theirs, and never asked for. */
export async function rememberUncommitted(shop: Workshop): Promise<void> {
  const found = await uncommittedNow(shop);
  if (!Array.isArray(found)) return;
  const left = new Set(kept(shop, LEFT));
  keep(shop, KEPT, new Set([...kept(shop, KEPT), ...found.filter((path) => !left.has(path))]));
}

/** Remembers what the run itself leaves uncommitted when it ends: that does not become its user's while it rests. */
export async function rememberLeft(shop: Workshop): Promise<void> {
  if (!existsSync(join(shop.folder.folder, KEPT))) return; // no agent has had a turn yet
  const found = await uncommittedNow(shop);
  const theirs = new Set(kept(shop, KEPT));
  if (Array.isArray(found)) keep(shop, LEFT, new Set(found.filter((path) => !theirs.has(path))));
}

/** Was this file, relative to the project, its user's and in no commit when they last had the word? */
export function isTheirs(shop: Workshop): (path: string) => boolean {
  const theirs = new Set(kept(shop, KEPT));
  const prefix = prefixOf(shop);
  return (path) => theirs.has(prefix + path);
}

/**
 * What this run should have committed and has not: not what was the user's before, not the files of the task list (the next
 * iteration takes them along), and not what ralph itself put back.
 */
export async function uncommittedWork(
  shop: Workshop,
  { putBack }: Pick<LoopState, "putBack">,
): Promise<readonly string[] | { readonly fault: string }> {
  const found = await uncommittedNow(shop);
  if (!Array.isArray(found)) return found;
  const prefix = prefixOf(shop);
  const own = tasksOf(shop)?.dir;
  const theirs = new Set(kept(shop, KEPT));
  const restored = new Set(putBack.map((path) => prefix + path));
  return found
    .filter((path) => !theirs.has(path) && !restored.has(path))
    .filter((path) => own === undefined || !path.startsWith(`${prefix}${own}/`))
    .map((path) => (path.startsWith(prefix) ? path.slice(prefix.length) : relative(shop.spec.project, path)));
}

/** Files, from the top of the work tree, in which it differs from the last commit. None outside git. */
async function uncommittedNow(shop: Workshop): Promise<string[] | { readonly fault: string }> {
  const { meter } = shop;
  if (meter === undefined) return [];
  const tree = await meter.measure();
  return "fault" in tree ? tree : meter.uncommitted(tree.name);
}

function prefixOf({ meter, spec }: Workshop): string {
  const way = meter === undefined ? "" : relative(meter.top, spec.project);
  return way === "" ? "" : `${way}/`;
}

function keep({ folder }: Workshop, name: string, files: ReadonlySet<string>): void {
  mkdirSync(folder.folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder.folder, name), [...files].join("\0"), { mode: 0o600, flush: true });
}

function kept({ folder }: Workshop, name: string): string[] {
  return keptNames(folder.folder, name);
}
