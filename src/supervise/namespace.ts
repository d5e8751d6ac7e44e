import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { constants } from "node:os";

/** The number of the pipe by which the first process of a namespace tells how the program ended. */
export const REPORT_FD = 3;

/** The number by which what makes a namespace finds the file that it is handed. It closes it; nobody inside has it. */
export const HANDED_FD = 4;

/**
 * What the first process of a namespace does: it runs the program, tells its exit code and how many processes there are, and
 * stays until we let go of it; with it everything that is left goes. The program gets neither the pipe nor the shell's words.
 */
const FIRST_PROCESS = `exec 4>&2 2>/dev/null
(exec "$@" 2>&4 3>&- 4>&-)
code=$?
set -- /proc/[0-9]*
echo "$code $#" >&${REPORT_FD}
read -r _ <&${REPORT_FD}`;

/** The command line that runs a program in a pid namespace of its own. */
export function inNamespace(wrapper: readonly string[], command: readonly string[]): string[] {
  return [...wrapper, "/bin/sh", "-c", FIRST_PROCESS, "sh", ...command];
}

export interface Report {
  readonly code: number;
  /** Set when the shell told the end by a signal. */
  readonly signal: NodeJS.Signals | null;
  /** Nothing else is left in the namespace. */
  readonly alone: boolean;
}

/** Reads what the first process told; undefined when it is not that. */
export function readReport(text: string): Report | undefined {
  const told = /^(\d+) (\d+)\n/.exec(text);
  if (told === null) return undefined;
  const code = Number(told[1]);
  return { code, signal: signalOf(code), alone: told[2] === "1" };
}

/** Signals that end nobody who does not catch them (the last one: that nobody sends). */
const HARMLESS = new Set(
  "SIGCHLD SIGCONT SIGSTOP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGWINCH SIGSTKFLT".split(" "),
);

/**
 * A shell tells the end by a signal as 128 and its number. A program may exit with such a code itself: Gemini does with
 * 145 after status 401, which is 256 more; so a code that only a harmless signal would give is taken for one of its own.
 */
export function signalOf(code: number): NodeJS.Signals | null {
  const named = Object.entries(constants.signals).find(([, number]) => number === code - 128);
  return named === undefined || HARMLESS.has(named[0]) ? null : (named[0] as NodeJS.Signals);
}

/** The pid namespace of a process, as the system names it; undefined where it cannot be told. */
export function spaceOf(pid: number | "self"): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return undefined; // gone, another user's, or another system
  }
}

/**
 * A keeper and everything in the namespace that it keeps. Whoever loses its parent there becomes a child of the first process,
 * so the way down from the keeper meets them all, and only them.
 */
export function keptBy(keeper: number): number[] {
  const found = [keeper];
  for (let n = 0; n < found.length; n++) found.push(...childrenOf(found[n] ?? 0));
  return found;
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1").split(" ").filter(Boolean).map(Number),
    );
  } catch {
    return []; // it is gone, and its children with it or one step up
  }
}

/** The numbers of a process in every namespace that it is in, ours first. */
export function numbersOf(pid: number): number[] {
  try {
    const line = /^NSpid:\s*(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? "";
    return line.split(/\s+/).map(Number);
  } catch {
    return [];
  }
}

/** The number by which we know the process that has this number in that namespace. */
export function pidInSpace(space: string, inner: number): number | undefined {
  const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
  return pids.find((pid) => spaceOf(pid) === space && numbersOf(pid).at(-1) === inner);
}
