import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { UserError } from "../errors.ts";
import { stateRoot } from "../journal/paths.ts";
import { holderOf } from "../loop/hold.ts";
import { isRunningSince } from "../supervise/proc.ts";
import { ACTIVE_FILE } from "../tasks/active.ts";
import { checkList } from "../tasks/check.ts";
import { markerOf, RALPH_DIR, readProjectFile, type TaskPaths, taskPaths } from "../tasks/files.ts";
import { DEFAULT_RULES, type ReviewRules, type TaskList } from "../tasks/list.ts";
import { isUnfilled, parseJson } from "../tasks/schema.ts";

/** Flags of every command about a task list. */
export interface TaskFlags {
  readonly projectDir?: string;
  readonly ralphDir?: string;
  readonly skipReview?: boolean;
  readonly reviewCap?: string;
}

/** A project and its task list. */
export interface TaskPlace {
  readonly project: string;
  readonly paths: TaskPaths;
}

/** The list that is meant; it need not be there. */
export function placeOf(flags: TaskFlags): TaskPlace {
  const dir = flags.ralphDir ?? RALPH_DIR;
  const project = flags.projectDir === undefined ? nearest(dir) : resolve(flags.projectDir);
  if (statSync(project, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new UserError(
      `there is no folder ${project}`,
      "--project-dir names it",
      "Give a folder that exists.",
    );
  }
  return { project, paths: taskPaths(project, dir) };
}

/** How the list is to be judged. */
export function rulesOf(flags: TaskFlags): ReviewRules {
  const cap = flags.reviewCap ?? String(DEFAULT_RULES.reviewCap);
  if (!/^[1-9]\d{0,5}$/.test(cap)) {
    throw new UserError(
      "cannot understand the command line",
      "--review-cap takes a whole number of 1 or more",
      "Write for example --review-cap 5.",
    );
  }
  return { skipReview: flags.skipReview === true, reviewCap: Number(cap) };
}

/** The text of the list; a UserError when there is none. */
export function readList({ project, paths }: TaskPlace): string {
  const text = readProjectFile(project, paths.tasks);
  if (text !== undefined) return text;
  throw new UserError(
    "there is no task list",
    `${join(project, paths.tasks)} does not exist`,
    "Make one: ralph init --tasks",
  );
}

/** The list; a UserError when there is none that can be worked on. */
export function loadList(place: TaskPlace, rules: ReviewRules): TaskList {
  const text = readList(place);
  refuseUnfilled(place, text);
  const { list, faults } = checkList(text, rules);
  const [first] = faults;
  if (list !== undefined && first === undefined) return list;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : "";
  throw new UserError(
    `${place.paths.tasks} cannot be used`,
    oneLine(`${first?.path === "" ? "it" : (first?.path ?? "")} ${first?.message ?? ""}${more}`),
    "See all that is wrong with it: ralph tasks check",
  );
}

/** A template that nobody has filled in is no mistake of the list's, and gets better words than its faults. */
export function refuseUnfilled({ paths }: TaskPlace, text: string): void {
  const json = parseJson(text);
  if (!json.ok || !isUnfilled(json.value)) return;
  throw new UserError(
    `${paths.tasks} has no stories yet`,
    "nobody has filled in its template",
    `Write your stories into ${paths.tasks}, plan them with an agent (ralph plan), or take them from elsewhere: ralph tasks import`,
  );
}

/** A list is not changed under a run that works on it. */
export function refuseWhileActive({ project }: TaskPlace, what: string): void {
  const owner = holderOf(stateRoot(process.env), project);
  if (owner !== undefined) {
    throw new UserError(
      `cannot ${what} now`,
      `run ${owner.run} works in this folder`,
      "Wait until it has ended, or stop it: ralph stop",
    );
  }
  const active = markerOf(project);
  if (active === undefined || !isRunningSince(active.pid, Date.parse(active.timestamp))) return;
  throw new UserError(
    `cannot ${what} now`,
    `${ACTIVE_FILE} says that process ${active.pid} works in this folder`,
    `Wait until it has ended. If no run is under way, remove ${ACTIVE_FILE}.`,
  );
}

function nearest(dir: string): string {
  const here = process.cwd();
  for (let folder = here; ; folder = dirname(folder)) {
    if (existsSync(join(folder, dir, "tasks.json"))) return folder;
    if (folder === dirname(folder)) return here;
  }
}

/** A fault on one line that no terminal obeys: ids and titles are anybody's text. */
export function oneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+/g, " ").slice(0, 500);
}
