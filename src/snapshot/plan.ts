import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gitError } from "../scm/git.ts";
import { type Change, compareTrees } from "./compare.ts";
import { foldersOf, isText, zeroSeparated } from "./names.ts";
import { readBlobs } from "./objects.ts";
import type { Fault, Shadow } from "./shadow.ts";
import { isSame } from "./standing.ts";

/** Why a path stays as it is although the snapshot has something else there. */
export type Reason =
  /** The user changed it after the run, which had not touched it. */
  | "yours"
  /** The user changed it after the run had changed it too. */
  | "conflict"
  /** What stays at another path needs its place. */
  | "in-the-way"
  /** The rules of the time that is gone back to ignore it: it was there, unseen, or is nobody's work. */
  | "ignored"
  /** Another repository: its own git keeps what is in it. */
  | "repository";

/** A path that a restore leaves alone. */
export interface Kept {
  readonly path: string;
  readonly why: Reason;
}

/** What a restore would do, as plain data. */
export interface RestorePlan {
  readonly from: string;
  readonly to: string;
  readonly write: readonly Change[];
  readonly remove: readonly Change[];
  readonly kept: readonly Kept[];
}

/** A time in which nobody but the user worked: what differs between its two trees is theirs. */
export interface Gap {
  readonly known: string;
  readonly seen: string;
  /** A restore to this tree began in it and was cut short: what is as it is there was its doing. */
  readonly half?: string;
}

/** From which tree to which, and what the run left. */
export interface RestoreRequest {
  /** The present, just snapshotted. */
  readonly from: string;
  readonly to: string;
  /** The last tree that the run knew: from then on the user worked. */
  readonly last?: string;
  /** The same when the user worked more than once. Without either everything is the run's. */
  readonly gaps?: readonly Gap[];
}

/** Works out what going from the present to a snapshot would change, and what of the user's it leaves alone. */
export async function planRestore(shadow: Shadow, request: RestoreRequest): Promise<RestorePlan | Fault> {
  const { from, to, last } = request;
  const gaps = request.gaps ?? (last === undefined ? [] : [{ known: last, seen: from }]);
  const wanted = await compareTrees(shadow, from, to);
  if ("fault" in wanted) return wanted;
  const mine: Change[] = [];
  for (const gap of gaps) {
    const changes = await changesIn(shadow, gap);
    if ("fault" in changes) return changes;
    mine.push(...changes.changes);
  }
  const ignored = await ignoredThen(shadow, to, wanted.changes);
  if ("fault" in ignored) return ignored;
  return { from, to, ...sortOut(wanted.changes, mine, ignored.paths) };
}

async function changesIn(shadow: Shadow, { known, seen, half }: Gap): ReturnType<typeof compareTrees> {
  const made = await compareTrees(shadow, known, seen);
  if (half === undefined || "fault" in made) return made;
  const since = await compareTrees(shadow, half, seen);
  if ("fault" in since) return since;
  const others = new Set(since.changes.map((change) => change.path));
  return { changes: made.changes.filter((change) => others.has(change.path)) };
}

/** The pure part: each wanted change is made, or has a reason not to be. */
export function sortOut(
  wanted: readonly Change[],
  mine: readonly Change[],
  ignored: ReadonlySet<string>,
): Pick<RestorePlan, "write" | "remove" | "kept"> {
  const changedByUser = new Map(mine.map((change) => [change.path, change]));
  const repositories = strayRepositories(wanted);
  const reasonFor = (change: Change): Reason | undefined => {
    const own = changedByUser.get(change.path);
    if (own !== undefined)
      return isSame(own.from, change.to) && isSame(own.to, change.from) ? "yours" : "conflict";
    if (change.from?.mode === COMMIT || change.to?.mode === COMMIT) return "repository";
    if (change.to !== undefined) return undefined;
    if (ignored.has(change.path)) return "ignored";
    return foldersOf(change.path).some((folder) => repositories.has(folder)) ? "repository" : undefined;
  };
  const decided = wanted.map((change) => ({ change, why: reasonFor(change) }));
  const staying = decided.filter(({ change, why }) => why !== undefined && change.from !== undefined);
  const places = new Set(staying.map(({ change }) => change.path));
  const folders = new Set(staying.flatMap(({ change }) => foldersOf(change.path)));
  const isBlocked = (path: string) =>
    folders.has(path) || foldersOf(path).some((folder) => places.has(folder));
  const final = decided.map(({ change, why }) => ({
    change,
    why: why ?? (change.to !== undefined && isBlocked(change.path) ? ("in-the-way" as const) : undefined),
  }));
  const made = final.filter(({ why }) => why === undefined).map(({ change }) => change);
  return {
    write: made.filter((change) => change.to !== undefined),
    remove: made.filter((change) => change.to === undefined),
    kept: final.flatMap(({ change, why }) => (why === undefined ? [] : [{ path: change.path, why }])),
  };
}

