import { posix } from "node:path";
import { quote } from "shlex";
import { type GitResult, git, gitError, gitList, headOf, plain, workTree } from "./git.ts";
import { trustNothing } from "./guard.ts";
import { noteWayBack } from "./way-back.ts";

/** Where a run stands after it asked for a branch. Whoever stayed has the tree that was there, byte for byte. */
export type Settled =
  | { readonly kind: "switched" | "made"; readonly branch: string }
  | { readonly kind: "already" }
  | { readonly kind: "stayed"; readonly why: string };

/** A large checkout takes its time, and one that is broken off half-way helps nobody. */
const SWITCH_WALL_MS = 10 * 60_000;
const MOST_NAMES = 2;

/**
 * Goes to a branch, and makes it at HEAD when it is not there. A tree with changes is left alone, unless they are in `own` (files or
 * folders, relative to the project). Nothing that the repository's config names is run; hooks are not either. Never rejects.
 *
 * Not prevented: filters that the user's own config names run on whichever files the branch's `.gitattributes` gives them.
 */
export async function settleOnBranch(
  project: string,
  name: string,
  own: readonly string[],
): Promise<Settled> {
  const prefix = await git(project, ["rev-parse", "--show-prefix"]);
  const top = await workTree(project);
  if (prefix.code !== 0) return stayed(`there is no git work tree here (${gitError(prefix)})`);
  if (top === undefined) return stayed("there is no git work tree here");
  const fault = await nameFault(project, name);
  if (fault !== undefined) return stayed(fault);
  const ref = `refs/heads/${name}`;
  const on = await git(project, ["symbolic-ref", "--quiet", "HEAD"]);
  if (on.stdout.trim() === ref) return { kind: "already" };

  const careful = await trustNothing(project);
  if (careful === undefined) return stayed("git cannot read the repository's configuration");
  const place: Place = { top, env: careful.env };
  const changes = await changesIn(place);
  if (changes === undefined) return stayed("git cannot tell whether the tree has uncommitted changes");
  const ours = own.map((path) =>
    posix.join(prefix.stdout.replace(/\n$/, ""), path.replaceAll("\\", "/"), "."),
  );
  const theirs = changes.map(({ path }) => path).filter((path) => !ours.some((one) => isBelow(one, path)));
  if (theirs.length > 0) return stayed(`the tree has uncommitted changes: ${some(theirs)}`);

  const there = await git(project, ["show-ref", "--verify", "--quiet", ref]);
  const head = await headOf(project);
  if (there.code !== 0) return make(place, name, head);
  if (head === undefined) return stayed(`there is no commit here yet, but "${name}" has some`);
  return change(place, name, careful.filters);
}

interface Place {
  readonly top: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Why this cannot be the name of a branch. It comes from a file that agents write. */
async function nameFault(project: string, name: string): Promise<string | undefined> {
  if (name.trim() === "") return "no branch is named";
  const fault = `"${plain(name).slice(0, 100)}" is no name for a branch`;
  // Control characters cannot all be handed to a program; the others mean something else to git, or to people.
  if (/^-|^refs\/|^@$|^[0-9a-f]{40,64}$|\p{Cc}/u.test(name)) return fault;
  const checked = await git(project, ["check-ref-format", "--branch", name]);
  // `@{-1}` is taken, and comes back as another name.
  return checked.code === 0 && checked.stdout === `${name}\n` ? undefined : fault;
}

/** A branch at HEAD: no file is touched. */
async function make({ top, env }: Place, name: string, head: string | undefined): Promise<Settled> {
  const result =
    head === undefined
      ? await git(top, ["symbolic-ref", "HEAD", `refs/heads/${name}`], { env })
      : await git(top, ["switch", "--quiet", "--no-track", "--create", name], {
          env,
          wallMs: SWITCH_WALL_MS,
        });
  return result.code === 0 ? { kind: "made", branch: name } : stayed(reason(result));
}

async function change(place: Place, name: string, filters: readonly string[]): Promise<Settled> {
  const { top, env } = place;
  const between = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", "HEAD", `refs/heads/${name}`];
  const paths = await gitList(top, between, env);
  if (paths === undefined) return stayed(`git cannot read the branch "${name}"`);
  if (paths.length > 0 && filters.length > 0) {
    return stayed(
      `the repository's own config names programs that a checkout would run (${some(filters)}); if they are yours, switch yourself: git switch ${quote(name)}`,
    );
  }
  const way = await noteWayBack(top, paths, env);
  if (way === undefined) return stayed("git cannot tell where HEAD stands");
  const result = await git(
    top,
    ["switch", "--quiet", "--no-guess", "--no-overwrite-ignore", "--no-recurse-submodules", name],
    { env, wallMs: SWITCH_WALL_MS },
  );
  if (result.code === 0 && !(await isHalfWay(place, paths, way.isUntouched))) {
    return { kind: "switched", branch: name };
  }
  const back = await way.goBack();
  const rest =
    back === undefined ? "" : `; not everything could be put back (${plain(back)}): see git status`;
  return stayed(`${reason(result)}${rest}`);
}

/** Git goes on when it cannot write or read a file, and calls it a success. */
async function isHalfWay(
  place: Place,
  paths: readonly string[],
  isUntouched: (path: string) => boolean,
): Promise<boolean> {
  const touched = new Set(paths);
  const changes = await changesIn(place);
  return (
    changes === undefined ||
    changes.some(({ state, path }) => touched.has(path) && (state[1] === "D" || isUntouched(path)))
  );
}

/** What differs from HEAD, and new files; relative to the top. What goes on inside submodules is theirs, and no program there is run. */
async function changesIn({ top, env }: Place): Promise<{ state: string; path: string }[] | undefined> {
  const args = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"];
  const listed = await gitList(top, [...args, "--ignore-submodules=dirty"], env);
  return listed?.map((entry) => ({ state: entry.slice(0, 2), path: entry.slice(3) }));
}

function isBelow(folder: string, path: string): boolean {
  const name = folder.replace(/\/+$/, "");
  return path === name || path.startsWith(`${name}/`);
}

/** Git's own words, with the files that it lists below them. */
function reason(result: GitResult): string {
  const files = result.stderr.split("\n").filter((line) => line.startsWith("\t"));
  const said = plain(gitError(result).replace(/(?:fatal|error): /g, "")).slice(0, 500);
  return files.length === 0 ? said : `${said} ${some(files.map((line) => line.slice(1)))}`;
}

function some(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  const shown = names
    .slice(0, more === 1 ? MOST_NAMES + 1 : MOST_NAMES)
    .map((name) => plain(name).slice(0, 100));
  return more > 1 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
}

function stayed(why: string): Settled {
  return { kind: "stayed", why };
}
