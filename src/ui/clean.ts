/*
 * What agents, gates and file names say is printed on a terminal that obeys escape sequences. Whole sequences go, so
 * that their parameters are not left behind as litter; then every control that is left goes. A sequence that never
 * ends only loses its beginning: it must not swallow the text after it.
 */
const SEQUENCES = new RegExp(
  [
    // OSC, DCS, SOS, PM and APC strings, up to their terminator.
    "(?:\\u001b[\\]PX^_]|[\\u009d\\u0090\\u0098\\u009e\\u009f])[^\\u0000-\\u001f\\u007f-\\u009f]*(?:\\u0007|\\u001b\\\\|\\u009c)",
    // CSI: colours, cursor moves, clearing.
    "(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]",
    // Every other escape.
    "\\u001b[ -/]*[0-~]?",
  ].join("|"),
  "g",
);

/** C0 and C1 but for tab and line feed, and the characters that turn the direction of writing around. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Text that cannot steer a terminal. A lone carriage return, with which lines are overwritten, starts a new line. */
export function clean(text: string): string {
  return text
    .replace(SEQUENCES, "")
    .replace(/\r+\n?/g, "\n")
    .replace(CONTROLS, "");
}

/** The same on one line of at most `max` characters; `more` stands at the end when something was cut off. */
export function cleanLine(text: string, max: number, more: string): string {
  // Cut roughly first: cleaning a megabyte for the sake of a line is waste.
  const head = text.slice(0, max * 8);
  const line = clean(head).replace(/\s+/g, " ").trim();
  return line.length > max || head.length < text.length ? cut(line, max) + more : line;
}

/** The first `max` characters, without half a surrogate pair at the end. */
export function cut(text: string, max: number): string {
  return text.slice(0, Math.max(0, max)).replace(/[\ud800-\udbff]$/, "");
}
