import { posix } from "node:path";
import { absolute, isWithin, whereIs } from "./paths.ts";
import type { RuleName } from "./rules.ts";
import type { Place } from "./ruling.ts";

/** A program with its words, as it would be started. */
export interface Call {
  /** Its name, without the folder. */
  readonly name: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** What it would read from its standard input; empty when nothing is told. */
  readonly stdin: string;
  /** Variables that are set for it alone. */
  readonly env: ReadonlyMap<string, string>;
  readonly place: Place;
}

/** The rule that a call breaks, or that it cannot be known; undefined: nothing is wrong with it. */
export type Verdict = RuleName | "unresolved" | undefined;
export type Judge = (call: Call) => Verdict;

/** The worst of some verdicts: what is known to be wrong before what is not known. */
export function worst(verdicts: readonly Verdict[]): Verdict {
  return (
    verdicts.find((one) => one !== undefined && one !== "unresolved") ??
    verdicts.find((one) => one !== undefined)
  );
}

/** May these be deleted? */
export function deleting(call: Pick<Call, "cwd" | "place">, paths: readonly string[]): Verdict {
  return worst(paths.map((path) => deletingOne(path, call)));
}

function deletingOne(path: string, { cwd, place }: Pick<Call, "cwd" | "place">): Verdict {
  switch (whereIs(path, cwd, place)) {
    case "project":
    case "temp":
      return undefined;
    case "whole-project":
      return isWithin(absolute(path, cwd, place.home), place.project) ? "delete-project" : "delete-outside";
    case "harness":
      return "harness-files";
    case "git":
      return "git-hooks";
    case "unknown":
      return "unresolved";
    default:
      return "delete-outside";
  }
}

/** May these be written, or made anew? */
export function writing(call: Pick<Call, "cwd" | "place">, paths: readonly string[]): Verdict {
  return worst(paths.map((path) => writingOne(path, call)));
}

function writingOne(path: string, { cwd, place }: Pick<Call, "cwd" | "place">): Verdict {
  const at = absolute(path, cwd, place.home);
  switch (whereIs(path, cwd, place)) {
    case "project":
    case "temp":
    case "unknown": // a file of an unknown name is most often a log
      return undefined;
    case "whole-project":
      if (at === place.project || at === `${place.project}/*`) return undefined; // into the folder
      return isWithin(at, place.project) ? "git-hooks" : "write-outside";
    case "harness":
      return "harness-files";
    case "git":
      return "git-hooks";
    case "device":
      return /^\/dev\/(?:tcp|udp)\//.test(at) ? "reverse-shell" : "write-device";
    case "start-file":
      return "start-file";
    case "keys":
      return "let-in";
    default:
      if (
        isWithin(at, "/etc/sudoers") ||
        isWithin(at, "/etc/sudoers.d") ||
        /^\/etc\/(?:passwd|shadow|group)$/.test(at)
      )
        return "accounts";
      if (isWithin(at, "/proc") || isWithin(at, "/sys")) return "kernel";
      // A temporary folder as a whole is a place to put things in.
      return at === "/tmp" || at === "/var/tmp" ? undefined : "write-outside";
  }
}

/** May these be moved away? Not deleted, but no longer where somebody looks for them. */
export function moving(call: Pick<Call, "cwd" | "place">, paths: readonly string[]): Verdict {
  const verdict = deleting(call, paths);
  return verdict === "delete-outside" ? "write-outside" : verdict;
}

/** May rights or owners of these be changed? */
export function entitling(call: Pick<Call, "cwd" | "place">, paths: readonly string[]): Verdict {
  return worst(
    paths.map((path) => {
      const where = whereIs(path, call.cwd, call.place);
      if (where === "harness") return "harness-files";
      if (where === "git") return "git-hooks";
      if (where === "unknown") return "unresolved";
      const isOwn = isWithin(absolute(path, call.cwd, call.place.home), call.place.project);
      return isOwn || where === "project" || where === "temp" ? undefined : "wide-rights";
    }),
  );
}

/** The name of a program without its folder. */
export function programName(word: string): string {
  return posix.basename(word);
}

/** A table of judges: several programs may share one, and a program may have several. */
export function table(rows: readonly (readonly [names: string, judge: Judge])[]): ReadonlyMap<string, Judge> {
  const judges = new Map<string, Judge>();
  for (const [names, judge] of rows) {
    for (const name of names.split(" ")) {
      const other = judges.get(name);
      judges.set(name, other === undefined ? judge : (call) => worst([other(call), judge(call)]));
    }
  }
  return judges;
}
