import { realpathSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { split } from "shlex";
import { messageOf } from "../errors.ts";
import { isRuntimeFile } from "../files.ts";
import type { ScmSpec } from "../spec.ts";
import { exec } from "../supervise/exec.ts";
import { type GitOptions, git, gitError, untrackedFiles } from "./git.ts";
import { guardEnvironment, type Programs } from "./guard.ts";

/** What became of the scm tasks of one iteration. */
export interface ScmResult {
  readonly commit?: string;
  readonly nothingToCommit?: boolean;
  readonly error?: string;
}

export interface ScmRequest {
  readonly scm: ScmSpec;
  readonly project: string;
  /** Blank when there is nothing to commit. */
  readonly message: string;
  /** `<run>/<iteration>`: by this trailer a commit is found again after a crash, instead of being made twice. */
  readonly mark: string;
  /** HEAD when the commit was announced. What carries the trailer before it was made by somebody else. */
  readonly after?: string | undefined;
  /** The top of the work tree, when the project is in one. */
  readonly top?: string | undefined;
  /** The programs that the repository's config named before the run: filters that a commit must obey. */
  readonly programs?: Programs;
  /** Files that were there, untracked, before the run: the user's, never ours to commit. Relative to `top`. */
  readonly untrackedBefore: ReadonlySet<string>;
  /** Aborted when the run must end at once. */
  readonly signal: AbortSignal;
}

/** A push over a slow line takes its time; one that asks for a password never ends. */
const TASK_WALL_MS = 10 * 60_000;

/** So long another git may hold the index: the user's, or one of ours that outlived a killed run. */
const INDEX_HELD_MS = 10_000;
const POLL_MS = 100;

/** Is the scm program git itself? Only then do we know how to add files and to look a commit up. */
export function isGit(scm: ScmSpec): boolean {
  return /^git(\.exe)?$/.test(basename(scm.command));
}

/** Does the run ask for a commit, and is there anything to commit? */
export async function hasSomethingToCommit(
  request: Omit<ScmRequest, "message" | "mark" | "after" | "signal">,
): Promise<boolean> {
  if (!request.scm.tasks.some(isCommit)) return false;
  if (!isGit(request.scm)) return true;
  const options = await guarded(request).catch(() => undefined);
  if (options === undefined) return true; // the commit will say what is wrong
  const tracked = await git(request.project, ["status", "--porcelain", "--untracked-files=no"], options);
  if (tracked.code !== 0 || tracked.stdout !== "") return true;
  return (await newFiles(request)).length > 0;
}

/** Runs the tasks in order; the first one that fails ends them. Never throws: an scm that fails does not end a run. */
export async function runScm(request: ScmRequest): Promise<ScmResult> {
  let done: ScmResult = {};
  for (const task of request.scm.tasks) {
    done = { ...done, ...(await runTask(request, task)) };
    if (done.error !== undefined) return done;
  }
  return done;
}

async function runTask(request: ScmRequest, task: string): Promise<ScmResult> {
  try {
    return isCommit(task) ? await commit(request) : await plainTask(request, task);
  } catch (error) {
    return { error: `${request.scm.command} ${task}: ${messageOf(error)}` }; // words that cannot be split
  }
}

/** Makes the commit. While another git holds the index it waits, and then looks first whether that one made it. */
async function commit(request: ScmRequest): Promise<ScmResult> {
  const deadlineMs = performance.now() + INDEX_HELD_MS;
  for (;;) {
    const result = await tryCommit(request);
    const isHeld = result.error?.includes("index.lock") === true;
    if (!isHeld || performance.now() > deadlineMs || request.signal.aborted) return result;
    await sleep(POLL_MS, undefined, { signal: request.signal }).catch(() => {}); // a stop: one last try
  }
}

async function tryCommit(request: ScmRequest): Promise<ScmResult> {
  if (request.message === "") return { nothingToCommit: true };
  const message = `${request.message}\n\nRalph-Run: ${request.mark}`;
  if (!isGit(request.scm)) {
    const result = await runProgram(request, ["commit", "-am", message]);
    return result === undefined ? {} : { error: `${request.scm.command} commit: ${result}` };
  }
  const made = await findCommit(request);
  if (made !== undefined) return { commit: made };
  const fresh = await newFiles(request);
  const options = await guarded(request);
  if (fresh.length > 0) {
    const added = await git(
      topOf(request),
      ["--literal-pathspecs", "add", "--pathspec-from-file=-", "--pathspec-file-nul"],
      { ...options, stdin: fresh.join("\0") },
    );
    if (added.code !== 0) return { error: `git add: ${gitError(added)}` };
  }
  const committed = await git(request.project, ["commit", "-am", message], {
    ...options,
    ...bounds(request),
  });
  if (committed.code !== 0) {
    const clean = await git(request.project, ["status", "--porcelain", "--untracked-files=no"], options);
    if (clean.code === 0 && clean.stdout === "") {
      const theirs = await findCommit(request); // a git of ours that outlived a killed run was faster
      return theirs === undefined ? { nothingToCommit: true } : { commit: theirs };
    }
    return { error: `git commit: ${gitError(committed)}` };
  }
  const head = await git(request.project, ["rev-parse", "HEAD"], program(request.scm));
  return { commit: head.stdout.trim() };
}

async function plainTask(request: ScmRequest, task: string): Promise<ScmResult> {
  const words = split(task);
  const error = isGit(request.scm)
    ? await git(request.project, words, { ...(await guarded(request)), ...bounds(request) }).then((result) =>
        result.code === 0 ? undefined : gitError(result),
      )
    : await runProgram(request, words);
  return error === undefined ? {} : { error: `${request.scm.command} ${task}: ${error}` };
}

async function runProgram(request: ScmRequest, args: readonly string[]): Promise<string | undefined> {
  const [file = request.scm.command, ...first] = split(request.scm.command);
  const result = await exec(file, [...first, ...args], {
    cwd: request.project,
    env: process.env,
    ...bounds(request),
  });
  return result.code === 0 ? undefined : gitError(result);
}

/** The commit that an earlier try at this very iteration made, if it got so far. */
async function findCommit(request: ScmRequest): Promise<string | undefined> {
  const log = await git(
    request.project,
    [
      "log",
      ...(request.after === undefined ? [] : [`${request.after}..HEAD`]),
      "-n",
      "1",
      "--format=%H",
      "--extended-regexp",
      `--grep=${wholeLine(`Ralph-Run: ${request.mark}`)}`,
    ],
    program(request.scm),
  );
  return log.code === 0 && log.stdout.trim() !== "" ? log.stdout.trim() : undefined;
}

/** A pattern for a line that is this and nothing more: iteration 1 is not found in the commit of iteration 10. */
function wholeLine(text: string): string {
  return `^${text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$`;
}

async function newFiles(request: Where & Pick<ScmRequest, "untrackedBefore">): Promise<string[]> {
  const top = topOf(request);
  const untracked = await untrackedFiles(top);
  return untracked.filter((name) => {
    const inProject = relative(realpathSync(request.project), join(realpathSync(top), name));
    return !request.untrackedBefore.has(name) && !isRuntimeFile(inProject);
  });
}

type Where = Pick<ScmRequest, "project" | "top" | "programs" | "scm">;

function topOf(request: Pick<ScmRequest, "project" | "top">): string {
  return request.top ?? request.project;
}

/** Options for the gits that obey programs named in the repository's config: only those that were there before the run. */
async function guarded(request: Where): Promise<GitOptions> {
  const env = await guardEnvironment(request.project, request.programs ?? new Map());
  if (env === undefined) throw new Error("git cannot read the repository's configuration");
  return { ...program(request.scm), env };
}

function isCommit(task: string): boolean {
  return task.trim() === "commit";
}

function bounds(request: ScmRequest): { wallMs: number; signal: AbortSignal } {
  return { wallMs: TASK_WALL_MS, signal: request.signal };
}

function program(scm: ScmSpec): { program: string } {
  return { program: scm.command };
}
