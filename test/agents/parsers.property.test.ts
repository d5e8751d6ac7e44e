import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { adapterFor, KNOWN_AGENTS } from "../../src/agents/registry.ts";
import type { AgentEvent } from "../../src/events.ts";
import type { AgentKind } from "../../src/spec.ts";
import { captures } from "./support.ts";

const KINDS: readonly AgentKind[] = [...KNOWN_AGENTS.map(({ kind }) => kind), "custom"];
const EVENT_TYPES = new Set<AgentEvent["type"]>([
  "session",
  "text",
  "thinking",
  "tool.started",
  "tool.ended",
  "todos",
  "usage",
  "limited",
  "notice",
  "result",
  "unrecognised",
]);

const STRINGS = ["sessionId", "model", "version", "text", "callId", "name", "summary", "output"];
const MORE_STRINGS = ["message", "error", "line", "sub"];
const FIELDS: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ...[...STRINGS, ...MORE_STRINGS].map(
    (name) => [name, (value: unknown) => typeof value === "string"] as const,
  ),
  ...["ok", "final", "denied", "refused"].map(
    (name) => [name, (value: unknown) => typeof value === "boolean"] as const,
  ),
  ...["lines", "chars", "turns", "denials", "retryAtMs"].map((name) => [name, Number.isFinite] as const),
  ["scope", (value: unknown) => /^(?:rate|quota|context|overload|offline)$/.test(String(value))],
  ["level", (value: unknown) => /^(?:debug|info|warning)$/.test(String(value))],
  ["items", (value: unknown) => Array.isArray(value)],
  [
    "usage",
    (value: unknown) =>
      Object.values(value as object).every((figure) => Number.isFinite(figure) && figure >= 0),
  ],
]);

/** Whatever a line holds, its events have the shape that events.ts promises: readers do not check it again. */
function isSound(event: AgentEvent): boolean {
  const { type, ...fields } = event;
  return (
    EVENT_TYPES.has(type) &&
    Object.entries(fields).every(([name, value]) => FIELDS.get(name)?.(value) === true)
  );
}

function expectRead(kind: AgentKind, lines: readonly string[]): void {
  const parser = adapterFor(kind).parser();
  for (const line of lines) {
    const events = parser.line(line);
    const wanted = line.trim() === "" ? events.length === 0 : events.length > 0;
    if (!wanted || !events.every(isSound)) expect.fail(`${line}\nwas read as\n${JSON.stringify(events)}`);
  }
}

/** Lines that look like the real ones: the right keys and words, everything else as it comes. */
const WORDS = `
  system assistant user result rate_limit_event stream_event init api_retry hook_response
  text thinking tool_use tool_result TodoWrite TaskCreate TaskUpdate TaskList success
  thread.started turn.completed turn.failed item.started item.updated item.completed error
  agent_message command_execution file_change todo_list mcp_tool_call web_search reasoning
  constructor __proto__ <synthetic> rejected declined
  message tool_call step_start step_finish stop length started completed delta
  assistant.message assistant.reasoning session.tools_updated session.error session.info
  tool.execution_start tool.execution_complete model.call_failure transport denied
  todo_write write_todos todowrite shellToolCall updateTodosToolCall function APIError
`;
const KEYS = `
  type subtype message content item items event usage modelUsage result is_error errors
  error name id tool_use_id input todos taskId status tool_use_result tasks rate_limit_info
  resetsAt api_error_status text parent_tool_use_id changes arguments exit_code __proto__
  constructor permission_denials model session_id tool_result_meta level outcome
  data part state tokens cache cost reason role delta parameters tool_call args function
  shellToolCall updateTodosToolCall success toolRequests shellExecution exitCode statusCode
  stats sessionID sessionId call_id callID metadata timestamp_ms model_call_id
`;
const word = fc.constantFrom("", "1", ...WORDS.trim().split(/\s+/));
const key = fc.constantFrom(...KEYS.trim().split(/\s+/));
const { value: lookalike } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    word,
    fc.constantFrom(null, true, false, 0, -1, 1e308, 429),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(key, tie("value"), { maxKeys: 6 }),
  ),
}));

