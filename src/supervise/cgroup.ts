import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/** The control group that we are in, when we may make others below it and the system can kill them whole. */
export function cgroupParent(): string | undefined {
  try {
    const own = /^0::(.*)$/m.exec(readFileSync("/proc/self/cgroup", "utf8"))?.[1];
    const mounted = /^\S+ (\S+) cgroup2 /m.exec(readFileSync("/proc/self/mounts", "utf8"))?.[1];
    if (own === undefined || mounted === undefined) return undefined;
    const parent = join(mounted, own);
    accessSync(join(parent, "cgroup.procs"), constants.W_OK);
    return parent;
  } catch {
    return undefined; // another system, or not ours to write
  }
}

/** Makes a control group for one tree of a run; undefined when that is not possible or it could not be killed whole. */
export function makeCgroup(parent: string, run: string, mark: string): string | undefined {
  const path = join(parent, `ralph-${run}-${mark}`);
  try {
    mkdirSync(path);
  } catch {
    return undefined;
  }
  if (existsSync(join(path, "cgroup.kill"))) return path;
  removeCgroup(path);
  return undefined;
}

/** The control groups that a run made beside our own and left behind. */
export function cgroupsOf(run: string): string[] {
  const parent = cgroupParent();
  if (parent === undefined) return [];
  return readdirSync(parent)
    .filter((name) => name.startsWith(`ralph-${run}-`))
    .map((name) => join(parent, name));
}

/** The command line that enters a control group and becomes the program. */
export function inCgroup(path: string, file: string, args: readonly string[]): string[] {
  return ["/bin/sh", "-c", 'echo 0 > "$0/cgroup.procs" && exec "$@"', path, file, ...args];
}

/** The processes of a control group; groups that were made below it are not looked into. */
export function cgroupMembers(path: string): number[] {
  try {
    return readFileSync(join(path, "cgroup.procs"), "utf8").split("\n").filter(Boolean).map(Number);
  } catch {
    return []; // the group is gone
  }
}

/** Kills everything in a control group and below, at once. */
export function killCgroup(path: string): void {
  try {
    writeFileSync(join(path, "cgroup.kill"), "1");
  } catch {
    // The group is gone, and with it all that was in it.
  }
}

/** Removes an empty control group. One that is still in use stays; it costs nothing. */
export function removeCgroup(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Gone already, or a zombie is still to be reaped.
  }
}
