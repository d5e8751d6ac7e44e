import {
  lstatSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { messageOf } from "../errors.ts";
import { isInside } from "../files.ts";
import { git, gitError } from "./git.ts";

/** How to undo a switch of branches that did not get to its end. */
export interface WayBack {
  /** Does the file stand as it stood before? */
  readonly isUntouched: (path: string) => boolean;
  /** Puts HEAD, the index and the files back. Returns what could not be put back, if anything. */
  readonly goBack: () => Promise<string | undefined>;
}

/**
 * Notes what a switch is about to change: HEAD, the index and these files, relative to the top. All of them are as HEAD has them, or
 * not there: git refuses to begin otherwise. Undefined when git cannot tell where they are.
 */
export async function noteWayBack(
  top: string,
  paths: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<WayBack | undefined> {
  const asked = await git(top, ["rev-parse", "--path-format=absolute", "--git-path", "index"]);
  const commit = await git(top, ["rev-parse", "--verify", "--quiet", "HEAD"]);
  if (asked.code !== 0 || commit.code !== 0) return undefined;
  const index = asked.stdout.replace(/\n$/, "");
  const branch = await branchOf(top);
  const oldIndex = contentOf(index);
  const marks = new Map(paths.map((path) => [path, markOf(join(top, path))]));
  const missingFolders = foldersOf(paths).filter((path) => markOf(join(top, path)) === undefined);
  const isUntouched = (path: string) => markOf(join(top, path)) === marks.get(path);

  const headBack = async (): Promise<string | undefined> => {
    if ((await branchOf(top)) === branch) return undefined;
    const words = ["-m", "ralph: back from a switch that failed"];
    const args =
      branch === undefined
        ? ["update-ref", ...words, "--no-deref", "HEAD", commit.stdout.trim()]
        : ["symbolic-ref", ...words, "HEAD", branch];
    const result = await git(top, args, { env });
    return result.code === 0 ? undefined : gitError(result);
  };

  const filesBack = async (): Promise<string | undefined> => {
    if (oldIndex !== undefined && contentOf(index)?.equals(oldIndex) !== true) replace(index, oldIndex);
    const touched = paths.filter((path) => !isUntouched(path));
    for (const path of touched.filter((one) => marks.get(one) === undefined)) remove(top, path);
    for (const path of missingFolders) removeIfEmpty(join(top, path));
    const old = touched.filter((path) => marks.get(path) !== undefined);
    if (old.length === 0) return undefined;
    const result = await git(top, ["checkout-index", "--force", "-z", "--stdin"], {
      env,
      stdin: old.join("\0"),
    });
    return result.code === 0 ? undefined : gitError(result);
  };

  const goBack = async () => {
    try {
      return (await headBack()) ?? (await filesBack());
    } catch (error) {
      return messageOf(error);
    }
  };
  return { isUntouched, goBack };
}

async function branchOf(top: string): Promise<string | undefined> {
  const on = await git(top, ["symbolic-ref", "--quiet", "HEAD"]);
  return on.code === 0 ? on.stdout.trim() : undefined;
}

/** What changes whenever a file does; undefined when it is not there. */
function markOf(file: string): string | undefined {
  try {
    const { ino, mode, size, mtimeNs, ctimeNs } = lstatSync(file, { bigint: true });
    return [ino, mode, size, mtimeNs, ctimeNs].join(" ");
  } catch {
    return undefined; // not there, or a file stands where a folder should
  }
}

/** All folders on the way to these paths, the deepest first. */
function foldersOf(paths: readonly string[]): string[] {
  const found = new Set<string>();
  for (const path of paths) {
    for (let at = dirname(path); at !== "."; at = dirname(at)) found.add(at);
  }
  return [...found].sort((one, other) => other.length - one.length);
}

function remove(top: string, path: string): void {
  const file = join(top, path);
  if (!isInside(realpathSync(top), realpathSync(dirname(file)))) return; // a link on the way: git wrote nothing there
  if (lstatSync(file).isDirectory())
    removeIfEmpty(file); // the place of a submodule
  else unlinkSync(file);
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // not there, or somebody has put something in it
  }
}

function contentOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined; // a repository may have none yet; one that cannot be read stops git before it begins
  }
}

/** As git itself does it: the lock is the new file. */
function replace(index: string, content: Buffer): void {
  writeFileSync(`${index}.lock`, content, { flag: "wx" });
  renameSync(`${index}.lock`, index);
}
