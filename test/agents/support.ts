import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { AgentAdapter, AgentCommand, TurnFacts, TurnRequest } from "../../src/agents/agent.ts";
import { adapterFor } from "../../src/agents/registry.ts";
import type { AgentEvent } from "../../src/events.ts";
import type { AgentKind } from "../../src/spec.ts";

const CAPTURES = new URL("../captures/", import.meta.url);

/** Sunday afternoon, the day on which the captures were recorded. */
export const NOW = Date.UTC(2026, 10, 15, 18, 30);

/** A recorded output of an agent: `codex-0.166.0/success.ndjson`. */
export interface Capture {
  readonly name: string;
  readonly path: string;
  readonly adapter: AgentAdapter;
  readonly lines: readonly string[];
}

/** Every capture with this ending, of every agent. */
export function captures(ending: ".ndjson" | ".txt" | "/success.ndjson"): Capture[] {
  return readdirSync(CAPTURES, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending))
    .sort()
    .map(capture);
}

/** One capture by its name. */
export function capture(name: string): Capture {
  const path = fileURLToPath(new URL(name, CAPTURES));
  const kind = name.split("-")[0] as AgentKind;
  return { name, path, adapter: adapterFor(kind), lines: readFileSync(path, "utf8").split("\n") };
}

/** The events of a capture, line by line through a fresh parser. */
export function eventsOf(capture: Capture): AgentEvent[] {
  const parser = capture.adapter.parser();
  return capture.lines.flatMap((line) => parser.line(line));
}

/** Facts of a turn in which nothing happened, with what a test changes. */
export function facts(changes: Partial<TurnFacts>): TurnFacts {
  return {
    exitCode: 0,
    signal: null,
    structured: false,
    finalText: "",
    stderrTail: "",
    nowMs: NOW,
    ...changes,
  };
}

/** What a driver would know after a turn that printed these events. */
export function factsOf(events: readonly AgentEvent[], changes: Partial<TurnFacts>): TurnFacts {
  const result = events.findLast((event) => event.type === "result");
  const limited = events.findLast((event) => event.type === "limited");
  return facts({
    structured: events.some((event) => event.type !== "unrecognised"),
    finalText: result?.text ?? "",
    ...(result === undefined ? {} : { result }),
    ...(limited === undefined ? {} : { limited }),
    ...changes,
  });
}

/** A turn as the driver asks for it, with what a test changes. */
export function turn(
  kind: AgentKind,
  changes: Omit<Partial<TurnRequest>, "agent"> & { readonly agent?: Partial<TurnRequest["agent"]> } = {},
): TurnRequest {
  const { agent, ...rest } = changes;
  return {
    prompt: "Fix the tests.\n",
    mode: "work",
    help: "",
    isRoot: false,
    answerPath: "/answers/1.txt",
    ...rest,
    agent: { kind, command: kind, flags: [], autonomy: "full", ...agent },
  };
}

/** What a test changes of a turn. */
export type Changes = Parameters<typeof turn>[1];

/** The command of a turn. */
export function commandOf(kind: AgentKind, changes: Changes = {}): AgentCommand {
  return adapterFor(kind).command(turn(kind, changes));
}

/** The arguments of a turn's command. */
export function argsOf(kind: AgentKind, changes: Changes = {}): readonly string[] {
  return commandOf(kind, changes).args;
}
