import { linkSync, mkdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { codeOf } from "../errors.ts";
import { unwritableState } from "./state.ts";

/** Who holds a project: enough to tell a living owner from one that is gone, and from a stranger with its pid. */
export interface LockOwner {
  readonly pid: number;
  /** Start time of the process in clock ticks since boot, where the system tells it. */
  readonly startTicks?: number;
  /** The pid namespaces that the process is in, its own first. */
  readonly spaces?: readonly string[];
  /** Changes with every boot of the machine, where the system tells it. */
  readonly boot?: string;
  readonly host: string;
  readonly run: string;
  readonly at: number;
}

export type Locked =
  /** Ours; `healed` are owners who are gone and whose lock was taken over. */
  | { readonly held: true; readonly healed: readonly LockOwner[]; readonly release: () => void }
  | { readonly held: false; readonly owner: LockOwner };

/** Tells a living process from a dead one; passed in, because looking at processes is another room's work. */
export interface Liveness {
  /** How this process names itself. */
  self(): Pick<LockOwner, "pid" | "startTicks" | "spaces">;
  /** May a process that named itself so be alive? */
  isLiving(owner: Pick<LockOwner, "pid" | "startTicks" | "spaces">): boolean;
}

/** How long another healer is waited for: its work is a few milliseconds. */
const HEALS_MS = 2_000;
const HEAL_STEP_MS = 5;

/**
 * Takes the lock of a project, or tells who has it. A lock whose owner is gone (crash, kill -9, reboot) is healed. The
 * lock is a hard link to a file that is already complete, so nobody ever reads half of it.
 */
export function takeLock(path: string, run: string, alive: Liveness, nowMs: number): Locked {
  const owner = self(run, alive, nowMs);
  const draft = `${path}.${owner.pid}.${Math.random().toString(36).slice(2)}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(draft, JSON.stringify(owner), { mode: 0o600, flag: "wx" });
  } catch (error) {
    unlink(draft); // a full disk takes the name and not the words
    throw unwritableState("the run's state", path, error);
  }
  const healed: LockOwner[] = [];
  const deadline = process.uptime() * 1000 + HEALS_MS;
  try {
    for (;;) {
      if (tryLink(draft, path)) return { held: true, healed, release: () => release(path, owner) };
      const other = readOwner(path);
      if (other !== undefined && isLiving(other, alive)) return { held: false, owner: other };
      if (heal(path, draft, alive)) {
        if (other !== undefined) healed.push(other);
        continue;
      }
      const healer = readOwner(healingOf(path));
      // It was stopped in the middle, or is on another machine: whether it still lives only its user can tell.
      if (healer !== undefined && process.uptime() * 1000 > deadline) return { held: false, owner: healer };
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, HEAL_STEP_MS);
    }
  } finally {
    unlink(draft);
  }
}

/** Who holds the lock now, if its owner is alive. */
export function lockOwner(path: string, alive: Liveness): LockOwner | undefined {
  const owner = readOwner(path);
  return owner !== undefined && isLiving(owner, alive) ? owner : undefined;
}

/** Removes a lock whose owner is gone. One healer at a time, who looks again: the lock may have a new owner by now. */
function heal(path: string, draft: string, alive: Liveness): boolean {
  const healing = healingOf(path);
  if (!tryLink(draft, healing)) {
    // A healer that died in its few milliseconds of work must not block the project for ever.
    const healer = readOwner(healing);
    if (healer === undefined || !isLiving(healer, alive)) rmSync(healing, { force: true });
    return false;
  }
  try {
    const owner = readOwner(path);
    if (owner !== undefined && isLiving(owner, alive)) return false;
    rmSync(path, { force: true, recursive: true }); // whatever stands there: a lock is a file
    return true;
  } finally {
    rmSync(healing, { force: true });
  }
}

function healingOf(path: string): string {
  return `${path}.healing`;
}

function isLiving(owner: LockOwner, alive: Liveness): boolean {
  if (owner.host !== hostname()) return true; // another machine's process cannot be looked at; only its user can tell
  if (owner.boot !== undefined && owner.boot !== bootId()) return false;
  return alive.isLiving(owner);
}

function self(run: string, alive: Liveness, at: number): LockOwner {
  const boot = bootId();
  return { ...alive.self(), host: hostname(), run, at, ...(boot === undefined ? {} : { boot }) };
}

function tryLink(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** Undefined when there is no lock, or none that can be understood: such a one has no owner who could be alive. */
function readOwner(path: string): LockOwner | undefined {
  try {
    const value = JSON.parse(readFileSync(path, "utf8")) as LockOwner;
    return Number.isInteger(value.pid) && typeof value.host === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

function release(path: string, owner: LockOwner): void {
  const now = readOwner(path);
  if (now?.pid !== owner.pid || now.run !== owner.run) return; // it is no longer ours to remove
  unlink(path);
}

function unlink(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Not there: that is what was wanted.
  }
}

function bootId(): string | undefined {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return undefined; // another system: pid and start time must do
  }
}
