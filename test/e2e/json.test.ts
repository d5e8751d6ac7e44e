import { describe, expect, test } from "vitest";
import { DONE, events, makeWorld, ofType, said } from "./support.ts";

describe("--json", () => {
  test("prints one event a line on standard output and nothing else there", async () => {
    const world = makeWorld({ git: true });
    world.speaking(
      {
        turns: [
          {
            actions: [{ say: "Hello" }, { write: "a", text: "x" }],
            final: "Hm.",
            usage: { inputTokens: 100, outputTokens: 20, costUsd: 0.5 },
          },
          {
            final: DONE,
            usage: {
              inputTokens: 10,
              outputTokens: 2,
              cacheReadTokens: 3,
              cacheWriteTokens: 4,
              costUsd: 0.25,
            },
          },
        ],
      },
      { guardrails: [{ command: "test -e a" }], scm: { command: "git", tasks: ["commit"] } },
    );
    const { stdout, stderr, code } = await world.ralph(["-p", "x", "--json"]);
    expect(code).toBe(0);
    expect(stderr).toBe("");
    const all = events(stdout);
    expect(all[0]?.type).toBe("run.started");
    expect(all.filter((event) => event.type !== "agent")).toEqual(world.journal());
    const run = all[0]?.run;
    expect(run).toMatch(/^\d{8}-\d{6}-[0-9a-f]+$/);
    for (const event of all) {
      expect(event.run).toBe(run);
      if (event.type !== "agent") expect(event.at).toBeGreaterThan(1_700_000_000_000);
    }
    expect(all.at(-1)).toMatchObject({
      type: "run.ended",
      outcome: { kind: "verified", reason: expect.stringContaining("1 gate passed") },
      iterations: 2,
      costUsd: 0.75,
      tokens: 139,
      usage: { inputTokens: 110, outputTokens: 22, cacheReadTokens: 3, cacheWriteTokens: 4, costUsd: 0.75 },
    });
  });

  test("wraps what the agent said in an envelope of run, iteration and event", async () => {
    const world = makeWorld();
    world.speaking({ turns: [{ actions: [{ say: "Hello" }], final: "Hm." }, { final: DONE }] });
    const { stdout } = await world.ralph(["-p", "x", "--json"]);
    const agent = ofType(events(stdout), "agent");
    expect(agent.map((event) => Object.keys(event))).toEqual(
      agent.map(() => ["type", "run", "iteration", "event"]),
    );
    expect([...new Set(agent.map((event) => event.iteration))]).toEqual([1, 2]);
    expect(agent.map(({ event }) => event)).toContainEqual({ type: "text", text: "Hello" });
  });

  test.each([
    ["claimed", [{ final: DONE }], 0],
    ["exhausted", [{ final: "Hm." }], 1],
    ["stuck", [{ actions: [{ exit: 1 }] }], 1],
    ["failed", [{ actions: [{ fail: "auth" as const }] }], 2],
    ["waiting", [{ final: "<blocked>a key</blocked>" }], 3],
  ])("ends with run.ended and the outcome %s", async (kind, turns, code) => {
    const world = makeWorld();
    world.speaking({ turns });
    const ended = await world.ralph(["-p", "x", "--json", "-m", "4", "--maximum-failures", "2"]);
    expect(ended.code).toBe(code);
    const last = events(ended.stdout).at(-1);
    expect(last).toMatchObject({
      type: "run.ended",
      outcome: { kind, reason: expect.stringMatching(/./) },
      iterations: expect.any(Number),
      costUsd: 0,
      tokens: 0,
    });
    expect(ended.stderr).toBe("");
  });

  test("tells a fault in the middle of a run as an event, and the run ends as failed", async () => {
    const world = makeWorld();
    world.write("prompt.md", "x");
    world.speaking({ turns: [{ actions: [{ run: "rm prompt.md" }], final: "Hm." }] });
    const ended = await world.ralph(["-f", "prompt.md", "--json"]);
    expect(ended.code).toBe(2);
    const [fault] = ofType(events(ended.stdout), "run.faulted");
    expect(fault).toMatchObject({
      what: expect.any(String),
      why: expect.stringMatching(/prompt\.md/),
      fix: expect.any(String),
    });
    expect(events(ended.stdout).at(-1)).toMatchObject({ type: "run.ended", outcome: { kind: "failed" } });
  });

  test("keeps its promise with -V: the details go to standard error", async () => {
    const world = makeWorld();
    world.speaking({ turns: [{ final: DONE }] }, { guardrails: [{ command: "true" }] });
    const { stdout, stderr } = await world.ralph(["-p", "x", "--json", "-V"]);
    expect(() => events(stdout)).not.toThrow();
    expect(
      stderr
        .trimEnd()
        .split("\n")
        .every((line) => line.startsWith("[ralph] ")),
    ).toBe(true);
    expect(stderr).toContain("[ralph] Running guardrail: true");
  });

  test("breaks no line and no terminal, whatever the agent says", async () => {
    const world = makeWorld();
    const text = "a\u2028b\u2029c\u0085d\u001b[2Je\u009b31m\u202e \u0000 \ud83c\udf0d";
    world.speaking({ turns: [{ actions: [{ say: text }], final: DONE }] });
    const { stdout } = await world.ralph(["-p", "x", "--json"]);
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202e]/);
    expect(said(stdout)).toContainEqual({ type: "text", text });
  });

  test("is not cut short by --no-stream-agent-output: the events are the events", async () => {
    const world = makeWorld();
    world.speaking({ turns: [{ actions: [{ say: "Hello" }], final: DONE }] });
    const { stdout } = await world.ralph(["-p", "x", "--json", "--no-stream-agent-output"]);
    expect(said(stdout)).toContainEqual({ type: "text", text: "Hello" });
  });

  test("goes on when its reader goes away", async () => {
    const world = makeWorld();
    world.speaking(
      {
        turns: [
          { actions: [{ run: "touch started; while [ ! -e go ]; do sleep 0.02; done" }], final: "Hm." },
          { final: DONE },
        ],
      },
      { guardrails: [{ command: "true" }] },
    );
    const run = world.start(["-p", "x", "--json"]);
    await run.printed("iteration.started");
    run.process.stdout?.destroy();
    world.write("go", "");
    const ended = await run.ended;
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(world.journal().at(-1)).toMatchObject({ type: "run.ended", outcome: { kind: "verified" } });
  });
});

describe("without --json", () => {
  test("the agent's own words are all of standard output, and everything else is on standard error", async () => {
    const world = makeWorld();
    world.speaking(
      {
        turns: [
          {
            actions: [{ say: "I look." }, { run: "echo tool-output" }, { say: "I see." }],
            final: `Done. ${DONE}`,
          },
        ],
      },
      { guardrails: [{ command: "echo guardrail-output" }] },
    );
    const { stdout, stderr } = await world.ralph(["-p", "x"]);
    expect(stdout).toBe(`I look.\nI see.\nDone. ${DONE}\n`);
    for (const part of [
      "Iteration 1/10",
      "Bash(echo tool-output)",
      "Guardrail passed",
      "Verified",
      "Complete",
    ]) {
      expect(stderr).toContain(part);
    }
    expect(stderr).not.toContain("I look.");
  });
});
