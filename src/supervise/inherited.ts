import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";

/** A flag of open files: not handed on to programs that are started. */
const CLOSE_ON_EXEC = 0o2000000;
/** Nobody has more, and each costs an entry. */
const MOST = 4096;

let known: readonly number[] | undefined;

/** What `stdio` goes on with, and what is to be done when the program has been started. */
export interface Covered {
  readonly stdio: readonly (number | "ignore")[];
  done(): void;
}

/**
 * What stands in `stdio` from entry `first` on, so that programs do not get files that whoever started us left open. Node keeps only
 * the low ones back, and a folder of the machine among the others is a way out of every fence.
 */
export function withoutInherited(first: number): Covered {
  known ??= handedOn();
  const open = known.filter((fd) => fd >= first);
  if (open.length === 0) return { stdio: [], done: () => {} };
  const nothing = openSync("/dev/null", "r+");
  const length = Math.max(...open) + 1 - first;
  const stdio = Array.from({ length }, (_, at) => (open.includes(first + at) ? nothing : "ignore"));
  return { stdio, done: () => closeSync(nothing) };
}

function handedOn(): number[] {
  try {
    return readdirSync("/proc/self/fdinfo")
      .map(Number)
      .filter((fd) => fd > 2 && fd < MOST && isHandedOn(fd));
  } catch {
    return []; // another system
  }
}

function isHandedOn(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "utf8"))?.[1] ?? "";
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    return false; // it was the one by which we looked
  }
}