const COMMIT = "160000";

/** Folders that would go and look like the inside of a `.git`: somebody's history, moved away, is not thrown away. */
function strayRepositories(wanted: readonly Change[]): ReadonlySet<string> {
  const going = wanted.filter((change) => change.to === undefined).map((change) => change.path);
  const withObjects = new Set(going.filter((path) => path.includes("/objects/")).flatMap(foldersOf));
  return new Set(
    going
      .filter((path) => path.endsWith("/HEAD"))
      .map((path) => dirname(path))
      .filter((folder) => withObjects.has(`${folder}/objects`)),
  );
}

/**
 * Files that would go, but that the ignore files of the snapshot ignore. They are in a later tree only because somebody
 * changed those files in between, perhaps back again: an `.env` that stood there all along is not the run's to delete.
 */
async function ignoredThen(
  shadow: Shadow,
  to: string,
  wanted: readonly Change[],
): Promise<{ readonly paths: ReadonlySet<string> } | Fault> {
  const going = wanted.filter((change) => change.to === undefined).map((change) => change.path);
  if (going.length === 0) return { paths: new Set() };
  // The rules that stand there are those of then.
  if (!wanted.some((change) => isIgnoreFile(change.path))) return ignoredIn(shadow, shadow.top, going);
  const found = await ignoredBy(shadow, to, going);
  if ("fault" in found) return found;
  // A name that cannot be asked about is kept: rather one file too many than one too few.
  return { paths: new Set([...found.paths, ...going.filter((path) => !isText(path))]) };
}

/** Those of these paths that the ignore files of a tree ignore. */
export async function ignoredBy(
  shadow: Shadow,
  tree: string,
  paths: readonly string[],
): Promise<{ readonly paths: ReadonlySet<string> } | Fault> {
  const folder = mkdtempSync(join(shadow.folder, "rules-"));
  try {
    return (await putIgnoreFiles(shadow, tree, folder)) ?? (await ignoredIn(shadow, folder, paths));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function ignoredIn(
  shadow: Shadow,
  folder: string,
  paths: readonly string[],
): Promise<{ readonly paths: ReadonlySet<string> } | Fault> {
  const found: Buffer[] = [];
  // With `./` in front no name can be taken for one of git's own words, such as `:(top)`. It is answered as it was asked.
  const checked = await shadow.bytes(
    ["check-ignore", "--no-index", "-z", "--stdin"],
    (chunk) => void found.push(chunk),
    {
      cwd: folder,
      workTree: folder,
      stdin: paths
        .filter(isText)
        .map((path) => `./${path}\0`)
        .join(""),
    },
  );
  // 1 is its way of saying: none.
  if (checked.code !== 0 && checked.code !== 1) return { fault: `git check-ignore: ${gitError(checked)}` };
  return { paths: new Set(zeroSeparated(Buffer.concat(found)).map((path) => path.slice(2))) };
}

async function putIgnoreFiles(shadow: Shadow, tree: string, folder: string): Promise<Fault | undefined> {
  const listed = await shadow.collect(["ls-tree", "-r", "-z", tree]);
  if ("fault" in listed) return listed;
  const files = zeroSeparated(listed)
    .map((line) => ({
      id: line.slice(12, line.indexOf("\t")),
      path: line.slice(line.indexOf("\t") + 1),
      line,
    }))
    .filter(({ path, line }) => line.startsWith("100") && isIgnoreFile(path) && isText(path));
  const ids = files.map((file) => file.id);
  return readBlobs(shadow, ids, (index) => {
    const file = join(folder, files[index]?.path ?? "");
    const chunks: Buffer[] = [];
    return {
      data: (chunk) => void chunks.push(chunk),
      end: () => {
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, Buffer.concat(chunks));
      },
    };
  });
}

function isIgnoreFile(path: string): boolean {
  return path === ".gitignore" || path.endsWith("/.gitignore");
}
