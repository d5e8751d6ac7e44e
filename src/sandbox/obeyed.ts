import { createHash } from "node:crypto";
import { lstatSync, readdirSync, type Stats } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readNoFollow } from "../files.ts";
import { git, gitList } from "../scm/git.ts";
import { isWithin, real } from "./policy.ts";

/** Something that a git in the project obeys: it names programs, or says where such names are. */
export interface Obeyed {
  readonly path: string;
  readonly what: "config" | "hook" | "common folder" | "worktree's common folder" | "way";
}

/** Where a git in the project looks. No path leads through a link. */
export interface Grounds {
  readonly project: string;
  /** The work tree that the project is in, or the project. */
  readonly top: string;
  /** The folders of the repository that was there when the run began: the common one first, the work tree's own last. */
  readonly gitDirs: readonly string[];
  /** Where its config says that hooks and more configs are. What was there cannot be written; what was not can be made. */
  readonly named?: { readonly hooks: readonly string[]; readonly configs: readonly string[] };
}

/** Repositories that an index names, by its path, with the mark of the index in which they were found. */
export type Links = Map<string, { readonly mark: string; readonly folders: readonly string[] }>;

/** Listing an index takes far less; whoever has put a pipe where git reads keeps us no longer. */
const MOST_LISTING_MS = 30_000;

/** Whoever makes more folders than this has them looked through no further. */
const MOST_FOLDERS = 20_000;
const MOST_BYTES = 1024 * 1024;

/**
 * What git itself and its users write to the config of a repository and that runs nothing. A list of what does would be long, and
 * older than the next git.
 */
const PLAIN_KEY =
  /^(?:core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|worktree|symlinks|ignorecase|precomposeunicode|autocrlf|eol|safecrlf|quotepath|sparsecheckout|sparsecheckoutcone)|extensions\..*|remote\.(?:.*\.)?(?:url|pushurl|fetch|push|tagopt|promisor|partialclonefilter|mirror|prune|pushdefault)|branch\..*\.(?:remote|merge|rebase|pushremote|description)|submodule\.(?:.*\.)?(?:url|active|branch|ignore|path|shallow|fetchrecursesubmodules)|user\.(?:name|email)|init\.defaultbranch|(?:commit|tag)\.gpgsign|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote)|merge\.conflictstyle|gc\.(?!recentobjectshook$).*|(?:index|pack|advice|color)\..*|lfs\.(?:repositoryformatversion|.*\.(?:access|locksverify)))$/;

/** Finds all that a git obeys that is started in the project, also where it goes into repositories inside by itself. */
export async function findObeyed(grounds: Grounds, links: Links): Promise<Obeyed[]> {
  const finder = new Finder(grounds, links);
  for (const gitDir of grounds.gitDirs) finder.repository(gitDir);
  finder.named(grounds.named);
  await finder.workTree(grounds.project);
  if (isRepository(grounds.project)) finder.repository(grounds.project);
  const own = grounds.gitDirs.at(-1);
  if (own !== undefined) {
    await finder.inside(grounds.top, own);
    await finder.beside(grounds.top, own);
  }
  return finder.found;
}

/** Would git take a folder for a repository without a work tree? Its HEAD may be a link to a branch that is not there yet. */
function isRepository(folder: string): boolean {
  const has = (name: string) => infoOf(join(folder, name)) !== undefined;
  return has("HEAD") && (has("commondir") || (has("objects") && has("refs")));
}

class Finder {
  readonly found: Obeyed[] = [];
  readonly #places: readonly string[];
  readonly #links: Links;
  readonly #seen = new Set<string>();
  readonly #entered = new Set<string>();
  readonly #gitDirs: readonly string[];
  #folders = 0;

  constructor({ project, top, gitDirs }: Grounds, links: Links) {
    this.#places = [project, top, ...gitDirs];
    this.#gitDirs = gitDirs;
    this.#links = links;
  }

