import type { RunSpec } from "../spec.ts";

type Claim = Pick<RunSpec["claim"], "promise" | "promiseLine">;

/** The marker that an agent has to say, letter for letter. */
export function promiseMarker(promise: string): string {
  return `<promise>${promise}</promise>`;
}

/** What may stand beside a marker that has its line to itself: white space, and what Markdown makes bold or code with. */
const DECORATION = /^[\s*_`]+|[\s*_`]+$/g;

/**
 * Does the text hold the promise? Letter for letter, anywhere in it, or on a line of its own where that is asked for. An empty
 * promise is none, and is never found.
 */
export function promiseIn(text: string, { promise = "", promiseLine = false }: Claim): boolean {
  if (promise === "") return false;
  const marker = promiseMarker(promise);
  if (!promiseLine || !text.includes(marker)) return text.includes(marker);
  return text.split(/\r\n|\r|\n/).some((line) => line.replace(DECORATION, "") === marker);
}

/** The sentence that tells an agent how to promise, or undefined when there is nothing to tell. */
export function promiseHint(
  { promise = "", promiseLine = false }: Claim,
  prompt: string,
): string | undefined {
  if (promise === "" || prompt.includes(promiseMarker(promise))) return undefined;
  const where = promiseLine
    ? "end your final message with this on a line of its own"
    : "end your final message with";
  return `When, and only when, the whole task is done, ${where}: ${promiseMarker(promise)}`;
}
