import { randomBytes } from "node:crypto";
import { UserError } from "../errors.ts";
import {
  BODY_MOST,
  KNOWN_TYPES,
  type NewMessage,
  type PostedMessage,
  TYPE_PATTERN,
  VALUE_MOST,
} from "./message.ts";

/** A body line that a reader would take for a fence, or for an escaped one. */
const FENCE_LINES = /(^|\n)(\\*\ufeff?---[ \t]*\r?)(?=\n|$)/g;

/** What is to be written, and what a reader will make of it. */
export interface Composed {
  readonly message: PostedMessage;
  readonly text: string;
}

/** Puts a message into the form of the bus; refuses what has none. */
export function compose(message: NewMessage): Composed {
  const { type, body, nowMs } = message;
  if (!TYPE_PATTERN.test(type)) {
    throw new UserError(
      "cannot post the message",
      "its type is not a word of at most 41 letters, digits, dots, dashes and underscores",
      `Use one of: ${Object.keys(KNOWN_TYPES).join(", ")}.`,
    );
  }
  const bytes = Buffer.from(body, "utf8");
  if (bytes.length > BODY_MOST) {
    throw new UserError(
      "cannot post the message",
      `its body has ${bytes.length} bytes, and ${BODY_MOST} is the most`,
      "Put the long text into a file, and post where it is.",
    );
  }
  const at = new Date(nowMs).toISOString();
  const run = value(message.run);
  const from = value(message.from);
  const posted: PostedMessage = {
    id: `${at.replace(/[-:]/g, "")}-${randomBytes(3).toString("hex")}`,
    at,
    type: type.toLowerCase(),
    ...(run === undefined ? {} : { run }),
    ...(from === undefined ? {} : { from }),
    body: bytes.toString("utf8"), // half a surrogate pair does not survive UTF-8
  };
  return { message: posted, text: frontMatter(posted) };
}

/*
 * The blank line after the body is for people. The size is for readers: the system may show them the first pages of
 * one write before the last, and from the size they know that more is to come.
 */
function frontMatter(message: PostedMessage): string {
  const escaped = message.body.replace(FENCE_LINES, "$1\\$2");
  const lines = [
    "---",
    `id: ${message.id}`,
    `at: ${message.at}`,
    `type: ${message.type}`,
    ...(message.run === undefined ? [] : [`run: ${message.run}`]),
    ...(message.from === undefined ? [] : [`from: ${message.from}`]),
    `size: ${Buffer.byteLength(escaped, "utf8")}`,
    "---",
  ];
  return `${lines.join("\n")}\n${escaped}\n\n`;
}

/** A value on one line, and short. Nothing is left of one that holds nothing but controls and space. */
function value(text: string | undefined): string | undefined {
  const line = Buffer.from((text ?? "").replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " "))
    .toString("utf8")
    .trim()
    .slice(0, VALUE_MOST)
    .replace(/[\ud800-\udbff]$/, "")
    .trim();
  return line === "" ? undefined : line;
}
