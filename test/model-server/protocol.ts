import type { JsonObject } from "../../src/agents/json.ts";
import type { Conversation, Refusal } from "./script.ts";

/** A call in the words of one program: the tool that it offers, and the input that the tool takes. */
export interface SpokenCall {
  readonly id: string;
  readonly name: string;
  readonly kind: "function" | "freeform";
  readonly input: JsonObject | string;
}

/** An answer that is ready to be put on the wire. */
export interface Spoken {
  readonly id: string;
  readonly model: string;
  readonly think: string;
  readonly say: string;
  readonly calls: readonly SpokenCall[];
  readonly tokens: { readonly input: number; readonly output: number };
}

/** How one service speaks. */
export interface Protocol {
  readonly name: "anthropic" | "responses" | "chat" | "gemini";
  read(body: JsonObject): Conversation;
  /** The answer as server-sent events, each one whole. */
  stream(spoken: Spoken): string[];
  /** The answer in one piece. */
  whole(spoken: Spoken): JsonObject;
  /** What stands in the body of a refused request. */
  refusal(refusal: Refusal): JsonObject;
  /** A refusal that comes when the stream has begun. */
  refusalInStream(refusal: Refusal): string[];
}

/** One server-sent event. */
export function sse(data: unknown, event?: string): string {
  const name = event === undefined ? "" : `event: ${event}\n`;
  return `${name}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

/** A text in the pieces in which a model says it: never less than two, so that there is a middle to break off in. */
export function pieces(text: string): string[] {
  const half = Math.ceil(text.length / 2);
  return [text.slice(0, half), text.slice(half)].filter((piece) => piece !== "");
}
