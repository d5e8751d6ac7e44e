import { realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { TaskInput } from "../config/task-gates.ts";
import { UserError } from "../errors.ts";
import { isInside } from "../files.ts";
import { workTree } from "../scm/git.ts";
import { overCap } from "../tasks/cap.ts";
import { isFinished } from "../tasks/complete.ts";
import { RALPH_DIR } from "../tasks/files.ts";
import { estimateIterations } from "../tasks/stats.ts";
import { slugOf } from "../tasks/templates.ts";
import { loadList, oneLine, placeOf, rulesOf, type TaskFlags } from "./tasks-place.ts";

/** The flags that say what a run works on. */
export interface WorkFlags extends TaskFlags {
  readonly tasks?: boolean;
  readonly prompt?: string | undefined;
  readonly promptFile?: string | undefined;
  readonly worktree?: string;
}

/** The task list that a run is to work on; undefined when it is to work on a prompt. */
export async function tasksFor(flags: WorkFlags, project: string): Promise<TaskInput | undefined> {
  const { isAsked, hasPrompt } = wishOf(flags);
  if (!isAsked && (hasPrompt || !hasList(project, flags.ralphDir ?? RALPH_DIR))) {
    refuseIdle(flags);
    return undefined;
  }
  const rules = rulesOf(flags);
  const place = placeOf({ ...flags, projectDir: project });
  const list = loadList(place, rules);
  const over = overCap(list, rules);
  if (over !== undefined)
    throw new UserError("the review cap is too low", oneLine(over), "Raise --review-cap.");
  const open = list.userStories.filter((story) => !isFinished(story, rules.skipReview)).length;
  return {
    dir: place.paths.dir,
    ...rules,
    branch: list.branchName,
    verifyCommands: list.verifyCommands,
    budget: { stories: list.userStories.length, open, iterations: estimateIterations(list, rules) },
    isGit: (await workTree(project)) !== undefined,
  };
}

function wishOf(flags: WorkFlags): { isAsked: boolean; hasPrompt: boolean } {
  const hasPrompt = flags.prompt !== undefined || flags.promptFile !== undefined;
  const isAsked = flags.tasks === true || flags.worktree !== undefined;
  if (!isAsked || !hasPrompt) return { isAsked, hasPrompt };
  throw new UserError(
    "two kinds of work were given",
    "--tasks works on the task list, -p and -f on a prompt",
    "Leave one of them out.",
  );
}

/** The folder that a run works in: this one, what `--project-dir` says, or the worktree that was asked for. */
export async function projectOf(flags: WorkFlags & { readonly dryRun?: boolean }): Promise<string> {
  const project = folderOf(flags);
  if (flags.worktree === undefined) return project;
  wishOf(flags); // what is refused makes no folder and no branch
  rulesOf(flags);
  if (flags.dryRun === true) {
    throw new UserError(
      "--worktree and --dry-run do not go together",
      "the one makes a folder and a branch, the other makes nothing",
      "Leave one of them out.",
    );
  }
  const { worktreeFor } = await import("../scm/worktree.ts");
  const tree = await worktreeFor(project, slugOf(flags.worktree));
  if ("fault" in tree) {
    throw new UserError("there is no worktree to work in", tree.fault, "Mend that, or give another name.");
  }
  const { worktreeWords } = await import("./worktree-words.ts");
  const isThere = hasList(tree.project, flags.ralphDir ?? RALPH_DIR);
  process.stderr.write(worktreeWords({ ...tree, hasList: isThere }));
  return tree.project;
}

function folderOf({ projectDir }: TaskFlags): string {
  const project = resolve(projectDir ?? ".");
  // As git and the working directory name it: files are told apart by their paths.
  if (statSync(project, { throwIfNoEntry: false })?.isDirectory() === true) return realpathSync(project);
  throw new UserError(
    `there is no folder ${project}`,
    "--project-dir names it",
    "Give a folder that exists.",
  );
}

function hasList(project: string, dir: string): boolean {
  const path = resolve(project, dir);
  return (
    isInside(project, path) && statSync(join(path, "tasks.json"), { throwIfNoEntry: false }) !== undefined
  );
}

/** A flag of task lists on a run that has none is a slip, and not to be passed over. */
function refuseIdle(flags: WorkFlags): void {
  const idle = [
    ["--skip-review", flags.skipReview],
    ["--review-cap", flags.reviewCap],
    ["--ralph-dir", flags.ralphDir],
  ].find(([, value]) => value !== undefined && value !== false);
  if (idle === undefined) return;
  throw new UserError(
    `${String(idle[0])} is for task lists`,
    "this run works on a prompt, or there is no list",
    "Leave it out, or make a list: ralph init --tasks",
  );
}
