import type { Action, Script, ScriptedTurn } from "ralph-proof/testing";
import type { LoopEvent, TaskResult, TaskTurn } from "../../src/events.ts";
import type { Story, TaskList } from "../../src/tasks/list.ts";
import { story } from "../tasks/support.ts";
import { makeWorld, ofType, type World } from "./support.ts";

/** Edits the list as an agent would: `s(id)` is a story, `list` the whole. */
const EDIT = `#!/usr/bin/env node
const fs = require("node:fs");
const path = process.env.TASKS_FILE ?? "ralph/tasks.json";
const list = JSON.parse(fs.readFileSync(path, "utf8"));
const s = (id) => list.userStories.find((story) => story.id === id);
eval(process.argv[2]);
fs.writeFileSync(path, JSON.stringify(list, null, 2) + "\\n");
`;

export interface TaskWorld extends World {
  list(): TaskList;
  story(id: string): Story;
  /** The iterations so far: what each was for. */
  turns(): TaskTurn[];
  results(): TaskResult[];
}

/** A project in git with a task list of these stories. */
export function makeTaskWorld(
  stories: readonly Story[] = [story("US-001")],
  rest: Partial<TaskList> & { git?: boolean } = {},
): TaskWorld {
  const { git = true, ...fields } = rest;
  return withTaskList(makeWorld({ git }), stories, { ...fields, git });
}

/** Puts a task list into the project of a world, and commits it where there is git. */
export function withTaskList<W extends World>(
  world: W,
  stories: readonly Story[],
  { git = true, ...fields }: Partial<TaskList> & { git?: boolean } = {},
): W & TaskWorld {
  const list: TaskList = {
    project: "p",
    branchName: "",
    description: "",
    verifyCommands: ["true"],
    userStories: stories,
    ...fields,
  };
  world.write("ralph/tasks.json", `${JSON.stringify(list, null, 2)}\n`);
  world.write("ralph/prd.md", "# What is to be built\n");
  world.write("ralph/progress.txt", "# Ralph Progress Log\n");
  world.write("ralph/prompt.md", "Iteration $RALPH_ITERATION of $RALPH_MAX_ITERATIONS: work on the list.\n");
  world.write(".gitignore", ".ralph-active\n.ralph/\n");
  if (git) {
    world.git("add", "--all");
    world.git("commit", "--quiet", "-m", "the list");
  }
  world.install("edit", `exec ${process.execPath} ${world.home}/edit.cjs "$@"`);
  world.write("../edit.cjs", EDIT);
  const started = () => ofType<LoopEvent, "iteration.started">(world.journal(), "iteration.started");
  return {
    ...world,
    list: () => JSON.parse(world.read("ralph/tasks.json")) as TaskList,
    story(id) {
      const found = (JSON.parse(world.read("ralph/tasks.json")) as TaskList).userStories.find(
        (one) => one.id === id,
      );
      if (found === undefined) throw new Error(`there is no story ${id}`);
      return found;
    },
    turns: () => started().flatMap(({ task }) => (task === undefined ? [] : [task])),
    results: () =>
      ofType<LoopEvent, "agent.exited">(world.journal(), "agent.exited").flatMap(({ tasks }) =>
        tasks === undefined ? [] : [tasks],
      ),
  };
}

/** Edits the list. */
export function edit(code: string): Action {
  return { run: `edit '${code}'` };
}

/** Commits everything, as the prompt asks. */
export function commit(message: string): Action {
  return { run: `git add --all && git commit --quiet -m '${message}'` };
}

/** A turn that implements a story and hands it in. */
export function implement(id: string, rest: Partial<ScriptedTurn> = {}): ScriptedTurn {
  return {
    actions: [
      { write: `${id}.txt`, text: `work on ${id}\n` },
      edit(`s("${id}").reviewStatus = "needs_review"; s("${id}").notes = "done"`),
      commit(`feat: [${id}] - it`),
    ],
    final: "Implemented.",
    ...rest,
  };
}

/** A turn that reviews a story. */
export function review(id: string, verdict: string, final = "Reviewed."): ScriptedTurn {
  const fields =
    verdict === "approved"
      ? `t.reviewStatus = "approved"; t.passes = true`
      : `t.reviewStatus = "changes_requested"; t.reviewFeedback = "${verdict}"`;
  return {
    actions: [edit(`const t = s("${id}"); t.reviewCount += 1; ${fields}`), commit(`review: [${id}]`)],
    final,
  };
}

/** A turn that addresses the feedback of a review. */
export function fix(id: string): ScriptedTurn {
  return {
    actions: [
      { run: `echo mended >> ${id}.txt` },
      edit(`s("${id}").reviewStatus = "needs_review"; s("${id}").reviewFeedback = ""`),
      commit(`fix: [${id}] - address review feedback`),
    ],
    final: "Mended.",
  };
}

/** A scripted agent that is put into the settings. */
export function playing(
  world: World,
  turns: readonly ScriptedTurn[],
  rest: Omit<Script, "turns"> = {},
  settings = {},
) {
  return world.speaking({ ...rest, turns }, settings);
}
