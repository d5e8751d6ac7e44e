import type { BaseIssue } from "valibot";
import { UserError } from "../errors.ts";
import { didYouMean } from "./did-you-mean.ts";
import { type KeyPath, locatorOf, type Place, type Position } from "./locate.ts";
import { describeValue, dotted } from "./say.ts";

/** The name and the text of a settings file that was read. */
export interface SettingsFile {
  /** Relative to the project: `.ralph/settings.json`. */
  readonly name: string;
  readonly text: string;
}

/** One thing that is wrong in one settings file. */
export type Fault = { readonly path: KeyPath } & (
  | { readonly kind: "unknown"; readonly known: readonly string[] }
  | { readonly kind: "missing" }
  /** It stands twice in one object; here is the second time. */
  | { readonly kind: "repeated"; readonly at: Place; readonly firstLine: number }
  | {
      readonly kind: "bad";
      readonly found: string;
      readonly wanted: string;
      readonly suggestion?: string | undefined;
    }
);

/** Finding places costs the size of the file each; the first few are enough to know which one comes first. */
const LOCATED = 50;

/** What valibot found, in our words. It names only the first unknown key of an object; here each is a fault. */
export function faultsOf(issues: readonly BaseIssue<unknown>[], within: KeyPath = []): Fault[] {
  return issues.flatMap((issue): Fault[] => {
    const own = (issue.path ?? []).map((item) =>
      typeof item.key === "number" ? item.key : String(item.key),
    );
    const path = [...within, ...own];
    // Of several shapes that a value may have, the one that fits on the outside says what is wrong inside.
    const inside = (issue.issues ?? []).filter((one) => one.path !== undefined);
    if (issue.type === "union" && inside.length > 0) return faultsOf(inside, path);
    // A word that is none of the known ones may be near to one of them.
    const word = (issue.issues ?? []).find((one) => one.type === "picklist" && typeof one.input === "string");
    if (issue.type === "union" && word !== undefined) return faultsOf([word], path);
    const last = issue.path?.at(-1);
    if (last?.origin === "key" && issue.expected === "never") {
      const known = issue.message.split(" ");
      const keys = Object.keys(last.input as object).filter((key) => !known.includes(key));
      return keys.map((key) => ({ kind: "unknown", path: [...path.slice(0, -1), key], known }));
    }
    if (last?.origin === "key") return [{ kind: "missing", path }];
    const choices = Array.from(issue.expected?.matchAll(/"([^"]*)"/g) ?? [], (match) => match[1] ?? "");
    const suggestion =
      issue.type === "picklist" && typeof issue.input === "string"
        ? didYouMean(issue.input, choices)
        : undefined;
    return [{ kind: "bad", path, found: describeValue(issue.input), wanted: issue.message, suggestion }];
  });
}

/** The error for the first fault of a file, in the order of the text; `why` counts the others, `more` in other files too. */
export async function faultError(
  file: SettingsFile,
  faults: readonly [Fault, ...Fault[]],
  more: number,
): Promise<UserError> {
  const locator = await locatorOf(file.text);
  const placed = faults.slice(0, LOCATED).map((fault) => {
    if (fault.kind === "repeated") return { fault, at: fault.at };
    // A key that is not there is missing from the object around it.
    const path = fault.kind === "missing" ? fault.path.slice(0, -1) : fault.path;
    return { fault, at: locator.find(path, fault.kind === "unknown" ? "key" : "value") };
  });
  placed.sort((a, b) => (a.at?.offset ?? Infinity) - (b.at?.offset ?? Infinity));
  const { fault, at } = placed[0] ?? { fault: faults[0], at: undefined };
  const [what, why, fix] = wording(fault, place(file.name, at));
  const others = faults.length - 1 + more;
  const rest = others === 0 ? "" : `; ${others} more ${others === 1 ? "fault" : "faults"} in the settings`;
  return new UserError(what, why + rest, fix);
}

/** A file and, where it is known, the line and column in it. */
export function place(name: string, at: Position | undefined): string {
  return at === undefined ? name : `${name}, line ${at.line}, column ${at.column}`;
}

function wording(fault: Fault, where: string): [what: string, why: string, fix: string] {
  const key = dotted(fault.path);
  const parent = dotted(fault.path.slice(0, -1));
  if (key === "" && fault.kind === "bad") {
    return [
      `bad settings in ${where}`,
      `the file holds ${fault.found}, where ${fault.wanted} is wanted`,
      "Put the settings between { and }.",
    ];
  }
  switch (fault.kind) {
    case "unknown": {
      const near = didYouMean(String(fault.path.at(-1)), fault.known);
      return [
        `unknown setting ${key} in ${where}`,
        `${parent === "" ? "ralph" : parent} has no setting of that name`,
        near === undefined
          ? `Remove it, or use one of: ${fault.known.join(", ")}.`
          : `Did you mean "${near}"?`,
      ];
    }
    case "repeated":
      return [
        `setting ${key} stands twice in ${where}`,
        `line ${fault.firstLine} has it already, and only one of them can count`,
        "Remove one of the two.",
      ];
    case "missing":
      return [
        `missing setting ${key} in ${where}`,
        `${parent} needs it`,
        `Add "${fault.path.at(-1)}" to ${parent}.`,
      ];
    case "bad":
      return [
        `bad setting ${key} in ${where}`,
        `it is ${fault.found}, where ${fault.wanted} is wanted`,
        fault.suggestion === undefined
          ? `Give ${key} ${fault.wanted}.`
          : `Did you mean "${fault.suggestion}"?`,
      ];
  }
}
