import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { DONE, makeWorld, ofType, processesWith, until } from "./support.ts";

const PRELOAD = fileURLToPath(new URL("../chaos/preload.mjs", import.meta.url));

/** Works until the file `go` is there. */
const PATIENT = { actions: [{ run: "until [ -e go ]; do sleep 0.02; done" }], final: DONE };

describe("ralph start", () => {
  test("prints the run's id and leaves; the run goes on, and is looked at and stopped from anywhere in the project", async () => {
    const world = makeWorld();
    world.speaking({ turns: [PATIENT] }, { guardrails: [{ command: "touch judged" }] });
    const started = await world.ralph(["start", "do the work", "--no-baseline"]);
    expect(started.code).toBe(0);
    const run = started.stdout.trim();
    expect(run).toMatch(/^\d{8}-\d{6}-[0-9a-f]{6}$/);
    expect(started.stderr).toContain("ralph stop");

    const cwd = join(world.project, "deep", "down");
    mkdirSync(cwd, { recursive: true });
    const status = JSON.parse((await world.ralph(["status", "--json"], { cwd })).stdout);
    expect(status).toMatchObject({ id: run, status: "running", task: "do the work", maxIterations: 10 });
    const second = await world.ralph(["start", "me too"]);
    expect(second.code).toBe(2);
    expect(second.stderr).toContain(run);

    const stopping = world.start(["stop"], { cwd });
    await until("the stop is on record", () => ofType(world.journal(), "stop.requested").length === 1);
    world.write("go", "");
    expect((await stopping.ended).stdout).toContain("It has ended.");
    expect(world.journal().at(-1)).toMatchObject({ type: "run.ended", outcome: { kind: "stopped" } });
    expect(world.has("judged")).toBe(false);
    // Its process goes when the folder is free already.
    await until("no process is left", () => processesWith(world.home).length === 0);
    expect(world.runs()).toHaveLength(1);
  });

  test("ends verified by itself, and its log can be read again", async () => {
    const world = makeWorld();
    world.speaking({ turns: [PATIENT] }, { guardrails: [{ command: "test -e go" }] });
    await world.ralph(["start", "do it", "--no-baseline"]);
    const logs = world.start(["logs", "-f"]);
    world.write("go", "");
    expect((await logs.ended).stdout).toContain("Verified");
    expect(world.journal().at(-1)).toMatchObject({ outcome: { kind: "verified" } });
    await until("no process is left", () => processesWith(world.home).length === 0);
  });

  test("of a run whose first record cannot be written says so, and leaves nothing", async () => {
    const world = makeWorld();
    world.speaking({ turns: [{ final: DONE }] });
    const env = { NODE_OPTIONS: `--import=${PRELOAD}`, CHAOS_FULL: "1" };
    const started = await world.ralph(["start", "do it"], { env });
    expect(started).toMatchObject({ code: 2, stdout: "" });
    expect(started.stderr).toContain("the disk is full");
    expect(processesWith(world.home)).toEqual([]);
  });

  test("is followed while it works: the agent's words come as it says them", async () => {
    const world = makeWorld();
    const waits = { run: "until [ -e go ]; do sleep 0.02; done" };
    world.speaking({ turns: [{ actions: [{ say: "I am thinking aloud" }, waits], final: DONE }] });
    await world.ralph(["start", "do it"]);
    const logs = world.start(["logs", "-f"]);
    await logs.printed("I am thinking aloud");
    expect(ofType(world.journal(), "agent.exited")).toEqual([]);
    world.write("go", "");
    const { stdout } = await logs.ended;
    expect(stdout.match(/I am thinking aloud/g)).toHaveLength(1);
    expect(stdout).toContain("Claimed done");
  });

  test("has thirty minutes, unless it is told otherwise", async () => {
    const world = makeWorld();
    world.speaking({ turns: [{ final: DONE }] });
    const limits = async (...args: string[]) => {
      const { stdout } = await world.ralph([...args, "--dry-run", "--json"]);
      return (JSON.parse(stdout) as { spec: { limits: { durationMs?: number } } }).spec.limits.durationMs;
    };
    expect(await limits("start", "x")).toBe(1_800_000);
    expect(await limits("start", "x", "--max-duration", "2h")).toBe(7_200_000);
    expect(await limits("start", "x", "--max-duration", "off")).toBeUndefined();
    expect(await limits("run", "-p", "x")).toBeUndefined();
  });

  test("stays with --foreground, and gives up when the time is up, the agent ended with it", async () => {
    const world = makeWorld();
    const hang = join(world.home, "hanging");
    world.speaking({ turns: [{ actions: [{ hang }] }] });
    const ended = await world.ralph(["start", "x", "--foreground", "--max-duration", "3s"]);
    expect(ended.code).toBe(1);
    expect(world.journal().at(-1)).toMatchObject({ outcome: { kind: "exhausted", limit: "duration" } });
    expect(ofType(world.journal(), "agent.exited")[0]?.ending).toMatchObject({ why: "timeout" });
    expect(processesWith(world.home)).toEqual([]);
  });

  test.each([
    ["without a task", ["start"], "there is no prompt"],
    [
      "with an agent that is not there",
      ["start", "x", "--agent", "no-such-agent"],
      "cannot start no-such-agent",
    ],
  ])("%s says what is wrong and starts nothing", async (_, args, words) => {
    const world = makeWorld();
    const ended = await world.ralph(args);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(words);
    expect(ended.stdout).toBe("");
    expect(world.hasJournal()).toBe(false);
  });

  test("does not start twice at the same moment", async () => {
    const world = makeWorld();
    world.speaking({ turns: [PATIENT] });
    const both = await Promise.all([world.ralph(["start", "a"]), world.ralph(["start", "b"])]);
    expect(both.map(({ code }) => code ?? -1).sort((a, b) => a - b)).toEqual([0, 2]);
    expect(world.runs()).toHaveLength(1);
    world.write("go", "");
    await until("it has ended", () => world.journal().at(-1)?.type === "run.ended");
  });
});
