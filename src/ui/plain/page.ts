import { clean, cleanLine } from "../clean.ts";
import { formatClock } from "../format.ts";
import { type Marks, marksFor } from "../marks.ts";
import { createPaint, type Paint, type ShowOptions } from "../style.ts";

/** Somewhere to print: a stream of the process, or an array in a test. */
export interface Sink {
  write(text: string): void;
}

/** A terminal, on which a line can be written over. */
export interface LiveTerminal {
  columns(): number;
  /** Calls again and again, each second, until the function that it returns is called. */
  everySecond(tick: () => void): () => void;
}

/** What a page is printed on and how. */
export interface PageSetup {
  readonly out: Sink;
  readonly err: Sink;
  readonly options: ShowOptions;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Absent where nobody sits at a terminal: then nothing is written over. */
  readonly live?: LiveTerminal | undefined;
}

/** The two streams, with the look that was chosen. Lines given to it are already clean. */
export interface Page {
  readonly options: ShowOptions;
  readonly marks: Marks;
  readonly paint: Paint;
  now(): number;
  /** Foreign words, made safe and put on one line. */
  word(text: string, max?: number): string;
  /** Lines on the error stream; those of a subagent are set in and marked. */
  status(lines: readonly string[], sub?: string): void;
  /** A blank line on the error stream, never two in a row and never at the top. */
  gap(): void;
  /** The agent's own words, on the output stream, with nothing of ours among them but the time. */
  speech(text: string): void;
  /** A line for `--verbose` only. */
  detail(text: string): void;
  /** Keeps a line up to date, each second, until anything else is printed. Only on a terminal. */
  live(line: () => string): void;
}

/** Back to the beginning of the line, and away with what stands there. */
const ERASE = "\r\u001b[K";

/** Opens a page on two sinks. */
export function openPage({ out, err, options, now, live }: PageSetup): Page {
  const marks = marksFor(options);
  const paint = createPaint(options.color);
  // True at the top too: a page does not begin with a blank line.
  let blank = true;

  const stamp = (line: string) =>
    options.timestamps && line !== "" ? `[${formatClock(now())}] ${line}` : line;
  let endLive = () => {};
  const print = (sink: Sink, lines: readonly string[]) => {
    if (lines.length === 0) return;
    endLive();
    blank = lines.at(-1) === "";
    sink.write(lines.map((line) => `${stamp(line)}\n`).join(""));
  };

  const page: Page = {
    options,
    marks,
    paint,
    now,
    word: (text, max = 300) => cleanLine(text, max, marks.more),
    status(lines, sub) {
      const marked = (line: string, index: number) =>
        (index === 0 ? paint.faint(marks.sub) : marks.subUnder) + line;
      print(err, sub === undefined ? lines : lines.map(marked));
    },
    gap() {
      if (!blank) print(err, [""]);
    },
    speech(text) {
      const words = clean(text).replace(/\n$/, "");
      if (words !== "") print(out, words.split("\n"));
    },
    detail(text) {
      if (!options.verbose) return;
      const lines = clean(text).trimEnd().split("\n");
      print(
        err,
        lines.map((line) => paint.faint(`[ralph] ${line}`)),
      );
    },
    live(line) {
      if (live === undefined) return;
      endLive();
      // A line that wraps could not be taken back; signs that are two columns wide are allowed for.
      const draw = () => err.write(`${ERASE}${cleanLine(line(), live.columns() - 4, marks.more)}`);
      const stop = live.everySecond(draw);
      draw();
      endLive = () => {
        stop();
        err.write(ERASE);
        endLive = () => {};
      };
    },
  };
  return page;
}
