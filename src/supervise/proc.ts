import { readdirSync, readFileSync } from "node:fs";
import { uptime } from "node:os";
import { codeOf } from "../errors.ts";

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

/** Clock ticks a second, as the kernel tells times to programs. */
const TICKS = 100;
/** In so short a time the numbers of processes cannot start over, however fast they are used up. */
const YOUNG_TICKS = 0.2 * TICKS;

/**
 * Living processes that carry the mark in the environment they were started with, or that stand in the group of the
 * process that was started at `startTicks`. The mark is found on those that left the group and whose parent is gone.
 * For a process that has only just started older pids are passed over: a child's is later than its ancestor's.
 */
export function findMarked(mark: string, group: number, startTicks?: number): number[] {
  const latest = latestPid();
  if (latest === undefined) return isGroupAlive(group) ? [group] : [];
  const leaderTicks = startTicksOf(group);
  const isReused = startTicks !== undefined && leaderTicks !== undefined && leaderTicks !== startTicks;
  const isYoung =
    !isReused && startTicks !== undefined && Math.abs(uptime() * TICKS - startTicks) < YOUNG_TICKS;
  // Nothing was started after it, so it has no children.
  if (isYoung && latest === group) return isAlive(group) ? [group] : [];
  const found: number[] = [];
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    if (isYoung && latest > group && pid < group) continue;
    if (isMember(pid, isReused ? undefined : group, mark)) found.push(pid);
  }
  return found;
}

/** Living processes, this one and its ancestors apart, with a word in one of these variables of their environment. */
export function findByEnvironment(word: string, variables: readonly string[]): number[] {
  const spared = new Set([0, ...ancestors()]);
  return listPids().filter((pid) => {
    if (spared.has(pid) || statFields(pid)?.[0] === "Z") return false;
    const lines = environmentOf(pid).split("\0");
    return variables.some((name) =>
      lines.some(
        (line) =>
          line.startsWith(`${name}=`) &&
          line
            .slice(name.length + 1)
            .split(" ")
            .includes(word),
      ),
    );
  });
}

/** Was a process started with this text in its environment? */
export function carries(pid: number, text: string): boolean {
  return environmentOf(pid).includes(text);
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return ""; // gone in the meantime, or another user's: not ours in either case
  }
}

function ancestors(): number[] {
  const line: number[] = [];
  for (let pid = process.pid; pid > 1 && line.length < 100; ) {
    line.push(pid);
    pid = Number(statFields(pid)?.[1] ?? 0);
  }
  return line;
}

function listPids(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return []; // no /proc: another system
  }
}

function isMember(pid: number, group: number | undefined, mark: string): boolean {
  const fields = statFields(pid);
  if (fields === undefined || fields[0] === "Z") return false; // a zombie runs nothing; its parent will reap it
  if (Number(fields[2]) === group) return true;
  return carries(pid, mark);
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

/** Is a process of this id running? A zombie is not. */
export function isAlive(pid: number): boolean {
  const fields = statFields(pid);
  if (fields !== undefined) return fields[0] !== "Z";
  if (latestPid() !== undefined) return false;
  try {
    process.kill(pid, 0); // a system without /proc: whether it takes a signal must do
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/** Is a process of this id running, and did it when this was written down? One that is younger only got the number later. */
export function isRunningSince(pid: number, writtenMs: number): boolean {
  if (!isAlive(pid)) return false;
  const ticks = startTicksOf(pid);
  if (ticks === undefined || Number.isNaN(writtenMs)) return true;
  const startedMs = Date.now() - (uptime() - ticks / TICKS) * 1000;
  return startedMs <= writtenMs + SLACK_MS;
}

/** Clocks are set, and a marker is written a moment after its process began. */
const SLACK_MS = 5_000;

/** Does anything run in this process group? */
export function isGroupAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}
