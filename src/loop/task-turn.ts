import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../errors.ts";
import type { LoopEvent, Step, TaskTurn } from "../events.ts";
import type { TaskWork } from "../spec.ts";
import { ACTIVE_FILE, snapshotOf } from "../tasks/active.ts";
import { overCap } from "../tasks/cap.ts";
import { checkList } from "../tasks/check.ts";
import { completion } from "../tasks/complete.ts";
import {
  readProjectBytes,
  readProjectFile,
  removeActive,
  type TaskPaths,
  taskPaths,
  writeActive,
} from "../tasks/files.ts";
import type { TaskList } from "../tasks/list.ts";
import { mergeList } from "../tasks/merge.ts";
import { reopen } from "../tasks/reopen.ts";
import { formatList } from "../tasks/schema.ts";
import { selectStory } from "../tasks/select.ts";
import { templates } from "../tasks/templates.ts";
import type { LoopState } from "./state.ts";
import { blockedAt, putBackFiles, putInPlace, readStanding } from "./task-files.ts";
import { asideFolder, keepAside, keepText, keptList, keptText } from "./task-store.ts";
import type { Workshop } from "./workshop.ts";

/** Nobody's id: what is edited between two iterations moves no story. */
const NOBODY = "";

/** What the next iteration is for: a story of the list, or nothing any more. */
export type Begun =
  | { readonly complete: string }
  | {
      readonly turn: TaskTurn;
      /** The base of its prompt. */
      readonly base: string;
      /** What ralph found out about it, which no feedback may replace. */
      readonly task: string;
    };

/** The task list of a run; undefined when its work is something else. */
export function tasksOf({ spec }: Pick<Workshop, "spec">): TaskWork | undefined {
  return spec.work.kind === "tasks" ? spec.work : undefined;
}

/** Takes up the list as it stands, selects the story, and says so in the project for hooks to read. */
export function beginTask(shop: Workshop, work: TaskWork, state: LoopState, iteration: number): Begun {
  const paths = taskPaths(shop.spec.project, work.dir);
  const trust = state.trust ?? startTrust(shop);
  const { list, text, notes } = takeUp(shop, work, paths, { trust, iteration });
  const name = keepText(shop, text);
  const selection = selectStory(list, work);
  if (selection.kind === "faulty") throw cannotGoOn(paths, selection.faults[0]?.message ?? "");
  if (selection.kind === "nothing") {
    if (completion(list, { promised: false, skipReview: work.skipReview }).kind === "complete") {
      return { complete: name };
    }
    throw cannotGoOn(paths, "no story of it can be worked on");
  }
  const { mode, story } = selection;
  if (blockedAt(shop.spec.project, ACTIVE_FILE) !== undefined) removeActive(shop.spec.project);
  writeActive(shop.spec.project, {
    timestamp: new Date(shop.clock.now()).toISOString(),
    pid: process.pid,
    max_iterations: shop.spec.limits.iterations,
    mode: shop.fenced ? "sandbox" : "direct",
    skipReview: work.skipReview,
    reviewCap: work.reviewCap,
    iterationMode: mode,
    preIterationSnapshot: snapshotOf(list),
  });
  const turn: TaskTurn = {
    mode,
    story: story.id,
    title: story.title,
    ...trust,
    list: name,
    ...(mode === "review" && work.reviewer !== undefined ? { reviewer: true } : {}),
  };
  const total = shop.spec.limits.iterations;
  return { turn, base: filled(basePrompt(shop, paths, turn), iteration, total), task: taskText() };

  function taskText(): string {
    const title = JSON.stringify(story.title);
    return [
      "## This iteration, as ralph determined it",
      "",
      `Mode: ${mode}. Story: ${story.id}, ${title}.`,
      work.skipReview
        ? "Reviews are switched off: set `passes: true` yourself once the verify commands pass."
        : `Reviews of it so far: ${story.reviewCount} of at most ${work.reviewCap}.`,
      "If you cannot go on without a person, end with <blocked>what is needed</blocked>.",
      ...notes.map((note) => `- ${note}`),
    ].join("\n");
  }
}

interface TakenUp {
  readonly list: TaskList;
  readonly text: string;
  readonly notes: readonly string[];
}

/** The list with what may be changed between two iterations: everything but how far its stories are. The rest is put back. */
function takeUp(
  shop: Workshop,
  work: TaskWork,
  paths: TaskPaths,
  { trust, iteration }: { trust: Trust; iteration: number },
): TakenUp {
  const { project } = shop.spec;
  const before = keptList(shop, trust.list);
  const standing = readStanding(project, paths.tasks);
  const how = { mode: "implement", story: NOBODY, skipReview: work.skipReview } as const;
  const { list, undone } =
    standing.fault === undefined
      ? mergeList(before, standing.value, how)
      : { list: before, undone: [`${standing.fault}.`] };
  const folder = asideFolder(shop, iteration);
  const files = putBackFiles(shop, paths, trust, (path, bytes) => keepAside(folder, path, bytes));
  const words = [...files, ...undone].map((one) => `Changed outside of an iteration, and put back: ${one}`);
  if (undone.length > 0 && standing.text !== "") keepAside(folder, paths.tasks, standing.text);
  const notes = existsSync(folder) ? [...words, `What was undone is kept in ${folder}`] : words;
  if (undone.length === 0) return { list, text: standing.text, notes };
  const text = list === before ? keptText(shop, trust.list) : formatList(list);
  putInPlace(project, paths.tasks, text);
  return { list, text, notes };
}

