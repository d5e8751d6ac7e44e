import type { Claims } from "../events.ts";
import { inFirstTag } from "../text.ts";

/** A claim longer than this is not a claim but text that happens to stand in tags. */
const LONGEST_CLAIM = 4096;

/** What the final text of the main agent claims. The first tag of its kind decides; what it means is not judged here. */
export function readClaims(finalText: string): Claims {
  const response = first("response", finalText);
  const blocked = first("blocked", finalText);
  return {
    ...(response === undefined ? {} : { response }),
    ...(blocked === undefined || blocked === "" ? {} : { blocked }),
  };
}

/** So many characters beside a tag tell that it is the prompt's. */
const TELLING = 12;

/**
 * Takes out the tags that an agent without a structured stream merely echoed: a tag in the prompt is no claim. An echo is known
 * by what stands beside the tag, spaces, case and marks of quotation apart, so that it is found when the prompt is quoted,
 * folded or cut short; an answer that is the very tag the prompt asked for stands alone, and stays.
 */
export function withoutEcho(output: string, prompt: string): string {
  const asked = tagsIn(prompt).map((tag) => surroundings(prompt, tag));
  if (asked.length === 0) return output;
  let rest = "";
  let at = 0;
  for (const tag of tagsIn(output)) {
    const said = surroundings(output, tag);
    rest += output.slice(at, asked.some((one) => isEchoOf(said, one)) ? tag.start : tag.end);
    at = tag.end;
  }
  return rest + output.slice(at);
}

interface Surroundings {
  readonly tag: string;
  /** The line it stands in. */
  readonly line: string;
  readonly before: string;
  readonly after: string;
}

function isEchoOf(said: Surroundings, asked: Surroundings): boolean {
  if (said.tag !== asked.tag) return false;
  if (said.line === asked.line && said.line !== said.tag) return true;
  const isAfterIt = asked.before.length === TELLING && said.before === asked.before;
  return isAfterIt || (asked.after.length === TELLING && said.after === asked.after);
}

function surroundings(text: string, { start, end }: Span): Surroundings {
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const lineEnd = text.indexOf("\n", end);
  return {
    tag: bare(text.slice(start, end)),
    line: bare(
      text.slice(
        Math.max(lineStart, start - 1_000),
        lineEnd < 0 ? end + 1_000 : Math.min(lineEnd, end + 1_000),
      ),
    ),
    before: bare(text.slice(Math.max(0, start - 10 * TELLING), start)).slice(-TELLING),
    after: bare(text.slice(end, end + 10 * TELLING)).slice(0, TELLING),
  };
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where whole tags stand. One pass: an opening tag that never closes, said a million times, costs a million steps and no more. */
function tagsIn(text: string): Span[] {
  const found: Span[] = [];
  const open = /<(response|blocked|promise)>/gi;
  const closes = new Map<string, RegExp>();
  const nextClose = new Map<string, number>();
  for (let match = open.exec(text); match !== null; match = open.exec(text)) {
    const name = (match[1] ?? "").toLowerCase();
    const pattern = closes.get(name) ?? new RegExp(`</${name}>`, "gi");
    closes.set(name, pattern);
    let close = nextClose.get(name) ?? -1;
    if (close < match.index) {
      pattern.lastIndex = match.index;
      close = pattern.exec(text)?.index ?? Number.POSITIVE_INFINITY;
      nextClose.set(name, close);
    }
    const end = close + name.length + 3;
    if (end - match.index > LONGEST_CLAIM * 2) continue;
    found.push({ start: match.index, end });
    open.lastIndex = end;
  }
  return found;
}

/** Text without spaces, case, and what people and programs put around lines to quote them. */
function bare(text: string): string {
  return text.replace(/[\s>|│#*"'`\\-]+/g, "").toLowerCase();
}

/** The sentence that tells an agent how to claim, or undefined when there is nothing to tell. */
export function claimHint(response: string, prompt: string): string | undefined {
  if (response.trim() === "" || /<response>/i.test(prompt)) return undefined;
  return [
    `When, and only when, the whole task is done, end your final message with <response>${response}</response>.`,
    "Your work is then checked by commands that you do not control.",
    "If you cannot go on without a person, end with <blocked>what is needed</blocked> instead.",
  ].join(" ");
}

function first(tag: "response" | "blocked", text: string): string | undefined {
  const content = inFirstTag(text, tag)?.trim();
  return content === undefined || content.length > LONGEST_CLAIM ? undefined : content;
}
