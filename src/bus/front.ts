import { TYPE_PATTERN, VALUE_MOST } from "./message.ts";

/*
 * The structure is looked for in bytes, held as a latin1 string: one character is one byte, so places are offsets in
 * the file whatever the bytes are. Values and bodies are decoded as UTF-8 afterwards.
 */

/** A front matter never closed within so many bytes is text. */
const FRONT_MOST = 16 * 1024;

/** The `size` of a longer body was not written by us. */
const SIZE_PATTERN = /^\d{1,6}$/;

/** A line `---`, perhaps after a byte order mark, with white space and a carriage return that hands leave behind. */
const FENCE = "(?:\\u00ef\\u00bb\\u00bf)?---[ \\t]*\\r?";
const FENCE_LINE = new RegExp(`^${FENCE}$`);
const KEY = /^([A-Za-z][A-Za-z0-9_.-]{0,63})[ \t]*:/;
/** The beginning of a line that can still become a key with its value. */
const PART_OF_KEY = /^(?:[A-Za-z][A-Za-z0-9_.-]{0,63}[ \t]*)?$/;
const PART_OF_FENCE = /^-{1,3}[ \t]*\r?$/;

/** A front matter that was found. */
export interface Front {
  readonly kind: "front";
  readonly start: number;
  readonly bodyStart: number;
  readonly type: string;
  /** How many bytes the body has, if its writer says so. */
  readonly size: number | undefined;
  readonly fields: ReadonlyMap<string, string>;
}

/** What comes next: a message, what may become one when more is written, or no message at all. */
export type Look = Front | { readonly kind: "pending"; readonly start: number } | { readonly kind: "none" };

/** The first front matter at or after a place. With `atEnd`, nothing has been written after the text so far. */
export function nextFront(text: string, from: number, atEnd: boolean): Look {
  const fence = new RegExp(`(?<![^\\n])${FENCE}(?:\\n|$)`, "g");
  fence.lastIndex = from;
  for (let match = fence.exec(text); match !== null; match = fence.exec(text)) {
    const look = readFront(text, match.index, match.index + match[0].length, atEnd);
    if (typeof look !== "number") return look;
    fence.lastIndex = look;
  }
  const lastLine = Math.max(from, text.lastIndexOf("\n") + 1);
  const tail = text.slice(lastLine, lastLine + 3);
  return tail === "-" || tail === "--" ? { kind: "pending", start: lastLine } : { kind: "none" };
}

/** The front matter that this fence opens; or the place of the line because of which it opens none. */
function readFront(text: string, start: number, firstLine: number, atEnd: boolean): Look | number {
  const fields = new Map<string, string>();
  for (let at = firstLine; ; ) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline;
    if (end - start > FRONT_MOST) return at;
    const line = text.slice(at, end);
    if (FENCE_LINE.test(line) && (newline >= 0 || atEnd)) {
      // This fence closes; when what it closes is no front matter, it may still open one.
      return frontOf(fields, start, newline < 0 ? end : newline + 1) ?? at;
    }
    const key = KEY.exec(line);
    if (newline < 0) {
      const canGoOn = key !== null || PART_OF_KEY.test(line) || PART_OF_FENCE.test(line);
      return canGoOn ? { kind: "pending", start } : at;
    }
    if (key === null) return at;
    const name = (key[1] ?? "").toLowerCase();
    if (!fields.has(name)) fields.set(name, decode(line.slice(key[0].length)));
    at = newline + 1;
  }
}

function frontOf(fields: ReadonlyMap<string, string>, start: number, bodyStart: number): Front | undefined {
  const type = fields.get("type");
  if (type === undefined || !TYPE_PATTERN.test(type)) return undefined;
  const size = fields.get("size") ?? "";
  return {
    kind: "front",
    start,
    bodyStart,
    type: type.toLowerCase(),
    size: SIZE_PATTERN.test(size) ? Number(size) : undefined,
    fields,
  };
}

/** Decoded before it is trimmed: a byte of a letter may look like a space. */
function decode(latin1: string): string {
  return Buffer.from(latin1, "latin1")
    .toString("utf8")
    .trim()
    .slice(0, VALUE_MOST)
    .replace(/[\ud800-\udbff]$/, "")
    .trim();
}
