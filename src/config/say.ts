import { redact } from "../redact.ts";

/*
 * Settings and paths of a cloned project are a stranger's words on the user's terminal. Controls, direction marks and
 * invisible characters are spelled out rather than dropped, so that nothing in a command can hide.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** The same text with every invisible character spelled out. */
export function visible(text: string): string {
  return text.replace(
    INVISIBLE,
    (char) => SHORT[char] ?? `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
}

/** At most `max` characters, and a mark when something was cut off. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** A stranger's word in quotes, short enough for an error. */
export function inQuotes(text: string): string {
  return `"${visible(shorten(redact(text.slice(0, 1000)), 60))}"`;
}

/** What a JSON value is, in words. */
export function describeValue(value: unknown): string {
  if (typeof value === "string") return value === "" ? "an empty text" : `the text ${inQuotes(value)}`;
  if (Array.isArray(value)) return "a list";
  if (value !== null && typeof value === "object") return "an object";
  return String(value);
}

/** A key path as people write it: `guardrails[0].command`. */
export function dotted(path: readonly (string | number)[]): string {
  return path
    .map((part, index) =>
      typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${keyName(part)}`,
    )
    .join("");
}

function keyName(key: string): string {
  return /^[\w$-]{1,60}$/.test(key) ? key : inQuotes(key);
}