describe.each(KINDS)("the parser of %s", (kind) => {
  it("survives any text", () => {
    fc.assert(fc.property(fc.array(fc.string({ unit: "binary" })), (lines) => expectRead(kind, lines)));
  });

  it("survives any bytes", () => {
    const bytes = fc.uint8Array({ maxLength: 200 }).map((data) => Buffer.from(data).toString("utf8"));
    fc.assert(fc.property(fc.array(bytes), (lines) => expectRead(kind, lines)));
  });

  it("survives any JSON", () => {
    fc.assert(fc.property(fc.array(fc.json()), (lines) => expectRead(kind, lines)));
  });

  it("survives any JSON that looks like its own", () => {
    const line = fc.dictionary(key, lookalike, { minKeys: 1, maxKeys: 8 });
    const typed = fc.tuple(word, line).map(([type, rest]) => JSON.stringify({ ...rest, type }));
    fc.assert(
      fc.property(fc.array(typed, { maxLength: 8 }), (lines) => expectRead(kind, lines)),
      { numRuns: 500 },
    );
  });

  it("survives depth and size", () => {
    const deep = `${'{"type":"assistant","message":'.repeat(5000)}1${"}".repeat(5000)}`;
    const nested = `{"type":"assistant","message":{"content":[{"type":"tool_use","input":${"[".repeat(5000)}${"]".repeat(5000)}}]}}`;
    const wide = JSON.stringify({ type: "user", message: { content: "x".repeat(5_000_000) } });
    expectRead(kind, [deep, nested, wide]);
  });
});

/** Every place in a JSON value, as the keys that lead there. */
function placesIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    [...path, name],
    ...placesIn(inner, [...path, name]),
  ]);
}

function changedAt(
  value: unknown,
  [name, ...rest]: readonly string[],
  change: (old: unknown) => unknown,
): unknown {
  if (name === undefined) return change(value);
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value)
    ? [...value]
    : { ...(value as object) };
  const inner = changedAt(Reflect.get(copy, name), rest, change);
  if (inner === undefined) Reflect.deleteProperty(copy, name);
  else Reflect.set(copy, name, inner);
  return copy;
}

const CHANGES: readonly ((old: unknown) => unknown)[] = [
  () => undefined,
  () => null,
  () => 7,
  () => "x",
  () => [],
  () => ({}),
  (old) => [old],
];

describe("mutated recordings", () => {
  const recorded = captures(".ndjson").flatMap((capture) =>
    capture.lines.filter((line) => line !== "").map((line) => ({ kind: capture.adapter.kind, line })),
  );

  it("are read with every single field gone or of another type", () => {
    let count = 0;
    for (const { kind, line } of recorded) {
      const value: unknown = JSON.parse(line);
      // The long lists of tools and commands at the start of a session are all alike.
      const places = placesIn(value).filter((path) => !path.some((name) => Number(name) > 2));
      const lines = places.flatMap((path) =>
        CHANGES.map((change) => JSON.stringify(changedAt(value, path, change))),
      );
      expectRead(kind, lines);
      count += lines.length;
    }
    expect(count).toBeGreaterThan(10_000);
  });

  it("are read cut off anywhere and in any order", () => {
    const piece = fc
      .tuple(fc.constantFrom(...recorded), fc.nat())
      .map(([{ line }, at]) => line.slice(0, at % (line.length + 1)));
    const whole = fc.constantFrom(...recorded).map(({ line }) => line);
    const lines = fc.array(fc.oneof(piece, whole), { maxLength: 12 });
    fc.assert(fc.property(fc.constantFrom(...KINDS), lines, (kind, all) => expectRead(kind, all)));
  });
});
