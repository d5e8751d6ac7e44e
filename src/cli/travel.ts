import { UserError } from "../errors.ts";
import type { LoopEvent } from "../events.ts";
import { runFolder, stateRoot } from "../journal/paths.ts";
import { readJournal } from "../journal/read.ts";
import { readRollbacks } from "../journal/rollbacks.ts";
import { afterIteration, beforeIteration, type Found, iterationsOf, type Rollback } from "../loop/travel.ts";
import { knownShadow, type Shadow } from "../snapshot/shadow.ts";
import { lookAtPresent } from "../snapshot/take.ts";
import { cleanLine } from "../ui/clean.ts";
import { count } from "../ui/format.ts";
import { findRun } from "./find-run.ts";
import { projectHere } from "./project.ts";

/** A run and its snapshots. */
export interface Past {
  readonly project: string;
  readonly run: string;
  /** The run's own folder. */
  readonly folder: string;
  readonly events: readonly LoopEvent[];
  readonly rollbacks: readonly Rollback[];
  readonly shadow: Shadow;
}

/** A snapshot that is there. */
export type Moment = Extract<Found, { tree: string }>;

/** Opens the past of a run: the one that is asked for, or the newest of this project. */
export function openPast(asked: string | undefined): Past {
  const project = projectHere();
  const run = findRun(project, asked);
  const { folder, journal } = runFolder(stateRoot(process.env), project, run);
  const shadow = knownShadow(folder);
  const events = readJournal(journal);
  // Protected files need the store too: that it is there says nothing.
  if (shadow === undefined || isOff(events)) {
    const told = events.flatMap((event) =>
      "snapshotFault" in event && event.snapshotFault !== undefined ? [event.snapshotFault] : [],
    );
    throw new UserError(
      `run ${run} has no snapshots`,
      told[0] ??
        (isOff(events) ? "they were switched off (`snapshots`)" : "it had not come to its first iteration"),
      "Another run may have some: `ralph list` shows them, --of names one.",
    );
  }
  return { project, run, folder, events, rollbacks: readRollbacks<Rollback>(folder), shadow };
}

/** The snapshot before an iteration. */
export function momentBefore(past: Past, iteration: number): Moment {
  return there(past, iteration, beforeIteration(past.events, iteration));
}

/** The tree that an iteration left: what stands there now, when nothing came after it. */
export async function treeAfter(past: Past, iteration: number): Promise<string> {
  const found = afterIteration(past.events, iteration);
  return found === undefined ? presentTree(past) : there(past, iteration, found).tree;
}

/** What stands there now, without a trace. */
export async function presentTree({ shadow }: Past): Promise<string> {
  const present = await lookAtPresent(shadow);
  return must(present, "cannot take a snapshot of what stands there now").name;
}

/** The value, or the fault as an error of the user's. */
export function must<T extends object>(
  value: T | { readonly fault: string },
  what: string,
  fix = "Nothing was changed. Mend that, then try again.",
): Exclude<T, { fault: string }> {
  if ("fault" in value) throw new UserError(what, cleanLine(String(value.fault), 400, "…"), fix);
  return value as Exclude<T, { fault: string }>;
}

/** The number of an iteration, as it was typed. */
export function iterationOf(past: Past, typed: string): number {
  const number = /^\d{1,9}$/.test(typed) ? Number(typed) : 0;
  if (iterationsOf(past.events).includes(number)) return number;
  throw noSuch(past, typed);
}

/** The first and the last iteration that the run began. */
export function iterationsIn(past: Past): { readonly first: number; readonly last: number } {
  const all = iterationsOf(past.events);
  const [first, last] = [all[0], all.at(-1)];
  if (first !== undefined && last !== undefined) return { first, last };
  throw new UserError(
    `run ${past.run} changed nothing`,
    "it never began an iteration",
    "There is nothing to go back to.",
  );
}

/** A word of a command line that the user can copy. */
export function quote(word: string): string {
  return /^[\w./:@=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function there(past: Past, iteration: number, found: Found): Moment {
  if ("tree" in found) return found;
  if (found.missing === "iteration") throw noSuch(past, String(iteration));
  throw new UserError(
    `there is no snapshot for iteration ${iteration}`,
    cleanLine(found.why, 400, "…"),
    "Another iteration may have one: ralph diff shows what the run did.",
  );
}

function noSuch(past: Past, typed: string): UserError {
  const all = iterationsOf(past.events);
  return new UserError(
    `there is no iteration ${cleanLine(typed, 40, "…")}`,
    all.length === 0
      ? `run ${past.run} never began one`
      : `run ${past.run} has ${count(all.length, "iteration")}`,
    all.length === 0 ? "Name another run with --of." : `Give a number from ${all[0]} to ${all.at(-1)}.`,
  );
}

function isOff([first]: readonly LoopEvent[]): boolean {
  return first?.type === "run.started" && first.spec.snapshots === false;
}
