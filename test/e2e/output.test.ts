import type { Action } from "ralph-proof/testing";
import { describe, expect, test } from "vitest";
import { DONE, type Ended, makeWorld } from "./support.ts";
import { openTerminal } from "./terminal.ts";

const ESCAPE = "\u001b[";
const TOOL: Action = { run: "printf 'one\\ntwo\\nthree\\nfour\\n'" };
const TODOS: Action = {
  todos: [
    { text: "a", state: "done" },
    { text: "b", state: "active" },
    { text: "c", state: "pending" },
  ],
};

/** A run with a tool call, a list and a guardrail. */
async function show(
  flags: readonly string[],
  how: { output?: unknown; env?: Record<string, string>; actions?: Action[] } = {},
): Promise<Ended> {
  const world = makeWorld();
  world.speaking(
    { turns: [{ actions: how.actions ?? [TOOL, TODOS], final: DONE }] },
    { guardrails: [{ command: "true" }], ...(how.output === undefined ? {} : { output: how.output }) },
  );
  const ended = await world.ralph(["-p", "x", "--no-baseline", ...flags], { env: how.env ?? {} });
  expect(ended.code).toBe(0);
  return ended;
}

describe("emoji or text markers", () => {
  test("--no-emoji uses markers of plain ASCII only", async () => {
    const { stderr } = await show(["--no-emoji"]);
    expect(stderr).toContain("[TOOL] Bash(");
    expect(stderr).toContain("[OK] Result <- Bash (4 lines, 19 chars)\n  |  one\n");
    expect(stderr).toContain(
      "[TODO] Todo List\n  [x] a\n  [>] b <- ACTIVE\n  [ ] c\n  Progress: 1/3 (33%)\n",
    );
    expect(stderr).toMatch(/^\[OK\] Guardrail passed/m);
    expect(stderr).not.toMatch(/[^\u0000-\u007f]/);
  });

  test("output.emoji is the same as a setting, and --emoji beats it", async () => {
    expect((await show([], { output: { emoji: false } })).stderr).toContain("[OK] Verified");
    expect((await show(["--emoji"], { output: { emoji: false } })).stderr).toContain("✅ Verified");
  });

  test("a failed tool has its own marker", async () => {
    const { stderr } = await show(["--no-emoji"], { actions: [{ run: "echo no; false" }] });
    expect(stderr).toContain("[ERR] Failed <- Bash");
    expect(stderr).toMatch(/tools: 1, errors: 1/);
  });
});

describe("colour", () => {
  test.each([
    ["none when it is no terminal", [], {}, undefined, false],
    ["with FORCE_COLOR", [], { FORCE_COLOR: "1" }, undefined, true],
    ["none with FORCE_COLOR=0", [], { FORCE_COLOR: "0" }, undefined, false],
    ["with --color", ["--color"], {}, undefined, true],
    [
      "with --color always, whatever NO_COLOR says",
      ["--color", "always"],
      { NO_COLOR: "1" },
      undefined,
      true,
    ],
    [
      "none with --color never, whatever FORCE_COLOR says",
      ["--color", "never"],
      { FORCE_COLOR: "1" },
      undefined,
      false,
    ],
    ["none with --no-color", ["--no-color"], { FORCE_COLOR: "1" }, undefined, false],
    ["with output.color always", [], {}, { color: "always" }, true],
    ["none with output.color never", [], { FORCE_COLOR: "1" }, { color: "never" }, false],
  ] as [string, string[], Record<string, string>, unknown, boolean][])(
    "%s",
    async (_what, flags, env, output, expected) => {
      const { stderr, stdout } = await show(flags, { env, output });
      expect(stderr.includes(ESCAPE)).toBe(expected);
      expect(stdout).toBe(`${DONE}\n`); // the agent's own words are never painted
    },
  );

  test.each([
    ["is used on a terminal", {}, true],
    ["is not used on a terminal with NO_COLOR", { NO_COLOR: "1" }, false],
    ["is not used on a terminal that is dumb", { TERM: "dumb" }, false],
  ])("%s", async (_what, env, expected) => {
    const world = makeWorld();
    world.speaking({ turns: [{ final: DONE }] });
    const { raw, screen, code } = await openTerminal(world, ["-p", "x"], env).ended;
    expect(code).toBe(0);
    expect(raw.includes(ESCAPE)).toBe(expected);
    expect(screen).toContain("nothing was checked");
  });
});

