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

const TAG = /<(?:response|blocked)>/i;
const ONLY_A_TAG = /^<(response|blocked)>[^<]*<\/\1>$/i;

/**
 * Takes out what an agent without a structured stream merely echoed: a tag in the prompt is no claim. The prompt counts
 * as a whole, also when it is quoted line by line (`> …`); of single lines only those that say more than the tag, for
 * an honest answer may well be the very line that the prompt asked for.
 */
export function withoutEcho(output: string, prompt: string): string {
  if (!TAG.test(prompt)) return output;
  const telling = unquoted(prompt)
    .split("\n")
    .filter((line) => TAG.test(line) && !ONLY_A_TAG.test(line));
  const whole = `\n${unquoted(prompt)}\n`;
  const rest = `\n${unquoted(output.split(prompt.trim()).join("\n"))}\n`.split(whole).join("\n");
  return rest
    .split("\n")
    .filter((line) => !(TAG.test(line) && telling.some((told) => line.includes(told))))
    .join("\n");
}

/** Text without blank lines, and without what people and programs put before a line to quote it. */
function unquoted(text: string): string {
  return text
    .split("\n")
    .map((line) => line.replace(/^[\s>|│#*-]+/, "").trimEnd())
    .filter((line) => line !== "")
    .join("\n");
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
