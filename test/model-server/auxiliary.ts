import type { Answer, Conversation } from "./script.ts";
import { fitted } from "./tools.ts";

/** Words by which programs ask for something that is no part of the work: a name for the session, a summary of it. */
const SIDE_QUESTION = /\b(?:title|topic|summar(?:y|ise|ize)|slug)\b/i;
/** Qwen has a helper of its own, with tools, look for things to remember when the work is over. */
const HELPER = /\bmemory extraction subagent\b/i;

/**
 * Is this a question of the program's own, beside the work? It comes from a helper that says so, or it offers the model
 * nothing to work with and wants one token (is there any quota left?), an answer in a form of its own, or a title.
 */
export function isAuxiliary(conversation: Conversation): boolean {
  if (HELPER.test(conversation.system)) return true;
  if (conversation.tools.length > 0) return false;
  return (
    conversation.maxTokens === 1 ||
    conversation.form !== undefined ||
    SIDE_QUESTION.test(conversation.system) ||
    SIDE_QUESTION.test(conversation.heard.at(-1) ?? "")
  );
}

/** Something sensible to such a question, in the form that it asks for. */
export function auxiliaryAnswer(conversation: Conversation): Answer {
  return {
    say: conversation.form === undefined ? "A session" : JSON.stringify(fitted(conversation.form, {})),
    tokens: { input: 1, output: 1 },
  };
}
