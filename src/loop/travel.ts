import type { LoopEvent } from "../events.ts";

/** A snapshot that a run took, and what HEAD stood on then; or why there is none. */
export type Found =
  | { readonly tree: string; readonly head?: string; readonly branch?: string; readonly position: number }
  | { readonly missing: "iteration" }
  | { readonly missing: "snapshot"; readonly why: string };

/** A rollback as the run's folder remembers it. */
export interface Rollback {
  readonly id: string;
  readonly at: number;
  /** How many events the journal held then: its place in the run's history, whatever the clock says. */
  readonly events: number;
  /** What stood there, and what it was to become. */
  readonly from: string;
  readonly to: string;
  /** Where it went, for people: "before iteration 2". */
  readonly words: string;
  /** The rollback that this one takes back. */
  readonly undoes?: string;
  /** What stood there when it was done. Absent: it was cut short. */
  readonly after?: string;
}

/** A time in which nobody but the user worked, between two trees. */
export interface Gap {
  readonly known: string;
  readonly seen: string;
  /** A rollback to this tree was cut short at its beginning. */
  readonly half?: string;
}

type Started = Extract<LoopEvent, { type: "iteration.started" }>;

/** The iterations that a run began, in order. */
export function iterationsOf(events: readonly LoopEvent[]): number[] {
  return [...new Set(events.filter(isStarted).map((event) => event.iteration))].sort((a, b) => a - b);
}

/**
 * What stood there before an iteration: before its first try. One that was held back, stopped or cut short begins again with
 * half of its work done, and that is not what anybody wants back.
 */
export function beforeIteration(events: readonly LoopEvent[], iteration: number): Found {
  const position = events.findIndex((event) => isStarted(event) && event.iteration === iteration);
  return foundAt(events, position);
}

/** What an iteration left behind; undefined while nothing came after it. */
export function afterIteration(events: readonly LoopEvent[], iteration: number): Found | undefined {
  const last = events.findLastIndex((event) => isStarted(event) && event.iteration === iteration);
  if (last < 0) return { missing: "iteration" };
  const next = events.findIndex((event, at) => at > last && (isStarted(event) || event.type === "run.ended"));
  return next < 0 ? undefined : foundAt(events, next);
}

function foundAt(events: readonly LoopEvent[], position: number): Found {
  const event = events[position];
  if (event?.type !== "iteration.started" && event?.type !== "run.ended") return { missing: "iteration" };
  const { snapshot, snapshotFault = "the run kept no snapshots", head, branch } = event;
  if (snapshot === undefined) return { missing: "snapshot", why: snapshotFault };
  return {
    tree: snapshot,
    position,
    ...(head === undefined ? {} : { head }),
    ...(branch === undefined ? {} : { branch }),
  };
}

/** Rollbacks that nobody has taken back, in order. */
export function standingRollbacks(all: readonly Rollback[]): Rollback[] {
  const undone = new Set<string>();
  for (const one of [...all].reverse()) {
    if (one.undoes !== undefined && !undone.has(one.id)) undone.add(one.undoes);
  }
  return all.filter((one) => !undone.has(one.id));
}

/** The rollback that `undo` takes back: the last that stands and is not itself one. */
export function toUndo(all: readonly Rollback[]): Rollback | undefined {
  return standingRollbacks(all).findLast((one) => one.undoes === undefined);
}

/** The undo that can be taken back: only while nothing came after it. */
export function toRedo(all: readonly Rollback[]): Rollback | undefined {
  const last = all.at(-1);
  const undone = all.find((one) => one.id === last?.undoes);
  return undone?.undoes === undefined && undone !== undefined ? last : undefined;
}

/** From when on the user's work counts: from an event, or from a rollback on. */
export type Since = { readonly position: number } | { readonly rollback: string };

/**
 * The times since a moment in which only the user worked: between the end of the run and the next thing that ralph did. While
 * the run was under way, and after one that was cut short, nobody can tell: then it counts as the run's.
 */
export function gapsSince(
  history: { readonly events: readonly LoopEvent[]; readonly rollbacks: readonly Rollback[] },
  since: Since,
  present: string,
): Gap[] {
  const gaps: Gap[] = [];
  let isDue = false;
  let known: Pick<Gap, "known" | "half"> | undefined;
  const see = (seen: string | undefined) => {
    if (isDue && known !== undefined && seen !== undefined && seen !== known.known)
      gaps.push({ ...known, seen });
    known = undefined;
  };
  const goBack = (one: Rollback) => {
    see(one.from);
    if ("rollback" in since && since.rollback === one.id) isDue = true;
    known = one.after === undefined ? { known: one.from, half: one.to } : { known: one.after };
  };
  history.events.forEach((event, position) => {
    for (const one of history.rollbacks) if (one.events === position) goBack(one);
    if ("position" in since && since.position === position) isDue = true;
    if (event.type === "run.resumed") see(event.snapshot);
    if (event.type === "run.ended")
      known = event.snapshot === undefined ? undefined : { known: event.snapshot };
  });
  for (const one of history.rollbacks) if (one.events >= history.events.length) goBack(one);
  see(present);
  return gaps;
}

function isStarted(event: LoopEvent): event is Started {
  return event.type === "iteration.started";
}
