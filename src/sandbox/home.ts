import { cpSync, existsSync, mkdirSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, relative } from "node:path";
import { removeTree } from "../files.ts";
import { git } from "../scm/git.ts";
import type { AgentKind } from "../spec.ts";
import { type Copy, isWithin, leadsThrough, type Mount, type Policy } from "./policy.ts";
import { AGENT_HOMES, BARE_HOMES, LOGINS, MOVED_HOMES } from "./usual.ts";

/** What these agents need of the user's home, and where they look for it. */
export function agentCopies(
  kinds: readonly AgentKind[],
  env: NodeJS.ProcessEnv,
  { home, project }: Pick<Policy, "home" | "project">,
  /** Those whose user's own settings stay out. */
  bare: readonly AgentKind[] = [],
): Copy[] {
  const moved = moves(env, project);
  const copies = kinds
    .flatMap((kind) => (bare.includes(kind) ? BARE_HOMES[kind] : undefined) ?? AGENT_HOMES[kind])
    .map((name) => placeOf(name, home, moved))
    .map((place) => ({ from: place, to: place }));
  // Claude Code keeps this one in the folder that it was given.
  const own = moved.find(({ folder }) => folder === ".claude" && kinds.includes("claude"));
  const state = own === undefined ? [] : [join(own.to, ".claude.json")];
  return [...copies, ...state.map((place) => ({ from: place, to: place }))].filter(({ from }) =>
    existsSync(from),
  );
}

/** The log-ins of these agents that are renewed, whether the user has them by now or not. */
export function agentLogins(
  kinds: readonly AgentKind[],
  env: NodeJS.ProcessEnv,
  { home, project }: Pick<Policy, "home" | "project">,
): { readonly agent: AgentKind; readonly path: string }[] {
  const moved = moves(env, project);
  return kinds.flatMap((agent) => {
    const file = LOGINS[agent];
    return file === undefined ? [] : [{ agent, path: placeOf(file.path, home, moved) }];
  });
}

/** Where something of an agent's is that is usually in the home. */
function placeOf(name: string, home: string, moved: ReturnType<typeof moves>): string {
  const away = moved.find(({ folder }) => isWithin(name, folder));
  return away === undefined ? join(home, name) : join(away.to, relative(away.folder, name));
}

/** Variables that name a folder of an agent's, which has to be there and be writable, also when it is still empty. */
export function movedHomes(env: NodeJS.ProcessEnv, project: string): string[] {
  return moves(env, project).map(({ to }) => to);
}

/** One in the project is there anyway, and what is in it may be a link to anything by now. */
function moves(env: NodeJS.ProcessEnv, project: string): { readonly folder: string; readonly to: string }[] {
  return Object.entries(MOVED_HOMES).flatMap(([name, folder]) => {
    const to = env[name];
    return to !== undefined && isAbsolute(to) && !leadsThrough(to, project) ? [{ folder, to }] : [];
  });
}

/** A private home, and where else private folders are shown inside. */
export interface PrivateHome {
  /** The folder that holds all of it. */
  readonly root: string;
  readonly path: string;
  /** Folders outside of the home: where each is, and where it is seen. */
  readonly others: readonly { readonly path: string; readonly seenAt: string }[];
  /** Where a path in the user's home, or in a folder that was moved out of it, really is. */
  at(path: string): string;
  dispose(): void;
}

/**
 * Makes a home for an agent: empty but for copies of what it needs. What it writes there is gone with the run; what it needs is
 * the user's own, and stays as it was, but for a log-in that is renewed.
 */
export function makeHome(
  folder: string,
  {
    home,
    project,
    copies,
    moved,
  }: Pick<Policy, "home" | "project" | "copies"> & { readonly moved: readonly string[] },
): PrivateHome {
  const path = join(folder, "home");
  removeTree(folder);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const others: { path: string; seenAt: string }[] = [];
  const at = (to: string): string => {
    if (isWithin(to, home)) return join(path, relative(home, to));
    const seenAt = moved.find((one) => isWithin(to, one)) ?? dirname(to);
    const known = others.find((one) => one.seenAt === seenAt);
    const other = known ?? { path: join(folder, `other-${others.length}`), seenAt };
    if (known === undefined) others.push(other);
    mkdirSync(other.path, { recursive: true, mode: 0o700 });
    return join(other.path, relative(seenAt, to));
  };
  for (const one of moved) mkdirSync(at(one), { recursive: true, mode: 0o700 });
  for (const { from, to } of copies) {
    const place = at(to);
    mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
    // A link in there may lead anywhere: what it leads to is copied, and its owner's file stays as it is.
    cpSync(realpathSync(from), place, {
      recursive: true,
      dereference: true,
      mode: 0,
      errorOnExist: false,
      filter: (one) => isCopied(one, project),
    });
  }
  return { root: folder, path, others, at, dispose: () => removeTree(folder) };
}

/** A file or a folder, unless it is a link by which an agent leads out of the project. */
function isCopied(path: string, project: string): boolean {
  const info = statSync(path, { throwIfNoEntry: false });
  if (info?.isFile() !== true && info?.isDirectory() !== true) return false;
  return !leadsThrough(dirname(path), project) || isWithin(realpathSync(path), project);
}

/** Where an agent sees its private home, and the folder that it may leave an answer in. */
export function homeMounts({ home }: Pick<Policy, "home">, own: PrivateHome, exchange: string): Mount[] {
  return [
    { path: home, how: "rw", from: own.path },
    ...own.others.map(({ path, seenAt }) => ({ path: seenAt, how: "rw", from: path }) as const),
    { path: exchange, how: "rw", from: exchange },
  ];
}

/** Who commits: name and address of the user's own configuration, and nothing else of it. */
export async function writeIdentity(project: string, path: string): Promise<void> {
  const lines: string[] = [];
  for (const key of ["name", "email"]) {
    const told = await git(project, ["config", "--get", `user.${key}`]);
    const value = told.stdout.trim().replace(/[\\"\n]/g, "");
    if (told.code === 0 && value !== "") lines.push(`\t${key} = "${value}"`);
  }
  const text = lines.length === 0 ? "" : `[user]\n${lines.join("\n")}\n`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, `${text}[safe]\n\tdirectory = *\n`, { mode: 0o600 });
}
