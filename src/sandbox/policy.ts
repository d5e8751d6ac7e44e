import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import type { AgentKind, NetworkMode, SandboxKind, SandboxLimits } from "../spec.ts";

/** Who is inside: an agent, which needs its own service and log-in, or a check, which needs neither. */
export type Role = "agent" | "check";

/** A private copy of something in the user's home that an agent needs: its log-in and its settings. */
export interface Copy {
  readonly from: string;
  /** Where it is inside. */
  readonly to: string;
}

/**
 * What is true inside a sandbox, as data: the same for every kind, printed by `ralph sandbox explain`, kept with the run. All paths
 * are absolute, and lead through no link.
 */
export interface Policy {
  readonly kind: SandboxKind;
  readonly project: string;
  readonly rw: readonly string[];
  readonly ro: readonly string[];
  readonly hide: readonly string[];
  readonly home: string;
  readonly copies: readonly Copy[];
  /** Log-ins that are kept the same inside and outside when either is renewed. Absent: none. */
  readonly logins?: readonly { readonly agent: AgentKind; readonly path: string }[];
  /** Names of variables that go in. */
  readonly env: Readonly<Record<Role, readonly string[]>>;
  readonly network: {
    readonly mode: NetworkMode;
    readonly hosts: Readonly<Record<Role, readonly string[]>>;
    /** What is to be known of the user's own proxy, where ralph goes through it; never its password. */
    readonly proxy?: string;
  };
  readonly limits: SandboxLimits;
  readonly image?: string;
  /** Kinds of agents that may have a turn. */
  readonly agents?: readonly string[];
}

/** One thing that is done to the file system on the way in. */
export interface Mount {
  /** Where it is seen inside. */
  readonly path: string;
  readonly how: "rw" | "ro" | "hide";
  /** What is seen there, where that is something else than outside. */
  readonly from?: string;
}

/** What wins where a path is named twice: the more careful. */
const CARE = { rw: 0, ro: 1, hide: 2 } as const;

/**
 * The mounts of a policy in the order in which they are made: a folder before what is in it, so that the deeper path decides; of the
 * same path only the most careful, unless something of ours is put there.
 */
export function mountsOf(
  { rw, ro, hide }: Pick<Policy, "rw" | "ro" | "hide">,
  ours: readonly Mount[] = [],
): Mount[] {
  const found = new Map<string, Mount>();
  const all = [
    ...rw.map((path) => ({ path, how: "rw" }) as const),
    ...ro.map((path) => ({ path, how: "ro" }) as const),
    ...hide.map((path) => ({ path, how: "hide" }) as const),
  ];
  for (const mount of all) {
    const before = found.get(mount.path);
    if (before === undefined || CARE[mount.how] > CARE[before.how]) found.set(mount.path, mount);
  }
  for (const path of pinsOf(found)) found.set(path, { path, how: "rw" });
  for (const mount of ours) found.set(mount.path, mount);
  return [...found.values()].sort((a, b) => depth(a.path) - depth(b.path) || (a.path < b.path ? -1 : 1));
}

/**
 * The folders between a place that may be written and what in it may not. Each becomes a mount of its own, because a mount cannot be
 * moved away: a link in its place would be followed from outside at the next start, and show whatever it leads to.
 */
function pinsOf(mounts: ReadonlyMap<string, Mount>): string[] {
  return [...mounts.values()].flatMap(({ path, how }) => {
    const pins: string[] = [];
    let at = dirname(path);
    for (; at !== "/" && !mounts.has(at); at = dirname(at)) pins.push(at);
    return how !== "rw" && mounts.get(at)?.how === "rw" ? pins : [];
  });
}

function depth(path: string): number {
  return path === "/" ? 0 : path.split("/").length;
}

/** Does a path lie in a folder, or is it that folder? */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

/** A path as the system knows it, without links; nothing when it is not there. */
export function real(path: string): string[] {
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}

/**
 * Does the way to a path lead through a folder? What is in a folder that an agent writes may have become a link since, so that a
 * path from there says nothing about what its owner meant.
 */
export function leadsThrough(path: string, folder: string): boolean {
  for (let at = path; at !== dirname(at); at = dirname(at)) {
    if (isWithin(at, folder) || real(at).some((one) => isWithin(one, folder))) return true;
  }
  return false;
}

/** The variables of an environment that these names let through. A name that ends in `*` stands for all that begin so. */
export function passing(env: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv {
  const exact = new Set(names);
  const begins = names.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => exact.has(name) || begins.some((begin) => name.startsWith(begin))),
  );
}
