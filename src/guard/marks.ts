/*
 * What a word holds before it is run is often known only in part. The unknown part is a mark in the text, and the mark tells what
 * it would be: so it travels through variables, pipes and files like any other text.
 */

/** Anything. */
export const UNKNOWN = "\u0000";
/** Something that is nobody else's business. */
export const SECRET = "\u0001";
/** Something from the network. */
export const FETCHED = "\u0002";
/** Something that was made unreadable, and is made readable again. */
export const HIDDEN = "\u0003";
/** Something of the project's own files. */
export const FILE = "\u0004";

/** Numbers of processes, whoever started them. */
export const PIDS = "\u0005";

const MARKS = [UNKNOWN, SECRET, FETCHED, HIDDEN, FILE, PIDS];

/** Is all of it known? */
export function isKnown(text: string): boolean {
  return !MARKS.some((mark) => text.includes(mark));
}

/** The marks in a text, without the text: what is left of it behind a filter. */
export function marksIn(text: string): string {
  return MARKS.filter((mark) => text.includes(mark)).join("");
}

/** A literal text as it may be taken in: nobody else can set a mark. */
export function literal(text: string): string {
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) < MARKS.length)
      return MARKS.reduce((now, mark) => now.replaceAll(mark, UNKNOWN), text);
  }
  return text;
}
