import { type Front, type Look, nextFront } from "./front.ts";
import { type BusMessage, READ_MOST } from "./message.ts";

const ESCAPED_LINES = /(^|\n)\\(\\*\ufeff?---[ \t]*\r?)(?=\n|$)/g;

/** The messages in a piece of a bus, and how much of it they take. */
export interface Parsed {
  readonly messages: BusMessage[];
  /** Bytes that need not be looked at again. */
  readonly consumed: number;
  /** The last message says that it is longer than what is there: its write may be under way. */
  readonly isShort: boolean;
}

/** The messages in the text of a bus. Whatever the text is, this gives an answer. */
export function parseMessages(text: string): BusMessage[] {
  return parseBytes(Buffer.from(text, "utf8"), 0, true).messages;
}

/**
 * The messages in bytes that stand at `base` in a bus. Without `atEnd` more bytes are there to be read, and a message
 * whose end is not in sight is left for the next piece; but one that fills the whole piece is cut, so that reading
 * always gets on.
 */
export function parseBytes(bytes: Buffer, base: number, atEnd: boolean): Parsed {
  const text = bytes.toString("latin1");
  const messages: BusMessage[] = [];
  let done = 0;
  let isShort = false;
  for (let look = nextFront(text, 0, atEnd); ; ) {
    if (look.kind !== "front" && !atEnd) break;
    const textEnd = startOf(look, text);
    const note = noteOf(bytes, base, done, textEnd);
    if (note !== undefined) messages.push(note);
    done = textEnd;
    if (look.kind !== "front") break;
    const next = nextFront(text, look.bodyStart, atEnd);
    const limit = startOf(next, text);
    const sized = sizedEnd(look, text, limit);
    if (sized === undefined && next.kind !== "front" && !atEnd) break;
    const end = sized === undefined ? limit : sized + 2;
    const raw = bytes.subarray(look.bodyStart, sized ?? withoutLineEnds(text, look.bodyStart, limit));
    messages.push(messageOf(look, raw, base, end));
    done = end;
    isShort =
      next.kind !== "front" && look.size !== undefined && text.length < look.bodyStart + look.size + 2;
    look = next;
  }
  if (done === 0 && !atEnd) return parseBytes(bytes.subarray(0, cutPoint(text)), base, true);
  return { messages, consumed: done, isShort };
}

function startOf(look: Look, text: string): number {
  return look.kind === "none" ? text.length : look.start;
}

/** The end of a body that is as long as its writer says. A size that does not fit what is there is not believed. */
function sizedEnd(front: Front, text: string, limit: number): number | undefined {
  if (front.size === undefined) return undefined;
  const end = front.bodyStart + front.size;
  return end + 2 <= limit && text.startsWith("\n\n", end) ? end : undefined;
}

/** Takes the end of the last line and one blank line off a body that was written by hand. */
function withoutLineEnds(text: string, start: number, end: number): number {
  const tail = text.slice(Math.max(start, end - 4), end);
  const ending = ["\r\n\r\n", "\n\n", "\r\n", "\n"].find((one) => tail.endsWith(one));
  return end - (ending?.length ?? 0);
}

/** At a line's end where that leaves much, so that the rest of a line does not pass for a line. */
function cutPoint(text: string): number {
  const newline = text.lastIndexOf("\n") + 1;
  return newline * 2 < text.length ? text.length : newline;
}

function messageOf(front: Front, raw: Buffer, base: number, end: number): BusMessage {
  const { fields, type } = front;
  const at = momentOf(fields.get("at"));
  const run = fields.get("run");
  const from = fields.get("from");
  return {
    id: fields.get("id") || idAt(base + front.start),
    type,
    ...(at === undefined ? {} : { at }),
    ...(run ? { run } : {}),
    ...(from ? { from } : {}),
    ...bodyOf(raw),
    start: base + front.start,
    end: base + end,
  };
}

/** Text that belongs to no message. A fence alone is what hands put between messages, and says nothing. */
function noteOf(bytes: Buffer, base: number, start: number, end: number): BusMessage | undefined {
  const { body, ...rest } = bodyOf(bytes.subarray(start, end));
  const words = body.replace(/^(?:[ \t]*\r?\n)+/, "").trimEnd();
  if (words.trim() === "" || words.trim() === "---") return undefined;
  return { id: idAt(base + start), type: "note", body: words, ...rest, start: base + start, end: base + end };
}

function bodyOf(raw: Buffer): Pick<BusMessage, "body" | "truncated"> {
  const isLong = raw.length > READ_MOST;
  const text = raw.subarray(0, isLong ? wholeCharacters(raw, READ_MOST) : raw.length).toString("utf8");
  const body = text.replace(ESCAPED_LINES, "$1$2");
  return isLong ? { body, truncated: true } : { body };
}

/** Goes back from the middle of a character of several bytes to its beginning. */
function wholeCharacters(raw: Buffer, end: number): number {
  let at = end;
  while (at > end - 3 && ((raw[at] ?? 0) & 0xc0) === 0x80) at--;
  return at;
}

/** The id of a message that has none of its own. */
function idAt(offset: number): string {
  return `@${offset}`;
}

function momentOf(value: string | undefined): string | undefined {
  const at = new Date(value ?? "");
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}
