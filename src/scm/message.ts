import { inFirstTag } from "../text.ts";

/** What the agent is asked when a commit needs a message; the words are spec 001's. */
export const MESSAGE_PROMPT =
  "Provide a short imperative commit message for the changes. Output only the message, no explanation.";

const LONGEST_MESSAGE = 2_000;

/**
 * The commit message in an agent's answer: the content of a `<response>` tag, else the first line that says something.
 * Undefined when there is none. Control characters are taken out: the answer is hostile input.
 */
export function messageIn(answer: string): string | undefined {
  const tagged = inFirstTag(answer, "response");
  const text = (tagged ?? answer).replace(/\r\n/g, "\n").replace(/[^\P{Cc}\n\t]/gu, "");
  const lines = text.split("\n").filter((line) => !/^\s*```/.test(line));
  const chosen = tagged === undefined ? lines.find((line) => line.trim() !== "") : lines.join("\n");
  const cut = (chosen ?? "").trim().slice(0, LONGEST_MESSAGE);
  const message = cut.replace(/[\ud800-\udbff]$/, "").trim(); // half a character may be left where it was cut
  return message === "" ? undefined : message;
}
