import type { LoopEvent } from "../events.ts";
import type { TaskWork } from "../spec.ts";
import type { IterationRecord } from "../tasks/stats.ts";
import { evolve } from "./evolve.ts";
import { INITIAL } from "./state.ts";

/**
 * What a run's turns on a task list were for and what they cost, in their order: the agent, judges and the wording of commits. A
 * turn that was not charged is told too, for it was paid. Pure.
 */
export function iterationRecords(events: readonly LoopEvent[]): IterationRecord[] {
  const turns: (IterationRecord & { readonly iteration: number; costUsd: number; again: boolean })[] = [];
  let current: (typeof turns)[number] | undefined;
  for (const event of events) {
    if (event.type === "iteration.started") {
      // A number that is given again was not charged before.
      for (const turn of turns) turn.again ||= turn.iteration >= event.iteration;
      const { task, iteration } = event;
      current =
        task === undefined
          ? undefined
          : { story: task.story, mode: task.mode, costUsd: 0, iteration, again: false };
    } else if (event.type === "done.found") {
      current = undefined; // what is judged now belongs to no story
    } else if (current !== undefined && "usage" in event && event.type !== "run.ended") {
      if (event.type === "agent.exited") turns.push(current);
      current.costUsd += event.usage?.costUsd ?? 0;
    }
  }
  const { iteration: charged } = events.reduce(evolve, INITIAL);
  return turns.map(({ iteration, again, ...record }) =>
    again || iteration > charged ? { ...record, uncharged: true } : record,
  );
}

/** The task list of a run, and the stories that ralph approved in it because their reviews were used up. */
export interface RunTasks {
  readonly work: TaskWork;
  /** The list that is believed last, by its SHA-256; absent before the first iteration. */
  readonly list?: string;
  readonly capped: readonly string[];
}

/** What the events of a run tell of its task list; undefined when its work is something else. Pure. */
export function runTasks(events: readonly LoopEvent[]): RunTasks | undefined {
  const [first] = events;
  if (first?.type !== "run.started" || first.spec.work.kind !== "tasks") return undefined;
  const capped = new Set<string>();
  let list: string | undefined;
  let hasEnded = false;
  for (const event of events) {
    list = listIn(event) ?? list;
    // Whoever resumes a run that had ended has looked at the list, and it is taken as it stands.
    if (event.type === "run.resumed" && hasEnded) capped.clear();
    if (event.type === "story.reopened") capped.delete(event.story);
    if (event.type === "agent.exited") for (const id of event.tasks?.capped ?? []) capped.add(id);
    hasEnded = event.type === "run.ended";
  }
  return { work: first.spec.work, ...(list === undefined ? {} : { list }), capped: [...capped] };
}

function listIn(event: LoopEvent): string | undefined {
  switch (event.type) {
    case "iteration.started":
      return event.task?.list;
    case "agent.exited":
      return event.tasks?.list;
    case "done.found":
    case "story.reopened":
      return event.list;
    default:
      return undefined;
  }
}
