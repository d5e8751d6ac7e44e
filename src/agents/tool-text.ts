import { isObject } from "./json.ts";

const SUMMARY_CHARS = 200;
const OUTPUT_BYTES = 16 * 1024;
/** No summary needs more of a string than this; it keeps huge arguments cheap. */
const LOOKED_AT_CHARS = 2000;

/** Arguments that say what a call is about, the most telling first. */
const TELLING = [
  "command",
  "cmd",
  "file_path",
  "filePath",
  "notebook_path",
  "path",
  "pattern",
  "query",
  "url",
  "subject",
  "description",
  "skill",
  "prompt",
];

/** Text on one line, without control characters, at most `limit` characters; a cut shows as `…`. */
export function oneLine(text: string, limit = SUMMARY_CHARS): string {
  const flat = text
    .slice(0, limit * 10)
    .replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ")
    .trim();
  if (flat.length <= limit && text.length <= limit * 10) return flat;
  return `${flat.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** The most telling argument of a tool call, on one line. */
export function summaryOf(input: unknown): string {
  if (typeof input === "string") return oneLine(input);
  if (!isObject(input)) return "";
  for (const key of TELLING) {
    const value = input[key];
    if (typeof value === "string" && value.trim() !== "") return oneLine(value);
  }
  return oneLine(scalars(input));
}

/** What is kept of a tool's output: the head of it, and the size of the whole. */
export interface OutputHead {
  readonly output: string;
  readonly lines: number;
  readonly chars: number;
}

/** The head of an output (at most 16 KiB, no character cut in two) with the line and character counts of all of it. */
export function outputHead(text: string): OutputHead {
  return { output: headOf(text), lines: lineCount(text), chars: text.length };
}

function headOf(text: string): string {
  if (Buffer.byteLength(text) <= OUTPUT_BYTES) return text;
  const bytes = Buffer.from(text.slice(0, OUTPUT_BYTES));
  let end = Math.min(bytes.length, OUTPUT_BYTES);
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1; // back to the first byte of a character
  return bytes.subarray(0, end).toString();
}

function lineCount(text: string): number {
  if (text === "") return 0;
  let lines = text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

function scalars(input: Readonly<Record<string, unknown>>): string {
  const words: string[] = [];
  for (const [key, value] of Object.entries(input).slice(0, 20)) {
    if (typeof value === "string") words.push(`${key}=${value.slice(0, LOOKED_AT_CHARS)}`);
    else if (Array.isArray(value)) words.push(`${key} (${value.length})`);
    else if (typeof value === "number" || typeof value === "boolean") words.push(`${key}=${value}`);
  }
  return words.join(" ");
}
