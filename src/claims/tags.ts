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

/**
 * Takes out what an agent without a structured stream merely echoed: a tag in the prompt is no claim.
 * Only the prompt as a whole counts as an echo; an honest answer may well repeat one of its lines.
 */
export function withoutEcho(output: string, prompt: string): string {
  const echoed = prompt.trim();
  return echoed === "" ? output : output.split(echoed).join("");
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