describe("timestamps", () => {
  test("--timestamps puts [HH:MM:SS] before each line", async () => {
    const { stderr, stdout } = await show(["--timestamps"]);
    const lines = `${stdout}${stderr}`.split("\n").filter((line) => line !== "");
    expect(lines.length).toBeGreaterThan(10);
    for (const line of lines) expect(line).toMatch(/^\[([01]\d|2[0-3]):[0-5]\d:[0-5]\d\] /);
  });

  test("output.timestamps is the same as a setting, and --no-timestamps beats it", async () => {
    expect((await show([], { output: { timestamps: true } })).stderr).toMatch(
      /^\[\d\d:\d\d:\d\d\] ✅ Verified/m,
    );
    expect((await show(["--no-timestamps"], { output: { timestamps: true } })).stderr).toMatch(
      /^✅ Verified/m,
    );
  });
});

describe("how much of a tool's output is shown", () => {
  test("--max-output-lines limits the lines", async () => {
    const { stderr } = await show(["--max-output-lines", "2"]);
    expect(stderr).toContain("  ⎿  one\n     two\n     … +2 lines\n");
    expect(stderr).not.toContain("three\n");
  });

  test("--max-output-chars limits the characters", async () => {
    const { stderr } = await show(["--max-output-chars", "5"]);
    expect(stderr).toContain("  ⎿  one\n     tw…\n     … +2 lines\n");
  });

  test("none at all with 0", async () => {
    const { stderr } = await show(["--max-output-lines", "0"]);
    expect(stderr).toContain("✅ Result ← Bash (4 lines, 19 chars)\n");
    expect(stderr).not.toContain("⎿");
  });

  test("output.maxOutputLines and output.maxOutputChars are the same as settings", async () => {
    expect((await show([], { output: { maxOutputLines: 1 } })).stderr).toContain(
      "  ⎿  one\n     … +3 lines\n",
    );
    expect((await show([], { output: { maxOutputChars: 2 } })).stderr).toContain("  ⎿  on…\n");
  });

  test("ten lines and a thousand characters by default", async () => {
    const { stderr } = await show([], {
      actions: [{ run: "seq 1 30" }, { run: "head -c 3000 /dev/zero | tr '\\0' x" }],
    });
    expect(stderr).toContain("     10\n     … +20 lines\n");
    expect(stderr).toContain(`  ⎿  ${"x".repeat(1000)}…\n`);
  });
});

describe("a run on the screen", () => {
  test("begins with what is run, has a banner for each iteration, and ends with how it went", async () => {
    const world = makeWorld();
    world.speaking({
      turns: [
        { final: "Hm." },
        {
          final: DONE,
          usage: { inputTokens: 1_200_000, outputTokens: 45_000, cacheReadTokens: 850_000, costUsd: 5.76 },
        },
      ],
    });
    const { stderr } = await world.ralph(["-p", "x", "-m", "3"]);
    const lines = stderr.split("\n");
    expect(lines[0]).toMatch(/^ralph \d+\.\d+\.\d+ · run \d{8}-\d{6}-/);
    expect(lines[1]).toBe("Agent claude, at most 3 iterations, no guardrails: nothing will be checked");
    expect(lines.filter((line) => line.includes("Iteration"))).toEqual([
      expect.stringMatching(/^━━ Iteration 1\/3 ━+$/),
      expect.stringMatching(/^━━ Iteration 2\/3 ━+$/),
    ]);
    expect(stderr).toMatch(
      /^✅ Complete \(cost: \$5\.76, tokens: 2\.1M in \(850K cached\) \/ 45K out, tools: 0, errors: 0, time: [\d.]+m?s\)$/m,
    );
    expect(stderr).toMatch(/nothing was checked\. 2 iterations, \$5\.76, 2\.1M tokens, /);
  });

  test("with --no-stream-agent-output shows the loop and nothing of what the agent says or does", async () => {
    const { stdout, stderr } = await show(["--no-stream-agent-output"]);
    expect(stdout).toBe("");
    expect(stderr).toContain("Iteration 1/10");
    expect(stderr).toContain("Guardrail passed");
    expect(stderr).not.toMatch(/Bash|Todo|Result/);
    expect(stderr).toMatch(/Complete \(tools: 2/);
  });

  test("lets what an agent without a stream prints pass as it comes", async () => {
    const world = makeWorld();
    world.install(
      "mine",
      `cat > /dev/null; echo first; until [ -e go ]; do sleep 0.02; done; echo '${DONE}'`,
    );
    const run = world.start(["-p", "x", "--agent", "mine"]);
    await run.printed("first\n");
    world.write("go", "");
    expect((await run.ended).stdout).toBe(`first\n${DONE}\n`);
  });
});
