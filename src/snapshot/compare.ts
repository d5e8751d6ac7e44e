import { zeroSeparated } from "./names.ts";
import type { Fault, Shadow } from "./shadow.ts";

/** What a tree holds at one path: git's mode, and the name of the content. */
export interface Entry {
  /** 100644 a file, 100755 one that can be run, 120000 a link, 160000 the commit of another repository. */
  readonly mode: string;
  readonly id: string;
}

/** One path at which two trees differ. A renamed file is one that went and one that came. */
export interface Change {
  /** Relative to the top of the work tree. Bytes that are no text are in it as `names.ts` says. */
  readonly path: string;
  readonly kind: "added" | "deleted" | "modified" | "type" | "mode";
  readonly from?: Entry;
  readonly to?: Entry;
}

/** How a diff is to look. */
export interface PatchLook {
  readonly color?: boolean;
  /** A table of files instead of their lines. */
  readonly stat?: boolean;
  /** Whole, so that `git apply` can take it: with what is no text. */
  readonly whole?: boolean;
}

/** The paths at which two snapshots differ, in git's order. */
export async function compareTrees(
  shadow: Shadow,
  from: string,
  to: string,
): Promise<{ readonly changes: readonly Change[] } | Fault> {
  if (from === to) return { changes: [] };
  const raw = await shadow.collect(["diff-tree", "-r", "-z", "--raw", "--no-renames", from, to]);
  if ("fault" in raw) return raw;
  const words = zeroSeparated(raw);
  const changes: Change[] = [];
  for (let at = 0; at + 1 < words.length; at += 2)
    changes.push(changeOf(words[at] ?? "", words[at + 1] ?? ""));
  return { changes };
}

/**
 * The difference of two snapshots as git shows it to people; runs no program that somebody's settings name. What files hold is
 * in it as it is: clean it before it goes to a terminal.
 */
export async function patchBetween(
  shadow: Shadow,
  from: string,
  to: string,
  look: PatchLook = {},
): Promise<{ readonly text: string } | Fault> {
  const patch = await patchBytes(shadow, from, to, look);
  return "fault" in patch ? patch : { text: patch.bytes.toString("utf8") };
}

/** The same as bytes: files need not be text. */
export async function patchBytes(
  shadow: Shadow,
  from: string,
  to: string,
  look: PatchLook = {},
): Promise<{ readonly bytes: Buffer } | Fault> {
  const patch = await shadow.collect([
    "diff-tree",
    "-r",
    "--find-renames",
    "--no-ext-diff",
    "--no-textconv",
    `--color=${look.color === true ? "always" : "never"}`,
    ...(look.stat === true ? ["--stat"] : ["--patch"]),
    ...(look.whole === true ? ["--binary", "--full-index"] : []),
    from,
    to,
  ]);
  return "fault" in patch ? patch : { bytes: patch };
}

/** `:<mode> <mode> <id> <id> <letter>` */
function changeOf(raw: string, path: string): Change {
  const [mode = "", toMode = "", id = "", toId = ""] = raw.slice(1).split(" ");
  const from = { mode, id };
  const to = { mode: toMode, id: toId };
  if (isNothing(from)) return { path, kind: "added", to };
  if (isNothing(to)) return { path, kind: "deleted", from };
  if (typeOf(from) !== typeOf(to)) return { path, kind: "type", from, to };
  return { path, kind: from.id === to.id ? "mode" : "modified", from, to };
}

function isNothing(entry: Entry): boolean {
  return entry.mode === "000000";
}

/** Files, links and commits; whether a file can be run is no matter of its type. */
function typeOf(entry: Entry): string {
  return entry.mode.slice(0, 3);
}
