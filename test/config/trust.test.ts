import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commandsOf, isTrusted, remember, trustByEnvironment, trustKey } from "../../src/config/trust.ts";
import { errorOf, project } from "./project.ts";

test("names every command, whole, with nothing that could hide", () => {
  expect(
    commandsOf({
      agent: { command: "claude", flags: ["--model opus", "-v"] },
      guardrails: [{ command: "make test" }, { command: "token=$(curl x)\n\u001b[2Jls\u202e" }],
      scm: { command: "git", tasks: ["commit", "push"] },
    }),
  ).toEqual([
    "agent: claude --model opus -v",
    "guardrail: make test",
    "guardrail: token=$(curl x)\\n\\u001b[2Jls\\u202e",
    "scm: git commit",
    "scm: git push",
  ]);
  const fallbackAgent = ["codex:gpt-5", { command: "amp", flags: ["--x"] }, { model: "haiku" }];
  expect(commandsOf({ agent: { command: "claude" }, fallbackAgent })).toEqual([
    "agent: claude",
    "fallback agent: codex:gpt-5",
    "fallback agent: amp --x",
    "fallback agent: claude",
  ]);
  expect(commandsOf({ fallbackAgent: "./evil" })).toEqual(["fallback agent: ./evil"]);
  expect(
    commandsOf({
      criteria: ["test_pass", { type: "custom", command: "./evil\u202e" }],
      judge: { agent: "./judge", model: "opus" },
    }),
  ).toEqual([
    "criterion test_pass: the project's own command",
    "criterion custom: ./evil\\u202e",
    "judge: ./judge",
  ]);
  expect(commandsOf({ agent: { flags: ["--mcp x"] } })).toEqual(["agent flags: --mcp x"]);
  expect(commandsOf({ guard: { mode: "off", allow: ["rm -rf *\u202e"], deny: ["x"] } })).toEqual([
    "guard: off",
    "guard allows: rm -rf *\\u202e",
  ]);
});

test.each([
  {},
  { maximumIterations: 5, output: { emoji: false } },
  { agent: { model: "opus", flags: [] } },
  { guardrails: [] },
  { guard: { allow: [], deny: ["npm install"] } },
  { scm: { command: "git", tasks: [] } },
])("settings without a command need no trust: %j", (settings) => {
  expect(commandsOf(settings)).toEqual([]);
});

describe("the key", () => {
  const folder = project();
  const key = trustKey(folder, { agent: { command: "a", model: "m" }, guardrails: [{ command: "b" }] });

  test("is the same for the same commands, however they are written and reached", () => {
    const link = join(project(), "link");
    symlinkSync(folder, link);
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(
      trustKey(link, {
        maximumIterations: 5,
        guardrails: [{ command: "b" }],
        agent: { model: "m", command: "a" },
        guard: { mode: "on", deny: ["npm install"] }, // what makes it stricter needs no new trust
      }),
    ).toBe(key);
  });

  test("changes with any command, and with the folder", () => {
    const keys = [
      key,
      trustKey(folder, { agent: { command: "a", model: "m" }, guardrails: [{ command: "c" }] }),
      trustKey(folder, {
        agent: { command: "a", model: "m" },
        guardrails: [{ command: "b" }],
        criteria: ["test_pass"],
      }),
      trustKey(folder, {
        agent: { command: "a", model: "m" },
        guardrails: [{ command: "b" }],
        judge: { agent: "x" },
      }),
      ...[{ mode: "off" } as const, { allow: ["rm *"] }, { allow: ["mv *"] }].map((guard) =>
        trustKey(folder, {
          agent: { command: "a", model: "m" },
          guardrails: [{ command: "b" }],
          guard,
        }),
      ),
      trustKey(folder, {
        agent: { command: "a", model: "m", autonomy: "full" },
        guardrails: [{ command: "b" }],
      }),
      trustKey(folder, {
        agent: { command: "a", model: "m" },
        guardrails: [{ command: "b" }, { command: "b" }],
      }),
      trustKey(project(), { agent: { command: "a", model: "m" }, guardrails: [{ command: "b" }] }),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe("remembering", () => {
  test("is private, and leaves nothing half-written", () => {
    const state = join(project(), "a/state");
    expect(isTrusted(state, "k1")).toBe(false);
    remember(state, "k1");
    remember(state, "k2");
    remember(state, "k1");
    expect(isTrusted(state, "k1")).toBe(true);
    expect(isTrusted(state, "k2")).toBe(true);
    expect(isTrusted(state, "k3")).toBe(false);
    expect(statSync(state).mode & 0o777).toBe(0o700);
    expect(statSync(join(state, "trusted.json")).mode & 0o777).toBe(0o600);
    expect(readdirSync(state)).toEqual(["trusted.json"]);
    expect(JSON.parse(readFileSync(join(state, "trusted.json"), "utf8"))).toEqual({
      version: 1,
      keys: ["k2", "k1"],
    });
  });

  test.each(["", "{", "null", "[]", '{"keys": 5}', '{"keys": [5]}', "\u0000"])(
    "a damaged file is empty, and replaced: %j",
    (text) => {
      const state = project({ "trusted.json": text });
      expect(isTrusted(state, "k")).toBe(false);
      remember(state, "k");
      expect(isTrusted(state, "k")).toBe(true);
    },
  );

  test("does not grow for ever", () => {
    const state = project();
    writeFileSync(
      join(state, "trusted.json"),
      JSON.stringify({ keys: Array.from({ length: 1000 }, (_, n) => `k${n}`) }),
    );
    remember(state, "new");
    expect([isTrusted(state, "k0"), isTrusted(state, "k1"), isTrusted(state, "new")]).toEqual([
      false,
      true,
      true,
    ]);
  });

  test("fails with a UserError", async () => {
    const state = join(project({ file: "" }), "file");
    expect(await errorOf(() => remember(state, "k"))).toEqual([
      "cannot remember that this project is trusted",
      `${join(state, "trusted.json")} cannot be written (EEXIST)`,
      "Make the folder writable, or set RALPH_STATE_DIR to one that is.",
    ]);
    const blocked = project();
    mkdirSync(join(blocked, "trusted.json"));
    expect((await errorOf(() => remember(blocked, "k")))[1]).toContain("trusted.json cannot be written");
    expect(readdirSync(blocked)).toEqual(["trusted.json"]);
  });
});

test.each([
  [{}, true, "--trust"],
  [{ RALPH_TRUST_PROJECT: "1" }, false, "RALPH_TRUST_PROJECT=1"],
  [{ CI: "true" }, false, "CI=true"],
  [{ CI: "false", RALPH_TRUST_PROJECT: "0" }, false, undefined],
  [{}, false, undefined],
])("%j with flag %j is trusted by %j", (env, flag, by) => {
  expect(trustByEnvironment(env, flag)).toBe(by);
});
