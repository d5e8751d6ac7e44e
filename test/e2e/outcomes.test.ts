import { describe, expect, test } from "vitest";
import { DONE, makeWorld, outcomeOf, prompts } from "./support.ts";

describe("how a run ends", () => {
  test("claimed: the agent says so and nothing was there to check it, exit code 0", async () => {
    const world = makeWorld();
    const agent = world.speaking({ turns: [{ final: DONE }] });
    const ended = await world.ralph(["-p", "x"]);
    expect(ended.code).toBe(0);
    expect(outcomeOf(world)).toMatchObject({ kind: "claimed", reason: /nothing was checked/ });
    const [, last] = ended.stderr.trimEnd().split("\n\n").slice(-2);
    expect(last).toContain("nothing was checked");
    expect(prompts(agent)).toHaveLength(1);
  });

  test("verified: every guardrail passed and the agent claims, exit code 0", async () => {
    const world = makeWorld();
    world.speaking(
      { turns: [{ final: DONE }] },
      { guardrails: [{ command: "true" }, { command: "exit 0" }] },
    );
    const ended = await world.ralph(["-p", "x"]);
    expect(ended.code).toBe(0);
    expect(outcomeOf(world)).toMatchObject({ kind: "verified", reason: /2 gates passed/ });
    expect(ended.stderr).toMatch(/Verified: 2 gates passed/);
  });

  test("a green guardrail without a claim is no end", async () => {
    const world = makeWorld();
    const agent = world.speaking({ turns: [{ final: "Hm." }] }, { guardrails: [{ command: "true" }] });
    expect((await world.ralph(["-p", "x", "-m", "2"])).code).toBe(1);
    expect(prompts(agent)).toHaveLength(2);
  });

  test("exhausted: no iteration is left, exit code 1, and what is missing is said", async () => {
    const world = makeWorld();
    world.speaking({ turns: [{ final: "Hm." }] });
    const ended = await world.ralph(["-p", "x", "-m", "2"]);
    expect(ended.code).toBe(1);
    expect(outcomeOf(world)).toMatchObject({ kind: "exhausted", limit: "iterations" });
    expect(ended.stderr).toContain(`never ended with ${DONE}`);
  });

  test("exhausted with a guardrail that is red names it and its log", async () => {
    const world = makeWorld();
    world.speaking({ turns: [{ final: DONE }] }, { guardrails: [{ command: "exit 4" }] });
    const ended = await world.ralph(["-p", "x", "-m", "1"]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("Still failing: exit 4, log .ralph/guardrail_001_exit_4.log");
  });

  test("a claim in the very last iteration that is allowed counts", async () => {
    const world = makeWorld();
    world.speaking(
      { turns: [{ final: "Hm." }, { final: "Hm." }, { final: DONE }] },
      { guardrails: [{ command: "true" }] },
    );
    expect((await world.ralph(["-p", "x", "-m", "3"])).code).toBe(0);
    expect(outcomeOf(world).kind).toBe("verified");
  });

  test("ten iterations are the default", async () => {
    const world = makeWorld();
    const agent = world.agent({ voice: "text", turns: [{ final: "Hm." }] });
    const ended = await world.ralph(["-p", "x", "--agent", agent.command, "--max-no-progress", "0"]);
    expect(ended.code).toBe(1);
    expect(prompts(agent)).toHaveLength(10);
    expect(world.has(".ralph/prompt_010.txt")).toBe(true);
  });

  test("stuck: three failed turns in a row, exit code 1", async () => {
    const world = makeWorld();
    const agent = world.speaking({ turns: [{ actions: [{ exit: 3 }] }] });
    const ended = await world.ralph(["-p", "x"]);
    expect(ended.code).toBe(1);
    expect(prompts(agent)).toHaveLength(3);
    expect(outcomeOf(world)).toMatchObject({
      kind: "stuck",
      cause: "failures",
      reason: /3 agent turns in a row failed/,
    });
    expect(ended.stderr).toMatch(/Stuck: 3 agent turns/);
  });

  test("a turn that finishes in between starts the count of failures anew", async () => {
    const world = makeWorld();
    const fails = { actions: [{ exit: 3 }] };
    const agent = world.speaking({ turns: [fails, fails, { final: "Hm." }, fails, fails, { final: DONE }] });
    expect((await world.ralph(["-p", "x"])).code).toBe(0);
    expect(prompts(agent)).toHaveLength(6);
  });

  test("--maximum-failures and the setting of that name move the limit", async () => {
    const world = makeWorld();
    const agent = world.speaking({ turns: [{ actions: [{ exit: 3 }] }] }, { maximumFailures: 2 });
    expect((await world.ralph(["-p", "x"])).code).toBe(1);
    expect(prompts(agent)).toHaveLength(2);
    expect((await world.ralph(["-p", "x", "--maximum-failures", "1"])).code).toBe(1);
    expect(prompts(agent)).toHaveLength(3);
  });

  test.each(["claude", "amp", "copilot", "opencode", "cursor"] as const)(
    "stuck: an agent that speaks as %s was denied every tool it asked for",
    async (voice) => {
      const world = makeWorld();
      const agent = world.speaking({
        voice,
        turns: [{ actions: [{ denied: "rm -rf /" }], final: "Sorry." }],
      });
      const ended = await world.ralph(["-p", "x"]);
      expect(ended.code).toBe(1);
      expect(outcomeOf(world)).toMatchObject({ kind: "stuck", cause: "denied", reason: /denied/ });
      expect(ended.stderr).toMatch(/Denied/);
      expect(ended.stderr).toMatch(/denied: 1/);
      expect(prompts(agent)).toHaveLength(1);
    },
  );

  test("one denied tool among others that worked does not end a run", async () => {
    const world = makeWorld();
    world.speaking({
      turns: [{ actions: [{ denied: "rm" }, { run: "true" }], final: "Hm." }, { final: DONE }],
    });
    expect((await world.ralph(["-p", "x", "-m", "2"])).code).toBe(0);
  });

  test("waiting: the agent is blocked on a person, exit code 3, and what is needed is said", async () => {
    const world = makeWorld();
    const agent = world.speaking({ turns: [{ final: "<BLOCKED>the password\nof the registry</blocked>" }] });
    const ended = await world.ralph(["-p", "x"]);
    expect(ended.code).toBe(3);
    expect(outcomeOf(world)).toMatchObject({ kind: "waiting", needs: "the password\nof the registry" });
    expect(ended.stderr).toContain("Needed: the password of the registry");
    expect(prompts(agent)).toHaveLength(1);
  });

  test("a blocked tag that is not in the final text is none", async () => {
    const world = makeWorld();
    const tag = "<blocked>a key</blocked>";
    world.speaking({
      turns: [{ actions: [{ run: `echo '${tag}'` }, { say: tag }, { think: tag }], final: "Hm." }],
    });
    expect((await world.ralph(["-p", "x", "-m", "1"])).code).toBe(1);
  });

  test("a claim that is proven beats a blocked tag beside it", async () => {
    const world = makeWorld();
    const final = `${DONE} <blocked>a review</blocked>`;
    world.speaking({ turns: [{ final }] }, { guardrails: [{ command: "true" }] });
    expect((await world.ralph(["-p", "x"])).code).toBe(0);
    expect(outcomeOf(world).kind).toBe("verified");
  });

  test("the journal begins with the run's description and ends with its outcome", async () => {
    const world = makeWorld();
    world.speaking({ turns: [{ final: DONE }] }, { guardrails: [{ command: "true" }], protect: false });
    await world.ralph(["-p", "the work"]);
    const journal = world.journal();
    expect(journal[0]).toMatchObject({
      type: "run.started",
      journal: 1,
      spec: { work: { kind: "prompt", text: "the work" }, limits: { iterations: 10 } },
    });
    expect(journal.map((event) => event.type)).toEqual([
      "run.started",
      "gate.judged",
      "iteration.started",
      "agent.started",
      "agent.exited",
      "gate.judged",
      "run.ended",
    ]);
  });
});
