import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { settingsJsonSchema } from "../../src/config/json-schema.ts";
import { checkSettings, SettingsSchema } from "../../src/config/schema.ts";

/** The part of JSON Schema that the published schema uses. */
interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly description?: string;
  readonly default?: unknown;
}

const published = settingsJsonSchema() as Schema & Record<string, unknown>;

/** A validator for that part; small, because none is among our dependencies. */
function accepts(schema: Schema, value: unknown): boolean {
  if (schema.anyOf !== undefined) return schema.anyOf.some((one) => accepts(one, value));
  if (schema.enum !== undefined && !schema.enum.includes(value)) return false;
  switch (schema.type) {
    case "string":
      return typeof value === "string" && new RegExp(schema.pattern ?? "").test(value);
    case "boolean":
      return typeof value === "boolean";
    case "integer":
      return (
        Number.isInteger(value) &&
        Number(value) >= (schema.minimum ?? 0) &&
        Number(value) <= (schema.maximum ?? 0)
      );
    case "array":
      return Array.isArray(value) && value.every((item) => accepts(schema.items ?? {}, item));
    case "object":
      if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
      return (
        (schema.required ?? []).every((key) => Object.hasOwn(value, key)) &&
        Object.entries(value).every(([key, item]) => {
          const known = schema.properties !== undefined && Object.hasOwn(schema.properties, key);
          return known
            ? accepts(schema.properties?.[key] ?? {}, item)
            : schema.additionalProperties !== false;
        })
      );
    default:
      throw new Error(`the published schema uses a type that this test does not know: ${schema.type}`);
  }
}

const EXAMPLE = {
  maximumIterations: 10,
  completionResponse: "DONE",
  outputTruncateChars: 5000,
  streamAgentOutput: true,
  includeIterationCountInPrompt: false,
  agent: { command: "claude", flags: ["--model opus", "--no-auto-compact"] },
  guardrails: [
    { command: "make lint", failAction: "APPEND", hint: "Fix lint errors only. Do not change behavior." },
    { command: "make test", failAction: "APPEND" },
  ],
  scm: { command: "git", tasks: ["commit", "push"] },
};

