import type { JsonObject } from "../../src/agents/json.ts";

/** One use of a tool. The first two are said in whatever tools the asking program offers. */
export type Call =
  | { readonly write: string; readonly text: string }
  | { readonly run: string }
  | { readonly tool: string; readonly input: JsonObject | string };

/** One answer of the model: thoughts, words and calls, in this order. */
export interface Answer {
  readonly think?: string;
  readonly say?: string;
  readonly calls?: readonly Call[];
  /** What the answer is said to have cost. */
  readonly tokens?: { readonly input: number; readonly output: number };
  /** It breaks off in the middle: the connection is cut, or nothing more comes for as long as the client waits. */
  readonly breaks?: "cut" | "stall";
}

/** An answer that the service does not give. */
export interface Refusal {
  /** The HTTP status. */
  readonly fail: number;
  readonly message?: string;
  /** The service's own name for it; the usual one of the status when absent. */
  readonly code?: string;
  /** Seconds, as the header says them. */
  readonly retryAfter?: number;
  /** Said in the stream, after status 200, as services do when they learn it late. */
  readonly inStream?: boolean;
  /** How many requests get it, one after the other. Default: 1. */
  readonly times?: number;
}

export type Reply = Answer | Refusal;

/** What a program offers the model to call. */
export interface OfferedTool {
  readonly name: string;
  /** `freeform` takes plain text, `function` an object that fits its schema. */
  readonly kind: "function" | "freeform";
  readonly schema: JsonObject;
}

/** What was asked, in the same words for every protocol. */
export interface Conversation {
  readonly system: string;
  /** Everything that the user's side said in words, oldest first. */
  readonly heard: readonly string[];
  /** What the tools that were called last gave back. */
  readonly results: readonly string[];
  readonly tools: readonly OfferedTool[];
  readonly stream: boolean;
  /** The form that the answer must have, where one is asked for. */
  readonly form?: JsonObject;
  /** The most that the answer may cost, where it is told. */
  readonly maxTokens?: number;
}

/** A request for an answer: the conversation, and which of the scripted requests it is, counted from 0. */
export interface Asked extends Conversation {
  readonly n: number;
}

/** What the model does: answers in order, or a function that decides for each request. */
export type Script = readonly Reply[] | ((asked: Asked) => Reply | Promise<Reply>);

/** What is said when the list of answers is over: it calls nothing, so that no program goes round in circles. */
export const OVER: Answer = { say: "There is nothing more in the script." };

/** An answer of words alone. */
export const say = (text: string): Answer => ({ say: text });

/** An answer that writes a file by the program's own tool. */
export const write = (path: string, text: string): Answer => ({ calls: [{ write: path, text }] });

/** An answer that runs a shell line by the program's own tool. */
export const run = (line: string): Answer => ({ calls: [{ run: line }] });

/** An answer that calls a tool by its name. */
export const call = (tool: string, input: JsonObject | string): Answer => ({ calls: [{ tool, input }] });

/** A request that the service turns down. */
export const fail = (status: number, how: Omit<Refusal, "fail"> = {}): Refusal => ({ fail: status, ...how });

/**
 * Several conversations at once, each with a list of its own: the first name that the user's side or the system prompt
 * has said decides. What belongs to none is told that there is nothing more.
 */
export function scenes(lists: Readonly<Record<string, readonly Reply[]>>): Script {
  const players = Object.entries(lists).map(([name, list]) => ({ name, next: player(list) }));
  return (asked) => {
    const words = [...asked.heard, asked.system].join("\n");
    return players.find(({ name }) => words.includes(name))?.next(asked) ?? OVER;
  };
}

/** Plays a script: one reply for each request. */
export function player(script: Script): (asked: Asked) => Reply | Promise<Reply> {
  if (typeof script === "function") return script;
  const left = script.flatMap((reply) => ("fail" in reply ? Array(reply.times ?? 1).fill(reply) : [reply]));
  return () => left.shift() ?? OVER;
}
