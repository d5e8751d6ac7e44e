import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DONE, makeWorld, ofType, processesWith, until, type World } from "./support.ts";

/* Spec 000 where no other test shows it: the state of a run, its ends, its defaults. */

/** Works until the file `go` is there. */
const PATIENT = { actions: [{ run: "until [ -e go ]; do sleep 0.02; done" }], final: DONE };

async function statusOf(world: World): Promise<Record<string, unknown>> {
  return JSON.parse((await world.ralph(["status", "--json"])).stdout) as Record<string, unknown>;
}

async function ended(world: World): Promise<void> {
  await until("the run has ended", () => world.journal().at(-1)?.type === "run.ended");
  await until("no process is left", () => processesWith(world.home).length === 0);
}

describe("status --json", () => {
  test("has every field of LoopRun, while a run is under way and when it has ended", async () => {
    const world = makeWorld({ git: true });
    world.speaking({ turns: [PATIENT] }, { guardrails: [{ command: "echo so it is not; exit 1" }] });
    const earliest = Date.now();
    const started = await world.ralph(["start", "do the work", "--no-baseline", "-m", "1"]);
    await until("the agent is at work", () => ofType(world.journal(), "iteration.started").length === 1);
    const running = await statusOf(world);
    const id = started.stdout.trim();
    expect(running).toMatchObject({
      id,
      sessionId: id,
      task: "do the work",
      criteria: ["echo so it is not; exit 1"],
      status: "running",
      iterations: 1,
      maxIterations: 1,
      noProgressCount: 0,
      startedAt: expect.any(Number),
      snapshotPath: join(world.runFolder(), "snapshots"),
    });
    expect(running["startedAt"]).toBeGreaterThanOrEqual(earliest);
    expect(running).not.toHaveProperty("endedAt");
    expect(running).not.toHaveProperty("lastOutput");

    world.write("go", "");
    await ended(world);
    const over = await statusOf(world);
    expect(over).toMatchObject({
      id,
      startedAt: running["startedAt"],
      status: "failed",
      lastOutput: "so it is not\n",
    });
    expect(over["endedAt"]).toBeGreaterThanOrEqual(Number(running["startedAt"]));
  });

  test("counts iterations without progress", async () => {
    const world = makeWorld({ git: true });
    world.speaking({ turns: [{ final: "Hm." }] }, { noProgressThreshold: 5 });
    await world.ralph(["start", "x", "--foreground", "-m", "2"]);
    expect(await statusOf(world)).toMatchObject({ iterations: 2, noProgressCount: 2 });
  });
});

describe("a run goes from running", () => {
  test.each([
    ["success", "its criterion is met", "test -e go", "verified"],
    ["failed", "a stop condition is reached", "exit 1", "exhausted"],
    ["stopped", "it is stopped", "true", "stopped"],
  ])("to %s when %s, and stays there", async (status, _, command, kind) => {
    const world = makeWorld({ git: true });
    world.speaking({ turns: [PATIENT] });
    const criterion = ["--criteria", "test_pass", "--criteria-command", command];
    await world.ralph(["start", "x", "--no-baseline", "-m", "1", ...criterion]);
    expect(await statusOf(world)).toMatchObject({ status: "running" });
    const stopping = status === "stopped" ? world.start(["stop"]) : undefined;
    if (stopping !== undefined) {
      await until("the stop is on record", () => ofType(world.journal(), "stop.requested").length === 1);
    }
    world.write("go", "");
    await stopping?.ended;
    await ended(world);
    expect(await statusOf(world)).toMatchObject({ status, outcome: { kind } });
    // There is nothing left to stop.
    expect((await world.ralph(["stop"])).stdout).toBe("No run is under way in this folder.\n");
    expect(await statusOf(world)).toMatchObject({ status, outcome: { kind } });
  });
});

describe("ralph start", () => {
  test("stops after 10 iterations, 30 minutes or 3 iterations without progress, unless it is told otherwise", async () => {
    const world = makeWorld();
    world.settings({ agent: { command: world.agent({ turns: [{ final: DONE }] }).command } });
    const limits = async (...flags: string[]) => {
      const { stdout } = await world.ralph(["start", "x", ...flags, "--dry-run", "--json"]);
      return (JSON.parse(stdout) as { spec: { limits: object } }).spec.limits;
    };
    expect(await limits()).toMatchObject({ iterations: 10, durationMs: 30 * 60_000, noProgress: 3 });
    expect(await limits("-m", "4", "--max-duration", "1h", "--max-no-progress", "5")).toMatchObject({
      iterations: 4,
      durationMs: 60 * 60_000,
      noProgress: 5,
    });
  });

  test.each([
    [
      "max_iterations",
      ["-m", "2", "--max-no-progress", "0"],
      2,
      { kind: "exhausted", limit: "iterations", reason: /iteration/ },
    ],
    [
      "max_duration",
      ["--max-duration", "1s", "--max-no-progress", "0"],
      expect.any(Number),
      { kind: "exhausted", limit: "duration", reason: /time is up \(1 second\)/ },
    ],
    [
      "no_progress",
      ["--max-no-progress", "2"],
      2,
      { kind: "stuck", cause: "no-progress", reason: /2 iterations .* no progress/ },
    ],
  ])("stops by %s, and the reason says so", async (name, flags, iterations, { reason, ...outcome }) => {
    const world = makeWorld({ git: true });
    const hang = { hang: join(world.home, "hangs") };
    world.speaking(
      { turns: [{ actions: name === "max_duration" ? [hang] : [], final: DONE }] },
      { guardrails: [{ command: "exit 1" }] },
    );
    const run = await world.ralph(["start", "x", "--foreground", "--no-baseline", ...flags]);
    expect(run.code).toBe(1);
    expect(world.journal().at(-1)).toMatchObject({
      iterations,
      outcome: { ...outcome, reason: expect.stringMatching(reason) },
    });
    const status = await statusOf(world);
    expect(status).toMatchObject({ status: "failed", outcome: { reason: expect.stringMatching(reason) } });
  });

  test.each([
    ["test_pass", "npm test"],
    ["build_success", "npm run build"],
    ["lint_clean", "npm run lint"],
    ["type_check", "npx --no-install tsc --noEmit"],
    ["custom", "sh smoke.sh"],
  ])("takes --criteria %s, whose command is %s", async (type, command) => {
    const world = makeWorld();
    world.speaking({ turns: [{ final: DONE }] });
    world.write("package.json", JSON.stringify({ scripts: { test: "true", build: "true", lint: "true" } }));
    world.write("tsconfig.json", "{}");
    const own = type === "custom" ? ["--criteria-command", command] : [];
    const { stdout } = await world.ralph(["start", "x", "--criteria", type, ...own, "--dry-run", "--json"]);
    const { gates } = (JSON.parse(stdout) as { spec: { gates: { kind: string }[] } }).spec;
    expect(gates.filter(({ kind }) => kind === "criterion")).toMatchObject([{ criterion: type, command }]);
  });
});