  /** One repository with its worktrees and the submodules that it keeps. The folder of a worktree says where the common one is. */
  repository(gitDir: string, commonDir: Obeyed["what"] = "common folder"): void {
    if (this.#seen.has(gitDir)) return;
    this.#seen.add(gitDir);
    this.#add(join(gitDir, "config"), "config");
    this.#add(join(gitDir, "config.worktree"), "config");
    this.#add(join(gitDir, "commondir"), commonDir);
    for (const path of this.#entries(join(gitDir, "hooks"))) this.#hook(path);
    for (const path of this.#foldersIn(join(gitDir, "worktrees")))
      this.repository(path, "worktree's common folder");
    this.#modules(join(gitDir, "modules"));
  }

  /** What a config names here. */
  named({ hooks, configs }: Grounds["named"] = { hooks: [], configs: [] }): void {
    const isHere = (path: string) => this.#places.some((place) => isWithin(path, place));
    for (const path of hooks.filter(isHere).flatMap((folder) => this.#entries(folder))) this.#hook(path);
    for (const path of configs.filter(isHere)) this.#add(path, "config");
  }

  /** A folder with a `.git` of its own, and what is in it. */
  async workTree(folder: string): Promise<void> {
    const link = join(folder, ".git");
    const info = infoOf(link);
    if (info === undefined) return;
    const target = info.isDirectory() ? link : targetOf(link);
    const isNear = target !== undefined && this.#places.some((place) => isWithin(target, place));
    if (!isNear) return this.#add(link, "way");
    this.repository(target);
    await this.inside(folder, target);
  }

  /** Repositories that an index names: git asks each whether it is clean, by a git that obeys what stands there. */
  async inside(top: string, gitDir: string): Promise<void> {
    if (this.#entered.has(top)) return;
    this.#entered.add(top);
    for (const folder of await this.#linksOf(top, gitDir)) await this.#within(folder);
  }

  /** Repositories that no index names yet: the next commit takes them into it, ours as well as the user's. */
  async beside(top: string, gitDir: string): Promise<void> {
    if (isNoFile(join(gitDir, "index"))) return;
    const listed = await list(top, gitDir, ["--others", "--exclude-standard"]);
    for (const name of listed ?? []) if (name.endsWith("/")) await this.#within(join(top, name));
  }

  /** A folder that may be a repository inside. */
  async #within(folder: string): Promise<void> {
    const [place] = real(folder);
    if (isOdd(folder)) this.found.push({ path: folder, what: "way" });
    else if (place === resolve(folder)) await this.workTree(place);
  }

  /** Git is asked only when the index has changed. */
  async #linksOf(top: string, gitDir: string): Promise<readonly string[]> {
    const index = join(gitDir, "index");
    // Git would wait for a pipe. A config like that is seen by itself, and what is behind it when that is gone.
    if (isNoFile(index)) this.#add(index, "way");
    if (isNoFile(index) || isNoFile(join(gitDir, "config"))) return [];
    // What a link leads to changes, and the link does not.
    const [place = index] = real(index);
    const mark = [place, markOf(place)].join(":");
    const known = this.#links.get(index);
    if (known?.mark === mark) return known.folders;
    const listed = infoOf(index) === undefined ? [] : await list(top, gitDir, ["--stage"]);
    if (listed === undefined) {
      // The user's git may be able to read it, and go where we have not been.
      if (!this.#gitDirs.includes(gitDir)) this.#add(index, "way");
      return [];
    }
    const folders = listed
      .filter((line) => line.startsWith("160000 "))
      .map((line) => join(top, line.slice(line.indexOf("\t") + 1)));
    this.#links.set(index, { mark, folders });
    return folders;
  }

  #modules(folder: string): void {
    for (const path of this.#foldersIn(folder)) {
      if (infoOf(join(path, "HEAD")) !== undefined) this.repository(path);
      else this.#modules(path);
    }
  }

  #hook(path: string): void {
    const info = infoOf(path);
    if (info === undefined || info.isDirectory() || path.endsWith(".sample")) return;
    if (info.isSymbolicLink() || (info.mode & 0o111) !== 0) this.#add(path, "hook");
  }

  /** The folders in one. Git makes no links there, and would follow them. */
  #foldersIn(folder: string): string[] {
    return this.#entries(folder).filter((path) => {
      const info = infoOf(path);
      if (info?.isSymbolicLink() === true) this.#add(path, "way");
      return info?.isDirectory() === true;
    });
  }

  #entries(folder: string): string[] {
    const info = infoOf(folder);
    if (info?.isSymbolicLink() === true) this.#add(folder, "way");
    if (info?.isDirectory() !== true) return [];
    if (++this.#folders > MOST_FOLDERS) {
      this.#add(folder, "way");
      return [];
    }
    const paths = pathsIn(folder);
    if (paths === undefined) this.#add(folder, "way");
    for (const path of paths?.filter(isOdd) ?? []) this.found.push({ path, what: "way" });
    return paths ?? [];
  }

