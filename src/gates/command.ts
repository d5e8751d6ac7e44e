import { closeSync, writeSync } from "node:fs";
import { messageOf, UserError } from "../errors.ts";
import type { Verdict, WholeOutput } from "../events.ts";
import { createInside } from "../files.ts";
import { spawnTree, type TreeExit } from "../supervise/spawn.ts";
import { HeadAndTail, truncate } from "../text.ts";
import { OutputDigest } from "./digest.ts";
import type { GateMoment } from "./gate.ts";

/** Runs a shell line with both its streams in one pipe: what it wrote stays in the order in which it wrote it. */
const IN_ONE_PIPE = 'exec sh -c -- "$0" 2>&1';

/** What a command came to, by its exit code alone, and what it printed. */
export interface Ran {
  readonly verdict: Verdict;
  /** Its output; of a large one a head and a tail, which together hold at least as many characters as were asked for. */
  readonly whole: string;
}

/**
 * Runs a gate's shell line: exit code 0 passes. Its whole output goes to its log, passed or not; a log that cannot be
 * written is a UserError.
 */
export async function runGate(moment: GateMoment, wholeChars: number): Promise<Ran> {
  const startedMs = performance.now();
  const log = new GateLog(moment, wholeChars);
  try {
    let exit = await runOnce(moment, log);
    const failedFirst = !passed(exit);
    if (failedFirst && moment.gate.flaky && !moment.hardStop.aborted) {
      log.add(Buffer.from("\n--- failed; run once more because it is marked flaky ---\n"));
      exit = await runOnce(moment, log);
    }
    log.mustBeWhole();
    const { text, truncated } = truncate(log.head(), moment.truncateChars);
    const reason = reasonOf(exit, moment);
    const verdict: Verdict = {
      pass: passed(exit),
      exitCode: exit.code,
      wallMs: Math.round(performance.now() - startedMs),
      logPath: moment.logPath,
      output: text,
      truncated,
      ...(reason === undefined ? {} : { reason }),
      ...(failedFirst && passed(exit) ? { passedOnRetry: true } : {}),
      whole: log.digest(),
    };
    return { verdict, whole: log.whole() };
  } finally {
    log.close();
  }
}

/** Did it exit with 0, by itself? */
export function passed(exit: TreeExit): boolean {
  return exit.code === 0 && exit.endedBy === undefined;
}

/** Where a shell line is run, and which. */
interface Line {
  readonly command: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Runs a shell line, by default the gate's own in the project, and logs what it writes. */
export async function runOnce(moment: GateMoment, log: GateLog, line?: Line): Promise<TreeExit> {
  const { command, cwd, env } = line ?? {
    command: moment.gate.command,
    cwd: moment.project,
    env: moment.env,
  };
  const windows = process.platform === "win32";
  const tree = spawnTree({
    file: windows ? "cmd" : "sh",
    args: windows ? ["/c", command] : ["-c", IN_ONE_PIPE, command],
    cwd,
    env,
    means: moment.means,
    stdin: "",
    wallMs: moment.gate.timeoutMs,
    onStdout: (chunk) => {
      log.add(chunk);
      return undefined;
    },
    onStderr: (chunk) => log.add(chunk),
  });
  const stop = () => tree.stop(0);
  if (moment.hardStop.aborted) stop();
  moment.hardStop.addEventListener("abort", stop, { once: true });
  const exit = await tree.exited;
  moment.hardStop.removeEventListener("abort", stop);
  return exit;
}

/** Why it failed, when that was not its exit code. */
export function reasonOf(exit: TreeExit, moment: GateMoment): string | undefined {
  if (exit.spawnError !== undefined) return `it could not be started (${exit.spawnError.message})`;
  if (exit.endedBy === "limit")
    return "it used more memory or processes than the sandbox allows, and was ended";
  if (exit.endedBy === "timeout")
    return `it ran longer than its limit of ${moment.gate.timeoutMs / 1000} s and was ended`;
  if (exit.endedBy === "stopped") return "the run was stopped while it ran";
  if (exit.signal !== null) return `it was killed by ${exit.signal}`;
  return undefined;
}

/** The log on disk, whole, and as much of its beginning in memory as a prompt may quote. */
export class GateLog {
  readonly #path: string;
  readonly #fd: number;
  readonly #headBytes: number;
  #head: Buffer[] = [];
  #held = 0;
  readonly #digest = new OutputDigest();
  #failure: unknown;
  readonly #whole: HeadAndTail | undefined;

  constructor(moment: GateMoment, wholeChars = 0) {
    this.#whole = wholeChars > 0 ? new HeadAndTail(wholeChars * 2) : undefined; // two halves of at most 4 bytes a character
    this.#path = moment.logPath;
    this.#fd = createInside(moment.project, moment.logPath);
    this.#headBytes = moment.truncateChars * 4 + 4; // a character has at most 4 bytes
  }

  add(chunk: Buffer): void {
    if (this.#failure === undefined) this.#write(chunk);
    this.#whole?.add(chunk);
    this.#digest.add(chunk);
    if (this.#held > this.#headBytes) return;
    this.#head.push(chunk);
    this.#held += chunk.length;
  }

  head(): string {
    return Buffer.concat(this.#head).toString("utf8");
  }

  whole(): string {
    return this.#whole?.text() ?? "";
  }

  /** All of it by its hash, taken while it was written: the log itself is the agent's to edit. */
  digest(): WholeOutput {
    return this.#digest.whole();
  }

  mustBeWhole(): void {
    if (this.#failure === undefined) return;
    throw new UserError(
      `cannot write ${this.#path}`,
      messageOf(this.#failure),
      "Make room on the disk, then start again.",
      { cause: this.#failure },
    );
  }

  close(): void {
    closeSync(this.#fd);
  }

  #write(chunk: Buffer): void {
    try {
      for (let at = 0; at < chunk.length; ) at += writeSync(this.#fd, chunk, at);
    } catch (error) {
      this.#failure = error; // thrown when the guardrail is over: here nobody could catch it
    }
  }
}
