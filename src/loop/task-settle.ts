import { realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { busPath } from "../bus/bus.ts";
import type { Claims, TaskResult, TaskTurn } from "../events.ts";
import type { FileChange } from "../gates/gate.ts";
import { gitList } from "../scm/git.ts";
import type { TaskWork } from "../spec.ts";
import { ACTIVE_FILE } from "../tasks/active.ts";
import { approveAtCap, isCapHit } from "../tasks/cap.ts";
import { completion, isFinished } from "../tasks/complete.ts";
import { type TaskPaths, taskPaths } from "../tasks/files.ts";
import type { TaskList } from "../tasks/list.ts";
import { mergeList } from "../tasks/merge.ts";
import { formatList } from "../tasks/schema.ts";
import { mayReviewChange, missingVerdict } from "../tasks/transitions.ts";
import type { LoopState } from "./state.ts";
import { putBackFiles, putInPlace, readStanding } from "./task-files.ts";
import { asideFolder, keepAside, keepText, keptList, keptText } from "./task-store.ts";
import { tasksOf } from "./task-turn.ts";
import { isTheirs } from "./uncommitted.ts";
import type { Workshop } from "./workshop.ts";

/** The tag that says that every story is finished. It counts only with the list. */
const PROMISE = "<promise>COMPLETE</promise>";

/** What a turn on a task list adds to what is known of it; nothing where the work is something else. */
interface Settled {
  readonly claims: Claims;
  facts(end: { tree: string | undefined; said: string; toolCalls: number }): Promise<{
    tasks?: TaskResult;
    onlyLogged?: boolean;
    empty?: boolean;
  }>;
}

/** Settles the list after a turn, and tells what of the turn only a task list asks. */
export async function settledTasks(
  shop: Workshop,
  state: LoopState,
  end: { readonly finished: boolean; readonly said: string },
): Promise<Settled> {
  const work = tasksOf(shop);
  const { task: turn, iteration, measured } = state;
  if (work === undefined || turn === undefined) return { claims: {}, facts: () => Promise.resolve({}) };
  const promised = end.said.includes(PROMISE);
  const tasks = await settleTask(shop, { work, turn, iteration, finished: end.finished, promised });
  return {
    claims: { ...(tasks.unfinished === 0 ? { tasks: true } : {}), ...(promised ? { promised } : {}) },
    async facts({ tree, said, toolCalls }) {
      const isSame = tree !== undefined && tree === measured?.tree;
      const empty =
        end.finished &&
        said.trim() === "" &&
        toolCalls === 0 &&
        (isSame || shop.meter === undefined) && // outside git only the list tells
        tasks.list === turn.list;
      const moved =
        tree === undefined || measured === undefined || isSame
          ? []
          : await shop.meter?.differences(measured.tree, tree);
      const log =
        shop.meter &&
        relative(shop.meter.top, join(realpathSync(shop.spec.project), work.dir, "progress.txt"));
      const onlyLogged = moved?.length === 1 && moved[0] === log;
      return { tasks, ...(empty ? { empty } : {}), ...(onlyLogged ? { onlyLogged } : {}) };
    },
  };
}

/** A turn on a task list that is over. */
interface Settling {
  readonly work: TaskWork;
  readonly turn: TaskTurn;
  readonly iteration: number;
  /** The agent's turn came to an end of its own. */
  readonly finished: boolean;
  readonly promised: boolean;
}

/** Collects what is put back and what is told about it. */
class Findings {
  readonly notes: string[] = [];
  readonly putBack: string[] = [];
  /** Where what is undone is kept, once there is something. */
  aside: string | undefined;
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  keep(path: string, text: string | Buffer): void {
    keepAside(this.folder, path, text);
    this.aside = this.folder;
  }
}

/**
 * Makes of the list's files what they may be after this turn: what was not allowed is put back from what the run believes and
 * kept aside, all else stays. For any agent and however its turn ended.
 */
async function settleTask(shop: Workshop, settling: Settling): Promise<TaskResult> {
  const { work, turn, iteration } = settling;
  const paths = taskPaths(shop.spec.project, work.dir);
  const found = new Findings(asideFolder(shop, iteration));
  const before = keptList(shop, turn.list);
  const isRefused = turn.mode === "review" && (await fence(shop, settling, paths, found));
  for (const path of putBackFiles(shop, paths, turn, (name, bytes) => found.keep(name, bytes))) {
    found.putBack.push(path);
    found.notes.push(`${path} is read-only during the run. It was put back.`);
  }
  const { list, text } = settleList(shop, settling, { before, paths, isRefused }, found);
  const done = completion(list, { promised: settling.promised, skipReview: work.skipReview });
  if (done.kind === "false promise") {
    found.notes.push(
      `You promised ${PROMISE}, but these stories are not finished: ${done.unfinished.join(", ")}.`,
    );
  }
  const wasFinished = new Set(before.userStories.filter(isDone).map(({ id }) => id));
  const wasCapped = new Set(before.userStories.filter(isCapHit).map(({ id }) => id));
  const approved = list.userStories.find((story) => isDone(story) && !wasFinished.has(story.id))?.id;
  const capped = list.userStories.filter((story) => isCapHit(story) && !wasCapped.has(story.id));
  return {
    list: keepText(shop, text),
    unfinished: done.kind === "complete" ? 0 : done.unfinished.length,
    ...(approved === undefined ? {} : { approved }),
    ...(capped.length === 0 ? {} : { capped: capped.map(({ id }) => id) }),
    notes: found.notes,
    ...(found.putBack.length === 0 ? {} : { putBack: found.putBack }),
    ...(found.aside === undefined ? {} : { aside: found.aside }),
  };

  function isDone(story: TaskList["userStories"][number]): boolean {
    return isFinished(story, work.skipReview);
  }
}

function settleList(
  shop: Workshop,
  { work, turn, finished }: Settling,
  about: { before: TaskList; paths: TaskPaths; isRefused: boolean },
  found: Findings,
): { list: TaskList; text: string } {
  const { before, paths, isRefused } = about;
  const standing = readStanding(shop.spec.project, paths.tasks);
  const trusted = keptText(shop, turn.list);
  const how = { mode: turn.mode, story: turn.story, skipReview: work.skipReview };
  const isPutBack = isRefused || standing.fault !== undefined;
  const merged = isPutBack ? { list: before, undone: [] } : mergeList(before, standing.value, how);
  if (standing.fault !== undefined) found.notes.push(`${standing.fault}. It was put back as it was.`);
  else found.notes.push(...merged.undone);
  const isKept = merged.undone.length === 0 && !isPutBack;
  if (!isKept && standing.text !== "" && standing.text !== trusted) {
    found.keep(paths.tasks, standing.text);
  }
  if (finished && isKept) {
    const was = new Map(before.userStories.map((story) => [story.id, story]));
    const missing = missingVerdict(was, merged.list.userStories, how);
    if (missing !== undefined) found.notes.push(missing);
  }
  const { list, approved } = approveAtCap(before, merged.list, work);
  const isAsIs = isKept && approved.length === 0;
  const text = isAsIs ? standing.text : list === before ? trusted : formatList(list);
  if (text !== standing.text) putInPlace(shop.spec.project, paths.tasks, text);
  return { list, text };
}

/**
 * A review that changed other files than the list and its log is refused: they are put back, and its verdict does not count. New
 * files that no commit holds are only taken away: a verify command may have left them.
 */
async function fence(
  shop: Workshop,
  { turn, work }: Settling,
  paths: TaskPaths,
  found: Findings,
): Promise<boolean> {
  const trees = turn.before === undefined ? undefined : shop.trees?.since(turn.before, found.folder);
  if (trees === undefined || trees.unavailable !== undefined) return false;
  const compared = await trees.changes([]);
  if ("fault" in compared) {
    found.notes.push(
      `It cannot be told what this review changed (${compared.fault}), so its verdict does not count.`,
    );
    return true;
  }
  const strange = compared.changes.filter(
    ({ path }) => !mayReviewChange(path, work.dir) && path !== ACTIVE_FILE && !isOnBus(shop, path),
  );
  const outside = await committedOutside(shop, turn);
  if (outside.length > 0) {
    found.notes.push(
      `Review iterations do not change anything but ${paths.tasks} and ${paths.progress}. This one committed ${listed(outside)}, which ralph does not put back: its verdict does not count.`,
    );
  }
  if (strange.length === 0) return outside.length > 0;
  const done = await trees.putBack(strange.map((change) => ({ change })));
  const names = strange.map(({ path }) => path);
  if ("fault" in done) found.notes.push(`What this review changed could not be put back: ${done.fault}`);
  else {
    found.aside = done.kept;
    const left = new Set(done.left.map(({ path }) => path));
    found.putBack.push(...names.filter((path) => !left.has(path)));
    for (const { path, why } of done.left) found.notes.push(`${path} could not be put back: ${why}`);
  }
  const grave = await graveChanges(shop, strange);
  const shown = listed(grave.length > 0 ? grave : names);
  found.notes.push(
    grave.length > 0
      ? `Review iterations do not change anything but ${paths.tasks} and ${paths.progress}. This one changed ${shown}: that was put back, and its verdict does not count. Where it is in a commit, commit the files as they are now.`
      : `Files that the review left behind were taken away, or put back as they were: ${shown}.`,
  );
  return grave.length + outside.length > 0;
}

/** Files of the repository that the review committed outside of the project, which no snapshot of ours is about. */
async function committedOutside({ meter, spec }: Workshop, { head }: TaskTurn): Promise<string[]> {
  const prefix = meter === undefined ? "" : relative(meter.top, realpathSync(spec.project));
  if (meter === undefined || head === undefined || prefix === "") return [];
  const changed = await gitList(meter.top, [
    "diff-tree",
    "-r",
    "-z",
    "--name-only",
    "--no-renames",
    head,
    "HEAD",
  ]);
  return (changed ?? ["(git cannot tell)"]).filter((path) => !path.startsWith(`${prefix}/`));
}

/**
 * The changes that are no mere traces: to files that were there, or that are in a commit now. What was never in one and stood
 * there before the run (a report that the baseline wrote) is written anew by every test run, and nobody is asked to ignore it.
 */
async function graveChanges(shop: Workshop, changes: readonly FileChange[]): Promise<string[]> {
  const top = shop.meter?.top;
  const args = ["ls-tree", "-r", "-z", "--name-only", "HEAD"];
  const committed = new Set(top === undefined ? [] : await gitList(shop.spec.project, args));
  const wasTheirs = isTheirs(shop);
  const isTrace = ({ path, kind }: FileChange) =>
    !committed.has(path) && (kind === "added" || (kind === "modified" && wasTheirs(path)));
  return changes.filter((change) => !isTrace(change)).map(({ path }) => path);
}

/** Messages between people, agents and runs are nobody's work. */
function isOnBus({ spec }: Workshop, path: string): boolean {
  const file = join(spec.project, path);
  return [busPath(spec.project, "project"), busPath(spec.taskDir, "task")].includes(file);
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(", ");
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown;
}
