import { split } from "shlex";
import { RESPONSE_PATTERN, RESPONSE_WANTED } from "../../config/response.ts";
import { splitList } from "./answers.ts";

/** Why an answer is not accepted, or undefined when it is. An answer that was left blank may arrive as undefined. */
export type Objection = string | undefined;

/** A command that must be there, and that can be split into words. */
export function objectToCommand(answer: string | undefined): Objection {
  if ((answer ?? "").trim() === "") return "Please name a command.";
  return objectToWords(answer);
}

/** Flags, each of which can be split into words; none at all is fine. */
export function objectToFlags(answer: string | undefined): Objection {
  return splitList(answer ?? "")
    .map(objectToWords)
    .find((objection) => objection !== undefined);
}

/** A whole number of 1 or more; blank takes the default. */
export function objectToCount(answer: string | undefined): Objection {
  const text = (answer ?? "").trim();
  if (text === "") return undefined;
  return /^\d+$/.test(text) && Number(text) >= 1 && Number.isSafeInteger(Number(text))
    ? undefined
    : "Please give a whole number of 1 or more.";
}

/** A word that can stand in a tag; blank takes the default. */
export function objectToResponse(answer: string | undefined): Objection {
  return RESPONSE_PATTERN.test(answer ?? "") ? undefined : `Please give ${RESPONSE_WANTED}.`;
}

/** A shell line, or nothing. */
export function objectToShellLine(answer: string | undefined): Objection {
  return answer?.includes("\u0000") ? "A NUL character cannot stand in a command." : undefined;
}

function objectToWords(text: string | undefined): Objection {
  if (text === undefined) return undefined;
  if (text.includes("\u0000")) return objectToShellLine(text);
  try {
    split(text);
    return undefined;
  } catch {
    return "A quote or a backslash is not closed.";
  }
}
