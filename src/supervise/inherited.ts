import { openSync, readdirSync, readFileSync } from "node:fs";

/** A flag of open files: not handed on to programs that are started. */
const CLOSE_ON_EXEC = 0o2000000;
/** Nobody has more, and each costs an entry. */
const MOST = 4096;

let known: (number | "ignore")[] | undefined;

/**
 * What stands in `stdio` from entry `first` on, so that programs do not get files that whoever started us left open. Node keeps only
 * the low ones back, and a folder of the machine among the others is a way out of every fence.
 */
export function withoutInherited(first: number): readonly (number | "ignore")[] {
  known ??= replaced();
  return known.slice(first);
}

function replaced(): (number | "ignore")[] {
  const open = handedOn();
  if (open.length === 0) return [];
  const nothing = openSync("/dev/null", "r+");
  return Array.from({ length: Math.max(...open) + 1 }, (_, fd) => (open.includes(fd) ? nothing : "ignore"));
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
