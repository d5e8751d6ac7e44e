import { readdirSync, readFileSync } from "node:fs";

/**
 * The variable that marks a process of ours and all that it starts. It holds a chain: a ralph inside an agent adds its
 * mark to the one it was given, so that the outer one still finds what the inner one started.
 */
export const MARK_VARIABLE = "RALPH_PROCESS_MARK";

/** Start time of a process in clock ticks since boot; undefined when it is gone or the system has no /proc. */
export function startTicksOf(pid: number): number | undefined {
  const fields = statFields(pid);
  const ticks = Number(fields?.[19]);
  return Number.isFinite(ticks) ? ticks : undefined;
}

/**
 * Living processes that carry the mark in the environment they were started with, or that stand in the group.
 * The mark is found on those that left the group and whose parent is gone. Older pids are passed over (a child's is
 * later than its ancestor's) unless the numbers have started over since.
 */
export function findMarked(mark: string, group: number): number[] {
  const latest = latestPid();
  if (latest === undefined) return isGroupAlive(group) ? [group] : [];
  if (latest === group) return isAlive(group) ? [group] : []; // nothing was started after it, so it has no children
  const needle = Buffer.from(mark);
  const found: number[] = [];
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    if (latest > group && pid < group) continue;
    if (isMember(pid, group, needle)) found.push(pid);
  }
  return found;
}

function isMember(pid: number, group: number, needle: Buffer): boolean {
  const fields = statFields(pid);
  if (fields === undefined || fields[0] === "Z") return false; // a zombie runs nothing; its parent will reap it
  if (Number(fields[2]) === group) return true;
  try {
    return readFileSync(`/proc/${pid}/environ`).includes(needle);
  } catch {
    return false; // gone in the meantime, or another user's: not ours in either case
  }
}

/** Fields of /proc/<pid>/stat after the name, which may itself hold spaces and parentheses. [0] is the state. */
function statFields(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined; // gone
  }
}

function latestPid(): number | undefined {
  try {
    return Number(readFileSync("/proc/loadavg", "latin1").trim().split(" ")[4]);
  } catch {
    return undefined; // no /proc: another system
  }
}

function isAlive(pid: number): boolean {
  const fields = statFields(pid);
  return fields !== undefined && fields[0] !== "Z";
}

function isGroupAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}
