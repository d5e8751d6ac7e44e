import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { LoopEvent } from "../../src/events.ts";
import { type Life, live, processesOf, wholeLines } from "./life.ts";
import type { Plan } from "./plan.ts";
import { git, type Project } from "./project.ts";

/** What a run came to, free of all that may differ from one run to another. */
export interface Result {
  readonly code: number | null;
  readonly ended: object;
  /** Everything that happened, once each, in order. */
  readonly happened: readonly object[];
  /** The trailers of the commits, newest first, and what they hold. */
  readonly commits: readonly string[];
  readonly files: string;
  readonly wallMs: number;
}

/** What became of one plan. */
export interface Trial {
  readonly plan: Plan;
  readonly lives: number;
  readonly kills: number;
  /** What was not as it must be. Empty is what we want. */
  readonly violations: readonly string[];
  readonly result?: Result;
}

/** The most processes that one run may take: more is a crash loop. */
const MOST_LIVES = 12;

/** Runs a loop, kills it as planned, resumes it until it ends, and says what is not as in the unbroken run. */
export async function tryPlan(at: Project, plan: Plan, unbroken?: Result): Promise<Trial> {
  const violations: string[] = [];
  const lives: Life[] = [];
  let journal: Journal = { run: "", lines: [] };
  while (!isOver(journal) && lives.length < MOST_LIVES) {
    const args = journal.lines.length === 0 ? ["run", "-p", "do the work"] : ["resume", journal.run];
    const life = await live(at, args, plan.kills[lives.length]);
    lives.push(life);
    const now = readNewest(at);
    if (!isPrefix(journal.lines, now.lines)) violations.push("an event that was on disk is gone or changed");
    const lost = life.told.filter((line) => !now.lines.includes(line));
    if (lost.length > 0) violations.push(`an event that was acknowledged is lost: ${lost[0]}`);
    journal = now;
    if (!life.killed && !isOver(journal)) {
      violations.push(`life ${lives.length} ended by itself with ${life.code}: ${life.stderr.trim()}`);
      break;
    }
  }
  const last = lives.at(-1);
  const left = processesOf(at);
  if (left.length > 0) violations.push(`processes are left: ${left.map(describe).join("; ")}`);
  if (last?.killed === false && isLocked(at)) violations.push("the lock is left");
  const kills = lives.filter((life) => life.killed).length;
  if (last === undefined || !isOver(journal)) {
    return { plan, lives: lives.length, kills, violations: [...violations, "it never ended"] };
  }
  const wallMs = lives.reduce((sum, life) => sum + life.wallMs, 0);
  const damaged = journal.lines.findIndex((line) => !isJson(line)) + 1;
  if (damaged > 0) violations.push(`line ${damaged} of the journal is damaged`);
  if (damaged > 0) return { plan, lives: lives.length, kills, violations };
  const result = resultOf(at, journal, { code: last.killed ? null : last.code, wallMs });
  if (unbroken !== undefined) violations.push(...differences(result, unbroken));
  return { plan, lives: lives.length, kills, violations, result };
}

interface Journal {
  readonly run: string;
  readonly lines: readonly string[];
}

/** The journal of the newest run that began. One that died before its first event was on disk never was. */
function readNewest(at: Project): Journal {
  const projects = join(at.state, "projects");
  const [name] = existsSync(projects) ? readdirSync(projects) : [];
  if (name === undefined) return { run: "", lines: [] };
  const journals = readdirSync(join(projects, name))
    .filter((run) => /^\d/.test(run))
    .sort()
    .map((run) => ({ run, path: join(projects, name, run, "journal.ndjson") }))
    .map(({ run, path }) => ({ run, lines: existsSync(path) ? wholeLines(readFileSync(path, "utf8")) : [] }))
    .filter(({ lines }) => lines.length > 0);
  return journals.at(-1) ?? { run: "", lines: [] };
}

function isOver(journal: Journal): boolean {
  return journal.lines.at(-1)?.includes('"type":"run.ended"') === true;
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

function isPrefix(before: readonly string[], after: readonly string[]): boolean {
  return before.every((line, index) => line === after[index]);
}

function isLocked(at: Project): boolean {
  const projects = join(at.state, "projects");
  return readdirSync(projects, { recursive: true, encoding: "utf8" }).some((path) =>
    /\/lock[^/]*$/.test(path),
  );
}

function resultOf(at: Project, journal: Journal, how: { code: number | null; wallMs: number }): Result {
  const events = journal.lines.map((line) => JSON.parse(line) as LoopEvent);
  const last = events.at(-1);
  if (last?.type !== "run.ended") throw new Error("the journal has no end");
  const { outcome, iterations, usage, costUsd, tokens } = last;
  return {
    ...how,
    ended: { outcome, iterations, usage, costUsd, tokens },
    happened: events.filter(isOfTheWork).map(essence),
    commits: git(at, "log", "--format=%s %(trailers:key=Ralph-Run,valueonly,separator=%x2C) %T")
      .replaceAll(journal.run, "RUN")
      .trim()
      .split("\n"),
    files: git(at, "status", "--porcelain"),
  };
}

/** A turn that was cut off starts once more, and is told so; everything else happens once. */
function isOfTheWork(event: LoopEvent): boolean {
  return event.type !== "run.resumed" && event.type !== "agent.started";
}

/** An event without what differs from run to run: times, names of the run and of its commits. */
function essence(event: LoopEvent): object {
  const rest: Record<string, unknown> = { ...event };
  for (const key of ["at", "run", "spec", "wallMs", "commit", "head", "snapshotPath"]) delete rest[key];
  if (event.type === "gate.judged") rest["verdict"] = { ...event.verdict, wallMs: 0 };
  return rest;
}

function differences(result: Result, unbroken: Result): string[] {
  const keys = ["ended", "happened", "commits", "files"] as const;
  const found = keys
    .filter((key) => !isDeepStrictEqual(result[key], unbroken[key]))
    .map((key) => `${key}: ${firstOther(result[key], unbroken[key])}`);
  // One that was killed after its last record has no exit code to compare.
  const isOther = result.code !== null && result.code !== unbroken.code;
  return isOther ? [...found, `exit code ${result.code} instead of ${unbroken.code}`] : found;
}

/** Of two lists the first entries that differ, and of anything else both. */
function firstOther(one: unknown, other: unknown): string {
  const isList = Array.isArray(one) && Array.isArray(other);
  const at = isList ? one.findIndex((entry, n) => !isDeepStrictEqual(entry, other[n])) : -1;
  const [is, was] = isList && at >= 0 ? [one[at], other[at]] : [one, other];
  return `${JSON.stringify(is)} instead of ${JSON.stringify(was)}`;
}

function describe(pid: string): string {
  try {
    return `${pid} ${readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")}`;
  } catch {
    return pid;
  }
}
