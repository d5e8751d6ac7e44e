import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commitCalls, DONE, expectUserError, makeWorld, ofType, prompts, until } from "./support.ts";

const held = (when: string) => ({
  actions: [{ fail: "quota", message: `You've hit your usage limit. Try again in ${when}.` } as const],
  usage: { costUsd: 0.25 },
});

const ARGS = ["-p", "the work", "--agent", "claude", "--fallback-agent", "codex:gpt-5"];

describe("--fallback-agent", () => {
  test("has the turn, under the same number, while the agent is held back, and words the commit", async () => {
    const world = makeWorld({ git: true });
    const claude = world.installAgent("claude", { turns: [held("1h")] });
    const codex = world.installAgent("codex", {
      voice: "codex",
      turns: [{ actions: [{ write: "a.txt", text: "1" }], final: DONE, usage: { outputTokens: 7 } }],
    });
    world.settings({
      guardrails: [{ command: "test -e a.txt" }],
      scm: { command: "git", tasks: ["commit"] },
    });
    const ended = await world.ralph([...ARGS, "-m", "1"]);
    expect(ended.code).toBe(0);
    expect(ended.stderr).toMatch(/claude is held back until .*; codex \(gpt-5\) goes on meanwhile/);
    expect(ended.stderr).not.toContain("Waiting ");
    expect(prompts(claude)).toHaveLength(1);
    expect(prompts(codex)).toHaveLength(1);
    expect(codex.calls()[0]?.argv.join(" ")).toContain("gpt-5");
    expect([commitCalls(claude).length, commitCalls(codex).length]).toEqual([0, 1]);

    const journal = world.journal();
    const whose = (type: "iteration.started" | "agent.started" | "agent.exited") =>
      ofType(journal, type).map(({ iteration, agent }) => [iteration, agent]);
    for (const type of ["iteration.started", "agent.started", "agent.exited"] as const) {
      expect(whose(type)).toEqual([
        [1, undefined],
        [1, 1],
      ]);
    }
    expect(ofType(journal, "run.ended")[0]).toMatchObject({ iterations: 1, outcome: { kind: "verified" } });
    expect(ofType(journal, "run.ended")[0]?.usage.outputTokens).toBeGreaterThanOrEqual(7);
    expect(world.git("log", "--format=%s").split("\n")[0]).toBe("Do the scripted work");

    // Each turn is shown again in the voice of the agent that had it.
    const logs = await world.ralph(["logs"]);
    expect(logs.stdout.match(/usage limit/gi)?.length).toBeGreaterThan(0);
    expect(logs.stdout).toContain(DONE);
    expect(logs.stdout).toContain("codex (gpt-5) goes on meanwhile");
  });

  test("gives the turn back when the agent's time is over", async () => {
    const world = makeWorld();
    const claude = world.installAgent("claude", { turns: [held("1 second"), { final: DONE }] });
    // Longer than the second, and what is added to it.
    const codex = world.installAgent("codex", {
      voice: "codex",
      turns: [{ actions: [{ sleepMs: 4_500 }], final: "more" }],
    });
    const ended = await world.ralph(ARGS);
    expect(ended.code).toBe(0);
    expect([prompts(claude).length, prompts(codex).length]).toEqual([2, 1]);
    expect(ended.stderr).toContain("claude goes on again");
    expect(
      ofType(world.journal(), "iteration.started").map(({ iteration, agent }) => [iteration, agent]),
    ).toEqual([
      [1, undefined],
      [1, 1],
      [2, undefined],
    ]);
  });

  test("is waited for when it is held back too, but not for as long", async () => {
    const world = makeWorld();
    const claude = world.installAgent("claude", { turns: [held("1h")] });
    world.installAgent("codex", { voice: "codex", turns: [held("1 second"), { final: DONE }] });
    const ended = await world.ralph([...ARGS, "-m", "1"]);
    expect(ended.code).toBe(0);
    expect(prompts(claude)).toHaveLength(1);
    const journal = world.journal();
    expect(ofType(journal, "iteration.started").map(({ agent }) => agent)).toEqual([undefined, 1, 1]);
    expect(ofType(journal, "waited")).toHaveLength(1);
    expect(ofType(journal, "run.ended")[0]?.iterations).toBe(1);
  });

  test("is told by status while it works, and goes on after kill -9", async () => {
    const world = makeWorld();
    const claude = world.installAgent("claude", { turns: [held("1h")] });
    const hanging = join(world.home, "hanging");
    const codex = world.installAgent("codex", {
      voice: "codex",
      turns: [{ actions: [{ hang: hanging }] }, { final: DONE }],
    });
    const run = world.start(ARGS);
    await until("the fallback is at work", () => existsSync(hanging));
    const status = await world.ralph(["status"]);
    expect(status.stdout).toMatch(/agent +claude, else codex \(gpt-5\)/);
    expect(status.stdout).toMatch(/held back +claude until .*; codex \(gpt-5\) goes on meanwhile/);
    expect(JSON.parse((await world.ralph(["status", "--json"])).stdout)).toMatchObject({
      turnOf: "codex (gpt-5)",
      heldBack: [{ agent: "claude" }],
      iterations: 1,
    });
    run.process.kill("SIGKILL");
    await run.ended;
    expect((await world.ralph(["resume"])).code).toBe(0);
    expect([prompts(claude).length, prompts(codex).length]).toEqual([1, 2]);
  });

  test("that is not installed is said before anything starts", async () => {
    const world = makeWorld();
    const claude = world.installAgent("claude", { turns: [{ final: DONE }] });
    const ended = await world.ralph(["-p", "x", "--agent", "claude", "--fallback-agent", "no-such-agent"]);
    expectUserError(ended, "cannot start no-such-agent", "--fallback-agent");
    expect(claude.calls()).toEqual([]);
  });

  test("is shown by --dry-run with its own command", async () => {
    const world = makeWorld();
    world.installAgent("claude", { turns: [{ final: DONE }] });
    world.installAgent("codex", { voice: "codex", turns: [{ final: DONE }] });
    const { stdout } = await world.ralph([...ARGS, "--dry-run"]);
    expect(stdout).toMatch(/fallbackAgent\[0\] +codex \(gpt-5\) +--fallback-agent/);
    expect(stdout).toMatch(/While its service holds it back:\n {2}codex .*gpt-5/);
  });
});
