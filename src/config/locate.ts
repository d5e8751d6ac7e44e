import type { Node } from "jsonc-parser";

/** A place in a text, counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A place with its offset, which serves to sort. */
export interface Place extends Position {
  readonly offset: number;
}

/** A path of keys and indexes into a JSON value. */
export type KeyPath = readonly (string | number)[];

/** Why a text is no JSON, in words, and where. */
export interface JsonFault {
  readonly why: string;
  readonly fix: string;
  readonly at: Position | undefined;
}

/** Finds keys and values in the text of a JSON file. */
export interface Locator {
  /** Where a value stands, or with `key` the name in front of it. */
  find(path: KeyPath, part: "key" | "value"): Place | undefined;
}

const CAUSES: Readonly<Record<string, readonly [why: string, fix: string]>> = {
  InvalidCommentToken: ["here is a comment, and JSON has none", "Remove the comment."],
  CommaExpected: ["a comma is missing before this place", "Put a comma after the value before it."],
  ColonExpected: ["a colon is missing here", "Put a colon between the name and its value."],
  PropertyNameExpected: [
    "a name in double quotes is missing here",
    "Write the name in double quotes, or remove the comma before this place if it is the last.",
  ],
  ValueExpected: [
    "a value is missing here",
    "Write the value, or remove the comma before this place if it is the last.",
  ],
  CloseBraceExpected: ["a closing } is missing", "Put a } where the object ends."],
  CloseBracketExpected: ["a closing ] is missing", "Put a ] where the list ends."],
  EndOfFileExpected: [
    "there is more text after the end of the settings",
    "Remove what stands after the last }.",
  ],
  UnexpectedEndOfString: ["a closing double quote is missing", 'Put a " where the text ends.'],
  InvalidEscapeCharacter: [
    "a backslash stands before a character that needs none",
    "Write \\\\ for a backslash.",
  ],
  InvalidCharacter: ["a text holds a control character", "Write \\n for a line break and \\t for a tab."],
  InvalidSymbol: [
    "this is nothing that JSON knows",
    "Put names and texts in double quotes; other values are numbers, true, false and null.",
  ],
};

/** Why `JSON.parse` refused a text. The parser that tolerates faults is loaded only here, on the way to an error. */
export async function explainBadJson(text: string): Promise<JsonFault> {
  if (text.trim() === "") {
    return { why: "the file is empty", fix: "Write {} into it, or remove it.", at: undefined };
  }
  const { visit, printParseErrorCode } = await import("jsonc-parser");
  let first: { code: string; offset: number } | undefined;
  try {
    const onError = (error: number, offset: number) => {
      first ??= { code: printParseErrorCode(error), offset };
    };
    visit(text, { onError }, { disallowComments: true, allowTrailingComma: false });
  } catch {
    // Nested too deep for a recursive parser: the error is shown without a place.
  }
  const [why, fix] = CAUSES[first?.code ?? ""] ?? ["it cannot be read here", "Mend this place."];
  return { why, fix, at: first === undefined ? undefined : placeAt(text, first.offset) };
}

/** A locator for a text that is JSON. */
export async function locatorOf(text: string): Promise<Locator> {
  const { parseTree } = await import("jsonc-parser");
  let root: Node | undefined;
  try {
    root = parseTree(text);
  } catch {
    // Nested too deep, as above.
  }
  return {
    find(path, part) {
      let node = root;
      for (const [depth, step] of path.entries()) {
        // The last of several equal keys is the one that JSON.parse takes.
        const child =
          typeof step === "number"
            ? node?.children?.[step]
            : node?.children?.findLast((property) => property.children?.[0]?.value === step);
        const inside = typeof step === "number" ? child : child?.children?.[1];
        const isLast = depth === path.length - 1;
        node = isLast && part === "key" && typeof step === "string" ? child?.children?.[0] : inside;
      }
      return node === undefined ? undefined : placeAt(text, node.offset);
    },
  };
}

/** The place of an offset. */
export function placeAt(text: string, offset: number): Place {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n"), offset };
}