  #add(path: string, what: Obeyed["what"]): void {
    if (infoOf(path) !== undefined) this.found.push({ path, what });
  }
}

/** For what is missing git would go to a remote, with the program that an agent's config names for that: it may go nowhere. */
function list(top: string, gitDir: string, words: readonly string[]): Promise<string[] | undefined> {
  const env = { GIT_DIR: gitDir, GIT_WORK_TREE: top, GIT_ALLOW_PROTOCOL: "" };
  return gitList(top, ["ls-files", "-z", ...words], env, MOST_LISTING_MS);
}

/** A name that is no text: we cannot look at what it stands for, and git can. */
function isOdd(path: string): boolean {
  return path.includes("\ufffd");
}

/** Changes with every change of a file; its last part nobody can set. Empty when it is not there. */
export function markOf(path: string): string {
  const info = infoOf(path);
  return info === undefined ? "" : [info.ino, info.mode, info.size, info.ctimeMs].join(":");
}

/** What is in a folder; undefined where it may not be listed, although what is in it can be used. */
function pathsIn(folder: string): string[] | undefined {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return undefined;
  }
}

/** What stands there; nothing where we may not look, and the user's git may not either. */
function infoOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

/** Is there something, and no file or folder? */
function isNoFile(path: string): boolean {
  const info = infoOf(real(path)[0] ?? path);
  return info?.isFIFO() === true || info?.isSocket() === true || info?.isCharacterDevice() === true;
}

/** Where a `.git` that is no folder leads. */
function targetOf(link: string): string | undefined {
  if (lstatSync(link).isSymbolicLink()) return real(link)[0];
  const path = /^gitdir: (.*[^\r\n])[\r\n]*$/s.exec(textOf(link) ?? "")?.[1];
  return path === undefined ? undefined : real(resolve(dirname(link), path))[0];
}

/**
 * Is it only what git itself would have written there, or what stood there before? A worktree and a submodule that an agent adds
 * are its work.
 */
export async function isHarmless(
  { path, what }: Obeyed,
  grounds: Grounds,
  before: readonly string[] = [],
): Promise<boolean> {
  if (what === "worktree's common folder") return textOf(path)?.trim() === "../..";
  if (what !== "config") return false;
  return (await unusualIn(path, grounds))?.every((entry) => before.includes(entry)) === true;
}

/** What a config holds besides git's usual entries, each as a mark that keeps its words to itself; undefined when it cannot be read. */
export async function unusualIn(path: string, { project, top }: Grounds): Promise<string[] | undefined> {
  if (textOf(path) === undefined) return undefined;
  const listed = await git(project, ["config", "--file", path, "--no-includes", "-z", "--list"]);
  if (listed.code !== 0) return undefined;
  const isInside = (folder: string) =>
    [folder, ...real(folder)].every((one) => [project, top].some((place) => isWithin(one, place)));
  const isUsual = (entry: string) => {
    const [key = "", ...value] = entry.split("\n");
    if (key === "core.worktree") return isInside(resolve(dirname(path), value.join("\n")));
    if (key === "core.fsmonitor") return /^(?:true|false)$/.test(value.join("\n"));
    return PLAIN_KEY.test(key.toLowerCase());
  };
  const entries = listed.stdout.split("\0").filter((one) => one !== "" && !isUsual(one));
  return entries.map((entry) => createHash("sha256").update(entry).digest("hex"));
}

function textOf(path: string): string | undefined {
  try {
    return readNoFollow(path, MOST_BYTES);
  } catch {
    return undefined; // no plain file
  }
}