describe("the parser and the published schema agree", () => {
  test.each([
    ["the example of the specification", EXAMPLE, true],
    ["nothing", {}, true],
    [
      "everything else",
      {
        $schema: "x",
        maximumFailures: 1,
        claimHint: false,
        agent: { kind: "custom", model: "m", autonomy: "none" },
        guardrails: [{ command: "a", timeout: "1h30m", flaky: true }],
        baseline: { enabled: false, feedback: true },
        snapshots: false,
        output: { emoji: false, color: "never", timestamps: true, maxOutputLines: 0, maxOutputChars: 0 },
      },
      true,
    ],
    ["a stand-in by name", { fallbackAgent: "codex:gpt-5" }, true],
    ["a stand-in with its flags", { fallbackAgent: { command: "codex", flags: ["-v"] } }, true],
    ["several stand-ins", { fallbackAgent: ["codex", { model: "haiku" }] }, true],
    ["a blank stand-in", { fallbackAgent: " " }, false],
    ["a number for a stand-in", { fallbackAgent: [1] }, false],
    ["a mistyped key of a stand-in", { fallbackAgent: [{ comand: "codex" }] }, false],
    ["part of scm, for the other file to complete", { scm: { tasks: ["push"] } }, true],
    ["an empty completion response", { completionResponse: "" }, true],
    ["a completion response of several words", { completionResponse: "all done > now" }, true],
    ["a completion response that would close its tag", { completionResponse: "a</response>" }, false],
    ["a completion response that begins a tag", { completionResponse: "<done>" }, false],
    ["a completion response that is no word", { completionResponse: "x".repeat(4097) }, false],
    ["protected files", { protect: ["test/**", "package.json#scripts", "!test/notes.md"] }, true],
    ["no protected files", { protect: false }, true],
    ["one pattern that is no list", { protect: "test/**" }, false],
    ["a blank pattern", { protect: [" "] }, false],
    ["the pristine check", { pristine: { enabled: true, tests: ["spec/**"], setup: "npm ci" } }, true],
    ["a pristine check that is no object", { pristine: true }, false],
    ["a blank set-up", { pristine: { setup: "" } }, false],
    ["a task's folder", { taskDir: "tasks/one" }, true],
    ["a blank task's folder", { taskDir: " " }, false],
    [
      "everything about restarts",
      {
        restart: { done: true, waits: true, delay: "5s", max: 1, waitTimeout: "off", pollInterval: "20ms" },
      },
      true,
    ],
    ["no pause", { restart: { delay: "off" } }, true],
    ["no restart at all", { restart: { max: 0 } }, false],
    ["a look all the time", { restart: { pollInterval: "off" } }, false],
    ["a mistyped key of restart", { restart: { delays: "1s" } }, false],
    ["criteria by name", { criteria: ["test_pass", "custom"] }, true],
    [
      "everything about criteria",
      {
        criteria: [
          {
            type: "custom",
            command: "a",
            failAction: "PREPEND",
            hint: "",
            timeout: "1s",
            flaky: true,
            judge: false,
          },
        ],
        judge: { agent: "codex", model: "gpt-5", maxChars: 1000 },
        progress: { judge: true },
      },
      true,
    ],
    ["an unknown criterion", { criteria: ["tests"] }, false],
    ["a criterion without a type", { criteria: [{ command: "a" }] }, false],
    ["a criterion with a blank command", { criteria: [{ type: "custom", command: " " }] }, false],
    ["one criterion without a list", { criteria: "test_pass" }, false],
    ["a judge as a text", { judge: "codex" }, false],
    ["a judge who is given next to nothing", { judge: { maxChars: 10 } }, false],
    ["1.0 is a whole number", { maximumIterations: 1.0 }, true],
    ["a mistyped key", { maximumIteration: 10 }, false],
    ["a mistyped key inside", { agent: { comand: "claude" } }, false],
    ["a key of Object.prototype", { toString: 1 }, false],
    ["zero iterations", { maximumIterations: 0 }, false],
    ["half an iteration", { maximumIterations: 1.5 }, false],
    ["a number as text", { maximumIterations: "10" }, false],
    ["log-ins that stay inside", { sandbox: { renewLogin: false } }, true],
    ["log-ins that stay inside, in words", { sandbox: { renewLogin: "no" } }, false],
    ["a number too large to count with", { maximumIterations: 1e300 }, false],
    ["zero failures", { maximumFailures: 0 }, false],
    ["negative truncation", { outputTruncateChars: -1 }, false],
    ["a truth as text", { claimHint: "true" }, false],
    ["a list for the file", [], false],
    ["a list for a section", { agent: [] }, false],
    ["null for a section", { scm: null }, false],
    ["flags in one text", { agent: { flags: "--model opus" } }, false],
    ["a flag with a NUL", { agent: { flags: ["a\u0000b"] } }, false],
    ["a blank agent", { agent: { command: " " } }, false],
    ["an unknown kind", { agent: { kind: "aider" } }, false],
    ["a guardrail without a command", { guardrails: [{}] }, false],
    ["a blank guardrail", { guardrails: [{ command: "\n" }] }, false],
    ["a guardrail that is a text", { guardrails: ["make test"] }, false],
    ["lower case", { guardrails: [{ command: "a", failAction: "append" }] }, false],
    ["a timeout in seconds", { guardrails: [{ command: "a", timeout: 5 }] }, false],
    ["no time at all", { guardrails: [{ command: "a", timeout: "0s" }] }, false],
    ["a blank task", { scm: { command: "git", tasks: [""] } }, false],
    ["a set-up for receipts", { verify: { setup: "npm ci" } }, true],
    ["a blank set-up", { verify: { setup: " " } }, false],
    ["a guard", { guard: { mode: "on", allow: ["git push --force *"], deny: [] } }, true],
    ["a guard of a word", { guard: "off" }, false],
    ["a guard that is neither on nor off", { guard: { mode: "maybe" } }, false],
    ["a blank pattern", { guard: { allow: [" "] } }, false],
    ["an unknown colour", { output: { color: "red" } }, false],
  ])("%s", (_, value, ok) => {
    expect("settings" in checkSettings(value)).toBe(ok);
    expect(accepts(published, value)).toBe(ok);
  });

  test("on anything that looks like settings", () => {
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 1 }),
      fc.constantFrom(
        0,
        1,
        -1,
        1.5,
        2 ** 60,
        "",
        " ",
        "a",
        "10m",
        "0s",
        "APPEND",
        "full",
        "auto",
        "claude",
        true,
      ),
    );
    const shape = (schema: Schema): fc.Arbitrary<unknown> => {
      if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(shape));
      if (schema.type === "object") {
        const known = Object.entries(schema.properties ?? {}).map(
          ([key, one]) =>
            [key, fc.oneof({ weight: 4, arbitrary: shape(one) }, { weight: 1, arbitrary: value })] as const,
        );
        return fc.record({ ...Object.fromEntries(known), extra: value }, { requiredKeys: [] });
      }
      if (schema.type === "array") return fc.array(shape(schema.items ?? {}), { maxLength: 3 });
      return schema.enum === undefined ? value : fc.constantFrom(...schema.enum);
    };
    fc.assert(
      fc.property(shape(published), (settings) => {
        // The parser's own word, so that a difference shows which of the two is wrong.
        expect("settings" in checkSettings(settings)).toBe(accepts(published, settings));
      }),
      { numRuns: 1000 },
    );
  });
});

test("accepted settings come back as they were, with nothing filled in", () => {
  expect(checkSettings(EXAMPLE)).toEqual({ settings: EXAMPLE });
});

test("every key has a description, every object is closed, and defaults are valid", () => {
  const walk = (schema: Schema, path: string, isItem: boolean): void => {
    if (!isItem) expect(schema.description, path).toMatch(/\.$|"$/);
    if ("default" in schema) expect(accepts(schema, schema.default), path).toBe(true);
    if (schema.type === "object") expect(schema.additionalProperties, path).toBe(false);
    for (const [key, one] of Object.entries(schema.properties ?? {})) walk(one, `${path}.${key}`, false);
    if (schema.items !== undefined) walk(schema.items, `${path}[]`, true);
    for (const one of schema.anyOf ?? []) walk(one, path, true);
  };
  walk(published, "settings", false);
  expect(published["$schema"]).toBe("http://json-schema.org/draft-07/schema#");
});

test("every key of the parser is in the published schema", () => {
  const names = Object.keys(published.properties ?? {});
  expect(names).toEqual(Object.keys(SettingsSchema.pipe[2].entries));
  expect(names).toHaveLength(32);
});
