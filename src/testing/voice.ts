import type { Usage } from "../events.ts";
import type { Action } from "./script.ts";

/** The list that an agent shows. */
export type Todos = Extract<Action, { todos: unknown }>["todos"];
/** How a model's service makes a turn fail. */
export type Failure = Extract<Action, { fail: unknown }>["fail"];

/** How an agent program says things on its standard output: one method a thing, lines out. */
export interface Voice {
  begin(): string[];
  say(text: string): string[];
  think(text: string): string[];
  subagent(text: string): string[];
  todos(items: Todos): string[];
  toolStarted(id: string, name: string, input: Record<string, string>): string[];
  toolEnded(id: string, output: string, how: { ok: boolean; denied?: boolean }): string[];
  end(final: string, usage: Usage, denials: number): string[];
  fail(failure: Failure, message: string): string[];
  /** The exit code after a failure. Default: 1. */
  failCode?(failure: Failure): number;
  /** What is said of a failure on standard error. Default: nothing. */
  complain?(message: string): string;
}

/** The session of every scripted agent. */
export const SESSION = "scripted-session";

/** What a service answers for each failure. */
export const STATUS: Readonly<Record<Failure, number>> = {
  rate: 429,
  quota: 429,
  auth: 401,
  context: 400,
  server: 500,
};

/** The words that most agents use for the state of an entry in their list. */
export const STATES = { pending: "pending", active: "in_progress", done: "completed" } as const;

/** One line of a stream. */
export function line(value: object): string[] {
  return [JSON.stringify(value)];
}
