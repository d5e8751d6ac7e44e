import picomatch from "picomatch";

/** How much of a file is meant: all of it, or some keys of a JSON file. */
export type Extent = "whole" | readonly (readonly string[])[];

/** `.` takes any character: a file's name may hold a newline. A leading dot is nothing special. */
const OPTIONS: picomatch.PicomatchOptions = { dot: true, flags: "s", nonegate: true };

/**
 * Reads patterns into a function that says how much of a file they mean. A pattern means what it names and all that is below it;
 * with `#` it means a key of a JSON file; with `!` in front, what the others do not mean.
 */
export function readPatterns(patterns: readonly string[]): (path: string) => Extent | undefined {
  const read = patterns.map(readOne);
  const meant = read.filter((one) => !one.isExcepted);
  const excepted = read.filter((one) => one.isExcepted);
  return (path) => {
    if (excepted.some((one) => one.matches(path))) return undefined;
    const found = meant.filter((one) => one.matches(path));
    if (found.length === 0) return undefined;
    return found.some((one) => one.keys === undefined) ? "whole" : found.map((one) => one.keys ?? []);
  };
}

/** The files that patterns name without wildcards: they are meant even where git ignores them. */
export function namedFiles(patterns: readonly string[]): string[] {
  return patterns
    .map(readOne)
    .filter((one) => !one.isExcepted && !picomatch.scan(one.file).isGlob)
    .map((one) => one.file.replace(/\\(.)/g, "$1"));
}

/** Where to look for what patterns mean: for each the folders, or the file, that it names before its first wildcard. */
export function placesOf(patterns: readonly string[]): string[] {
  return patterns
    .map(readOne)
    .filter((one) => !one.isExcepted)
    .map((one) => picomatch.scan(one.file).base.replace(/\\(.)/g, "$1"));
}

interface Pattern {
  readonly isExcepted: boolean;
  readonly file: string;
  readonly keys?: readonly string[];
  readonly matches: (path: string) => boolean;
}

function readOne(pattern: string): Pattern {
  const isExcepted = pattern.startsWith("!");
  const bare = isExcepted ? pattern.slice(1) : pattern;
  const [, before = bare, key] = /^((?:[^\\#]|\\.)*)#(.*)$/s.exec(bare) ?? [];
  const file = before.replace(/^(?:\.?\/)+/, "").replace(/\/+$/, "");
  const matches = picomatch([file, `${file}/**`], OPTIONS);
  return { isExcepted, file, ...(key === undefined ? {} : { keys: keysIn(key) }), matches };
}

/** `scripts.test`, or as a JSON pointer `/scripts/test.unit` where a key has a dot. */
function keysIn(key: string): string[] {
  if (!key.startsWith("/")) return key.split(".");
  return key
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}
