import { UserError } from "../errors.ts";
import type { LoopEvent } from "../events.ts";
import type { RunFolder } from "../journal/paths.ts";
import { isFinished } from "../tasks/complete.ts";
import type { RunSummary, TaskProgress } from "./summary.ts";
import { runTasks } from "./task-records.ts";
import { keptList } from "./task-store.ts";

/** How far a run on a task list has come, by its events and the list that it believes; undefined for other work. */
export function taskProgress(
  folder: RunFolder,
  events: readonly LoopEvent[],
  { status, phase }: Pick<RunSummary, "status" | "phase">,
): TaskProgress | undefined {
  const tasks = runTasks(events);
  if (tasks === undefined) return undefined;
  const turn = events.findLast((event) => event.type === "iteration.started")?.task;
  const underWay = status === "running" && phase !== "baseline" && phase !== "ready";
  return {
    ...counts(folder, tasks),
    ...(turn === undefined
      ? {}
      : { turn: { mode: turn.mode, story: turn.story, title: turn.title, underWay } }),
  };
}

function counts(
  folder: RunFolder,
  { work, list }: NonNullable<ReturnType<typeof runTasks>>,
): Pick<TaskProgress, "stories" | "finished"> {
  const { stories, open } = work.budget;
  const atStart = { stories, finished: stories - open };
  if (list === undefined) return atStart;
  try {
    const { userStories } = keptList({ folder }, list);
    const finished = userStories.filter((story) => isFinished(story, work.skipReview)).length;
    return { stories: userStories.length, finished };
  } catch (error) {
    if (error instanceof UserError) return atStart; // its copy was damaged, which the run itself will tell
    throw error;
  }
}