/** Checks run what agents wrote: what one did to the list and its files is undone before anybody looks. Says what that was. */
export function mendList(shop: Workshop, { trust, iteration }: LoopState): readonly string[] {
  const work = tasksOf(shop);
  if (work === undefined) return [];
  const paths = taskPaths(shop.spec.project, work.dir);
  return takeUp(shop, work, paths, { trust: trust ?? startTrust(shop), iteration }).notes;
}

type Trust = NonNullable<LoopState["trust"]>;

const START = "start.json";

/**
 * Remembers the list and its files as they stand when their user has the word: when a run begins, and when one that had ended
 * goes on. A list that cannot be worked on is a UserError.
 */
export function rememberTasks(shop: Pick<Workshop, "spec" | "folder">): void {
  const work = tasksOf(shop);
  if (work === undefined) return;
  const { project } = shop.spec;
  const paths = taskPaths(project, work.dir);
  const blocked = blockedAt(project, paths.tasks);
  if (blocked !== undefined && blocked !== paths.tasks) {
    throw new UserError(
      `${blocked} cannot hold the task list`,
      "it is a link, and what ralph writes goes through none",
      "Give the folder itself with --ralph-dir, or put one in its place.",
    );
  }
  const text = readProjectFile(project, paths.tasks) ?? "";
  const { list, faults } = checkList(text, work);
  const [first] = faults;
  if (list === undefined || first !== undefined) {
    throw cannotGoOn(paths, `${first?.path ?? ""} ${first?.message ?? ""}`.trim());
  }
  const over = overCap(list, work);
  if (over !== undefined) throw cannotGoOn(paths, over);
  const take = (path: string) => {
    const found = readProjectBytes(project, path);
    return found === undefined ? undefined : keepText(shop, found);
  };
  // JSON leaves out what is undefined.
  const start = { list: keepText(shop, text), prd: take(paths.prd), prompt: take(paths.prompt) };
  const path = join(shop.folder.folder, "tasks", START);
  writeFileSync(path, JSON.stringify(start), { mode: 0o600, flush: true });
}

function startTrust({ folder }: Pick<Workshop, "folder">): Trust {
  return JSON.parse(readFileSync(join(folder.folder, "tasks", START), "utf8")) as Trust;
}

/** Without a prompt of its own a list is worked on with ours. */
function basePrompt(shop: Workshop, paths: TaskPaths, { prompt }: TaskTurn): string {
  if (prompt !== undefined) return keptText(shop, prompt);
  const unused = { project: "", date: "", branch: "" };
  return templates({ ...unused, dir: paths.dir })["prompt.md"];
}

/** The two variables that a prompt may use, in both of the ways in which people write them. */
function filled(prompt: string, iteration: number, total: number): string {
  const values: Readonly<Record<string, number>> = {
    RALPH_ITERATION: iteration,
    RALPH_MAX_ITERATIONS: total,
  };
  const variable = /\$(?:\{(RALPH_(?:MAX_ITERATIONS|ITERATION))\}|(RALPH_(?:MAX_ITERATIONS|ITERATION))\b)/g;
  return prompt.replace(variable, (_all, braced?: string, bare?: string) =>
    String(values[braced ?? bare ?? ""] ?? ""),
  );
}

/** Opens a story again: the checks have the last word. */
export function reopenStory(
  shop: Workshop,
  step: Extract<Step, { do: "reopen-story" }>,
  state: LoopState,
): LoopEvent {
  const work = tasksOf(shop);
  if (work === undefined || state.trust === undefined) throw new Error("there is no task list to reopen");
  const failing = state.feedback.map(({ gate, verdict }) => {
    const how = verdict.reason ?? `exit code ${verdict.exitCode}`;
    return `"${shop.spec.gates[gate]?.name ?? ""}" (${how})`;
  });
  const why = `Checks that ralph ran failed: ${failing.join(", ")}. Make them pass.`;
  const opened = reopen(keptList(shop, state.trust.list), { story: step.story, why }, work);
  if (opened === undefined) throw new Error("there is no finished story to reopen");
  const text = formatList(opened.list);
  const list = keepText(shop, text);
  putInPlace(shop.spec.project, taskPaths(shop.spec.project, work.dir).tasks, text);
  const { iteration } = step;
  return {
    type: "story.reopened",
    at: shop.clock.now(),
    run: shop.run,
    iteration,
    story: opened.story,
    list,
  };
}

function cannotGoOn({ tasks }: TaskPaths, why: string): UserError {
  return new UserError(
    `${tasks} cannot be worked on`,
    why.replace(/\s+/g, " ").slice(0, 500),
    "See all that is wrong with it: ralph tasks check",
  );
}
