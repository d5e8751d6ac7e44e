import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { SandboxLimits } from "../spec.ts";
import { exec } from "../supervise/exec.ts";
import type { TreeLimits } from "../supervise/means.ts";
import { which } from "../supervise/which.ts";

/** How the limits of a sandbox are kept, by whatever this machine has for it. */
export interface Limiter {
  /** Words before the sandbox. */
  readonly before: readonly string[];
  /** Words before the program, inside. */
  readonly inside: readonly string[];
  /** What ralph itself watches. */
  readonly watched: TreeLimits;
  /** Who keeps which, and what nobody keeps, for people. */
  readonly words: readonly string[];
  dispose(): void;
}

const MB = 1024 * 1024;

/** Finds who can keep these limits here, and sets it up: systemd, control groups of ours, the kernel's limit for a user, ralph. */
export async function limiterFor(
  limits: SandboxLimits,
  env: NodeJS.ProcessEnv,
  name: string,
): Promise<Limiter> {
  const { memoryMb, processes, cpus, timeMs } = limits;
  const watched: TreeLimits = {
    ...(memoryMb === undefined ? {} : { memoryBytes: memoryMb * MB }),
    ...(processes === undefined ? {} : { processes }),
    ...(timeMs === undefined ? {} : { timeMs }),
  };
  const none = { before: [], inside: [], watched, words: [], dispose: () => {} };
  if (memoryMb === undefined && processes === undefined && cpus === undefined) return none;
  const scope = await systemdScope(limits, env);
  if (scope !== undefined) return { ...none, before: scope, words: ["memory, processes and CPU by systemd"] };
  const groups = ownGroups(limits, name);
  const inside = groups.has("pids") ? [] : perUser(processes, env);
  return {
    ...none,
    before: groups.size === 0 ? [] : ["/bin/sh", "-c", ENTER, "sh", ...groups.values(), "--"],
    inside,
    words: [
      ...(processes === undefined ? [] : [`processes ${keptBy(groups.has("pids"), inside.length > 0)}`]),
      ...(memoryMb === undefined ? [] : ["memory watched by ralph, a few times a second"]),
      ...(cpus === undefined ? [] : [groups.has("cpu") ? "CPU by control group" : "CPU: NOT limited here"]),
    ],
    dispose: () => {
      for (const path of groups.values()) removeGroup(path);
    },
  };
}

function keptBy(isGrouped: boolean, isPerUser: boolean): string {
  if (isGrouped) return "by control group";
  return isPerUser ? "by the kernel's limit for a user" : "watched by ralph, a few times a second";
}

/** Enters control groups and becomes the program. */
const ENTER =
  'while [ "$1" != -- ]; do echo 0 > "$1/cgroup.procs" || exit 125; shift; done; shift; exec "$@"';

async function systemdScope(limits: SandboxLimits, env: NodeJS.ProcessEnv): Promise<string[] | undefined> {
  const program = which("systemd-run", { cwd: "/", path: env["PATH"] });
  if (program === undefined || !existsSync("/run/systemd/system")) return undefined;
  const properties = [
    ...(limits.memoryMb === undefined ? [] : [`MemoryMax=${limits.memoryMb}M`, "MemorySwapMax=0"]),
    ...(limits.processes === undefined ? [] : [`TasksMax=${limits.processes}`]),
    ...(limits.cpus === undefined ? [] : [`CPUQuota=${Math.round(limits.cpus * 100)}%`]),
  ];
  const manager = process.getuid?.() === 0 ? [] : ["--user"];
  const words = [
    program,
    ...manager,
    "--scope",
    "--quiet",
    "--collect",
    ...properties.flatMap((one) => ["-p", one]),
    "--",
  ];
  const tried = await exec(program, [...words.slice(1), "true"], { cwd: "/", env, wallMs: 10_000 });
  return tried.code === 0 ? words : undefined;
}

/** Groups of ours below the ones that we are in (first version of control groups, as root). */
function ownGroups({ processes, cpus }: SandboxLimits, name: string): Map<string, string> {
  const found = new Map<string, string>();
  if (processes !== undefined) {
    const path = makeGroup("pids", name, { "pids.max": String(processes) });
    if (path !== undefined) found.set("pids", path);
  }
  if (cpus !== undefined) {
    const quota = String(Math.round(cpus * 100_000));
    const path = makeGroup("cpu", name, { "cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": quota });
    if (path !== undefined) found.set("cpu", path);
  }
  return found;
}

function makeGroup(
  controller: string,
  name: string,
  values: Readonly<Record<string, string>>,
): string | undefined {
  const parent = groupOf(controller);
  if (parent === undefined) return undefined;
  const path = join(parent, `ralph-${name}`);
  try {
    accessSync(parent, constants.W_OK);
    mkdirSync(path, { recursive: true });
    for (const [file, value] of Object.entries(values)) writeFileSync(join(path, file), value);
    return path;
  } catch {
    removeGroup(path);
    return undefined; // not ours to make, or not a controller of this kernel
  }
}

/** The folder of the control group that we are in, for one controller of the first version. */
function groupOf(controller: string): string | undefined {
  try {
    const own = readFileSync("/proc/self/cgroup", "utf8")
      .split("\n")
      .map((line) => line.split(":"))
      .find(([, names = ""]) => names.split(",").includes(controller))?.[2];
    const mount = readFileSync("/proc/self/mounts", "utf8")
      .split("\n")
      .map((line) => line.split(" "))
      .find(([, , type, options = ""]) => type === "cgroup" && options.split(",").includes(controller))?.[1];
    if (own === undefined || mount === undefined) return undefined;
    const path = join(mount, own);
    return existsSync(path) ? path : existsSync(mount) ? mount : undefined;
  } catch {
    return undefined; // another system
  }
}

function removeGroup(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // It was never made, or the last process of it is still on its way out: an empty group costs nothing.
  }
}

/** In a user namespace of its own the kernel counts only what is in there. Root is not counted. */
function perUser(processes: number | undefined, env: NodeJS.ProcessEnv): string[] {
  const program = which("prlimit", { cwd: "/", path: env["PATH"] });
  if (processes === undefined || program === undefined || process.getuid?.() === 0) return [];
  return [program, `--nproc=${processes}`];
}
