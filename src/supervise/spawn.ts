import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import { codeOf, messageOf } from "../errors.ts";
import type { ProcessMark } from "../events.ts";
import { commandLine } from "./command-line.ts";
import { type Covered, withoutInherited } from "./inherited.ts";
import type { Means } from "./means.ts";
import { HANDED_FD } from "./namespace.ts";
import { isGroupAlive, MARK_VARIABLE, startTicksOf } from "./proc.ts";
import { programEnd } from "./program-end.ts";
import { endRemote } from "./remote.ts";
import { Silence } from "./silence.ts";
import { ownSpaces, SPACES_VARIABLE } from "./spaces.ts";
import { endOthers, endTree } from "./tree.ts";
import { watchLimits } from "./watch.ts";

/** How long a tree is given between SIGTERM and SIGKILL. */
export const GRACE_MS = 5_000;

/** How long the streams may stay open once the tree is gone: whoever still holds them is not ours to wait for. */
const CLOSE_MS = 2_000;

export interface TreeRequest {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: string;
  /** May answer with a promise: until it resolves, nothing more is read, and the program waits in its own pipe. */
  readonly onStdout: (chunk: Buffer) => Promise<void> | undefined;
  readonly onStderr: (chunk: Buffer) => void;
  /** What holds the tree together; the process group when it is not said. */
  readonly means?: Means;
  /** A short command of our own: when its group is empty there is nothing more to look for. */
  readonly own?: true;
  /** The processes that may go on when the program has ended by itself. */
  readonly keep?: () => readonly number[];
  /** Ends the tree when it has run for so long. */
  readonly wallMs?: number;
  /** Ends the tree when neither stream had a byte for so long. 0: never. */
  readonly idleMs?: number;
}

export interface TreeExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly spawnError?: { readonly code: string; readonly message: string };
  /**
   * Set when ralph ended it: its time was up, it was silent, it did not go after its result, it used more than it may, or a stop
   * was asked for.
   */
  readonly endedBy?: "timeout" | "idle" | "lingering" | "limit" | "stopped";
  /** What was kept of it. */
  readonly kept?: Remains;
}

/** What goes on after the program has ended. */
export interface Remains {
  /** Ends all of it. */
  end(graceMs: number): Promise<unknown>;
}

/** A program and everything below it, as one thing that runs and ends. */
export interface Tree {
  /** Undefined when it could not be started. */
  readonly process?: ProcessMark;
  /** Settles when the program and all that it left behind are gone. Never rejects. */
  readonly exited: Promise<TreeExit>;
  /** Ends it before its time. */
  stop(graceMs: number): void;
  /** From now on a silence of so long means that it is done and merely does not go; 0 goes back to `idleMs`. */
  linger(ms: number): void;
}

