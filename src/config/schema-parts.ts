import * as v from "valibot";
import { DURATION_PATTERN } from "./duration.ts";
import { RESPONSE_PATTERN, RESPONSE_WANTED } from "./response.ts";

/* What the schema of the settings is made of. The message of each part says what is wanted there. */

// No program can be given a NUL. Both patterns take one path through a text, however long it is.
const NO_NUL = /^[^\u0000]*$/;
const NOT_BLANK = /^\s*[^\s\u0000][^\u0000]*$/;

/** True or false. */
export const flag = (): v.BooleanSchema<string> => v.boolean("true or false");
/** Any text. */
export const text = () => v.string("a text");
/** A text that says something. */
export const notBlank = () =>
  v.pipe(v.string("a text that is not blank"), v.regex(NOT_BLANK, "a text that is not blank"));
/** What can stand in a `<response>` tag. */
export const response = () => v.pipe(v.string(RESPONSE_WANTED), v.regex(RESPONSE_PATTERN, RESPONSE_WANTED));
/** A text that can be given to a program. */
export const word = () => v.pipe(v.string("a text"), v.regex(NO_NUL, "a text without NUL characters"));

/** A whole number of at least so much. */
export function wholeNumber(minimum: number) {
  const wanted = `a whole number of ${minimum} or more`;
  return v.pipe(v.number(wanted), v.safeInteger(wanted), v.minValue(minimum, wanted));
}

/** One of a few words. */
export function oneOf<const T extends readonly string[]>(choices: T) {
  return v.picklist(choices, `one of ${choices.join(", ")}`);
}

const DURATION_WANTED = 'a duration such as "500ms", "5s", "10m" or "1h30m", more than 0 and less than 100h';
/** A duration. */
export const duration = () => v.pipe(v.string(DURATION_WANTED), v.regex(DURATION_PATTERN, DURATION_WANTED));

const OFF_OR_DURATION = new RegExp(`^off$|${DURATION_PATTERN.source}`);
const OFF_WANTED = `${DURATION_WANTED}, or "off"`;
/** A duration, or `off`. */
export const durationOrOff = () => v.pipe(v.string(OFF_WANTED), v.regex(OFF_OR_DURATION, OFF_WANTED));

/** A key that may be absent, with its help and its default for editors. */
export function key<const S extends v.GenericSchema>(schema: S, description: string, fallback?: unknown) {
  const help = fallback === undefined ? { description } : { description, default: fallback };
  return v.exactOptional(v.pipe(schema, v.metadata(help)));
}

/**
 * An object that knows its keys. Valibot takes a list for an object without keys, hence the check first. For an
 * unknown key the message is the list of the known ones.
 */
export function section<const E extends v.ObjectEntries>(entries: E) {
  const known = Object.keys(entries).join(" ");
  return v.pipe(
    v.unknown(),
    v.check((input) => !Array.isArray(input), "an object"),
    v.strictObject(entries, (issue) => (issue.expected === "never" ? known : "an object")),
  );
}