/** Starts a program as a tree of its own, marked so that whatever it starts can be found again. */
export function spawnTree(request: TreeRequest): Tree {
  const mark = randomBytes(9).toString("hex");
  const line = commandLine(request, mark);
  if (line.absent === true) {
    return { exited: Promise.resolve(notStarted(absent(request.file))), stop: () => {}, linger: () => {} };
  }
  const pipes = Array<"pipe">(line.keeper ? HANDED_FD : 3).fill("pipe");
  const handed: number[] = [];
  let covered: Covered | undefined;
  let child: ReturnType<typeof spawn>;
  try {
    if (line.keeper && request.means?.handed !== undefined) handed.push(openSync(request.means.handed, "r"));
    covered = withoutInherited(pipes.length + handed.length);
    child = spawn(line.file, line.args, {
      cwd: request.means?.cwd ?? request.cwd,
      env: {
        // A client is a program of the user's own: what goes in is told to it by name.
        ...(line.remote === undefined ? {} : request.env),
        ...(request.means?.environment?.(request.env) ?? request.env),
        ...line.env,
        [MARK_VARIABLE]: chained(request.env[MARK_VARIABLE], mark),
        ...(line.keeper ? { [SPACES_VARIABLE]: ownSpaces(request.env).join(" ") } : {}),
      },
      stdio: [...pipes, ...handed, ...covered.stdio],
      detached: process.platform !== "win32",
      windowsHide: true,
    });
  } catch (error) {
    return { exited: Promise.resolve(notStarted(error)), stop: () => {}, linger: () => {} };
  } finally {
    covered?.done();
    for (const fd of handed) closeSync(fd);
  }
  const { pid } = child;
  if (pid === undefined) {
    return {
      exited: new Promise((resolve) => child.once("error", (error) => resolve(notStarted(error)))),
      stop: () => {},
      linger: () => {},
    };
  }
  const ticks = startTicksOf(pid);
  const target: ProcessMark = {
    pid,
    mark,
    ...(ticks === undefined ? {} : { startTicks: ticks }),
    ...(line.keeper ? { keeper: true } : {}),
    ...(line.cgroup === undefined ? {} : { cgroup: line.cgroup }),
  };
  const program = programEnd(child, line);
  let endedBy: TreeExit["endedBy"];
  let ending: Promise<unknown> | undefined;
  const end = (why: NonNullable<TreeExit["endedBy"]>, graceMs: number): void => {
    endedBy ??= why;
    // A second, harder request must not wait for the grace of the first.
    if (ending !== undefined && graceMs > 0) return;
    ending =
      line.remote === undefined
        ? endTree(target, graceMs, program)
        : endRemote(line.remote, target, graceMs, program);
  };
  const { limits } = request.means ?? {};
  const wallMs = Math.min(request.wallMs ?? Infinity, limits?.timeMs ?? Infinity);
  const timer = Number.isFinite(wallMs) ? setTimeout(() => end("timeout", GRACE_MS), wallMs) : undefined;
  const unwatch = line.keeper ? watchLimits(pid, limits, () => end("limit", 0)) : () => {};

  let isGone = false;
  const silence = new Silence<"idle" | "lingering">("idle", request.idleMs ?? 0, (why) => end(why, GRACE_MS));
  child.stdout?.on("data", (chunk: Buffer) => {
    silence.heard();
    const room = request.onStdout(chunk);
    // Once the program is gone no more than a pipe's worth is left: that is read in any case.
    if (room === undefined || isGone) return;
    child.stdout?.pause();
    silence.hold();
    void room.finally(() => {
      silence.release();
      child.stdout?.resume();
    });
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    silence.heard();
    request.onStderr(chunk);
  });
  // An agent that does not read its prompt closes the pipe: its own affair, its exit will tell.
  child.stdin?.on("error", () => {});
  child.stdin?.end(request.stdin);

  const exited = new Promise<TreeExit>((resolve) => {
    child.once("error", (error) => resolve(notStarted(error)));
    const closed = new Promise<void>((done) => child.once("close", () => done()));
    void program.then(async ({ alone: told, letGo, ...exit }) => {
      const alone = told || (request.own === true && !isGroupAlive(pid));
      clearTimeout(timer);
      unwatch();
      silence.end();
      isGone = true;
      child.stdout?.resume();
      // A client that was killed says nothing of what it stood for.
      if (!alone && endedBy === undefined) await line.remote?.signal(mark, "SIGKILL");
      const spared =
        alone || line.remote !== undefined || endedBy !== undefined ? [] : (request.keep?.() ?? []);
      // Children that outlive the program also hold its pipes open: end them, then the streams close.
      if (spared.length > 0) await endOthers(target, spared, GRACE_MS);
      else if (!alone) await endTree(target, GRACE_MS);
      await ending;
      if (spared.length === 0) {
        letGo();
        await settledWithin(CLOSE_MS, closed);
      }
      child.stdout?.destroy();
      child.stderr?.destroy();
      const why = {
        ...(endedBy === undefined ? {} : { endedBy }),
        ...(spared.length === 0 ? {} : { kept: { end: (graceMs: number) => endTree(target, graceMs) } }),
      };
      const isFaulty = exit.spawnError !== undefined && endedBy !== undefined;
      resolve(isFaulty ? { code: null, signal: "SIGKILL", ...why } : { ...exit, ...why });
    });
  });
  return {
    process: target,
    exited,
    stop: (graceMs) => end("stopped", graceMs),
    linger: (ms) => (ms > 0 ? silence.watch("lingering", ms) : silence.watch("idle", request.idleMs ?? 0)),
  };
}

/** Resolves with the promise, or at the latest after so long, when what has arrived by then was read. */
function settledWithin(ms: number, promise: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => setImmediate(resolve), ms);
    void promise.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function chained(outer: string | undefined, mark: string): string {
  return outer === undefined || outer === "" ? mark : `${outer}:${mark}`;
}

function absent(file: string): Error {
  return Object.assign(new Error(`${file} is not there, or cannot be run`), { code: "ENOENT" });
}

function notStarted(error: unknown): TreeExit {
  return {
    code: null,
    signal: null,
    spawnError: { code: codeOf(error) ?? "UNKNOWN", message: messageOf(error) },
  };
}
