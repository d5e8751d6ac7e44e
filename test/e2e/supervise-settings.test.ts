import { describe, expect, test } from "vitest";
import { attempts, counting, QUICK, runs } from "./supervising.ts";
import { DONE, expectUserError, makeWorld, ofType, outcomeOf } from "./support.ts";
import { openTerminal } from "./terminal.ts";

const UNTRUSTED = { RALPH_TRUST_PROJECT: undefined, CI: undefined };

describe("ralph supervise takes from the settings", () => {
  test("guardrails, the limit, the pause and the task's folder", async () => {
    const world = makeWorld();
    world.write("one/TASK.md", "");
    world.settings({
      guardrails: [{ command: "test -e good" }],
      maximumIterations: 1, // iterations are not restarts
      taskDir: "one",
      restart: { max: 3, delay: "1ms", pollInterval: "20ms" },
    });
    counting(world, `touch "$TASK_FOLDER/DONE"; exit 0`);
    const ended = await world.ralph(["supervise", "--", "task"]);
    expect(ended.code).toBe(1);
    expect(runs(world)).toBe(3);
    expect(outcomeOf(world).reason).toBe("max restarts exceeded (3)");
    expect(ofType(world.journal(), "gate.judged").every(({ iteration }) => iteration > 0)).toBe(true);
  });

  test("failures and a lack of progress, which end nothing unless they are set", async () => {
    const world = makeWorld();
    counting(world, "exit 1");
    world.settings({ maximumFailures: 2 });
    expect((await world.ralph(["supervise", ...QUICK, "--", "task"])).code).toBe(1);
    expect(runs(world)).toBe(2);
    expect(outcomeOf(world).kind).toBe("stuck");
    const other = makeWorld();
    counting(other, "exit 0");
    const flags = ["--max-no-progress", "2"];
    expect((await other.ralph(["supervise", ...QUICK, ...flags, "--", "task"])).code).toBe(1);
    expect(outcomeOf(other).kind).toBe("stuck");
  });

  test("time limits", async () => {
    const world = makeWorld();
    world.settings({ timeouts: { iteration: "500ms" }, restart: { delay: "1ms" } });
    counting(world, `[ $N -eq 1 ] && exec sleep 60; touch DONE`);
    const ended = await world.ralph(["supervise", "--", "task"]);
    expect(ended.code).toBe(0);
    expect(attempts(ended.stderr)[0]).toBe("Attempt 1: Agent failed (timeout), restarting...");
  });

  test("neither the agent nor version control", async () => {
    const world = makeWorld({ git: true });
    const agent = world.speaking(
      { turns: [{ final: DONE }] },
      { scm: { command: "git", tasks: ["commit"] }, guardrails: [{ command: "true" }] },
    );
    counting(world, "touch new DONE");
    expect((await world.ralph(["supervise", ...QUICK, "--", "task"])).code).toBe(0);
    expect(agent.calls()).toEqual([]);
    expect(world.git("log", "--oneline").trim().split("\n")).toHaveLength(1);
  });
});

describe("guardrails of a cloned project's settings", () => {
  /** A project with guardrails that nobody has trusted yet, and a command that is done at once. */
  function cloned() {
    const world = makeWorld();
    world.settings({ agent: { command: "claude" }, guardrails: [{ command: "touch guardrail-ran" }] });
    counting(world, "touch DONE");
    return world;
  }

  test("need trust, and only they do", async () => {
    const world = cloned();
    const ended = await world.ralph(["supervise", ...QUICK, "--", "task"], { env: UNTRUSTED });
    expectUserError(ended, "touch guardrail-ran", "--yes");
    expect(ended.stderr).not.toContain("claude"); // it would not be run
    expect(runs(world)).toBe(0);
    const own = ["--guardrail", "true"];
    expect((await world.ralph(["supervise", ...QUICK, ...own, "--", "task"], { env: UNTRUSTED })).code).toBe(
      0,
    );
    expect(world.has("guardrail-ran")).toBe(false);
  });

  test("a yes to them on a terminal is no yes to the agent", async () => {
    const world = cloned();
    world.install("claude", "touch agent-ran");
    const terminal = openTerminal(world, ["supervise", ...QUICK, "--", "task"], UNTRUSTED);
    await terminal.shows("Run these commands?");
    terminal.press("y");
    expect((await terminal.ended).code).toBe(0);
    expect(world.has("guardrail-ran")).toBe(true);
    expectUserError(await world.ralph(["run", "-p", "x"], { env: UNTRUSTED }), "claude");
    expect(world.has("agent-ran")).toBe(false);
  });

  test.each(["--yes", "-y", "--trust"])("are run with %s", async (flag) => {
    const world = cloned();
    const ended = await world.ralph(["supervise", ...QUICK, flag, "--", "task"], { env: UNTRUSTED });
    expect(ended.code).toBe(0);
    expect(world.has("guardrail-ran")).toBe(true);
  });
});

describe("ralph run, when it is set", () => {
  /** `ralph run` with an agent that is a shell script. */
  async function run(settings: object, lines: string, flags: readonly string[] = []) {
    const world = makeWorld();
    counting(world, lines);
    world.settings({ noProgressThreshold: 0, maximumIterations: 3, ...settings });
    return { world, ended: await world.ralph(["run", "-p", "x", "--agent", "task", ...flags]) };
  }

  test("takes a file DONE for a claim, and lets the guardrails judge it", async () => {
    const lines = `touch DONE; [ $N -eq 2 ] && touch good; exit 0`;
    const { world, ended } = await run(
      { restart: { done: true }, guardrails: [{ command: "test -e good" }] },
      lines,
    );
    expect(ended.code).toBe(0);
    expect(runs(world)).toBe(2);
    expect(outcomeOf(world)).toMatchObject({ kind: "verified" });
  });

  test("by a flag as well, and --no-done beats the setting", async () => {
    const claimed = await run({}, "touch DONE", ["--done"]);
    expect(outcomeOf(claimed.world).kind).toBe("claimed");
    const ignored = await run({ restart: { done: true } }, "touch DONE", ["--no-done"]);
    expect(ignored.ended.code).toBe(1);
    expect(runs(ignored.world)).toBe(3);
  });

  test("and not otherwise: DONE and exit code 42 say nothing", async () => {
    const { world, ended } = await run({}, "touch DONE WAIT_WITHOUT_RESTART; exit 42");
    expect(ended.code).toBe(1);
    expect(runs(world)).toBe(3);
    expect(ofType(world.journal(), "waited")).toEqual([]);
    expect(world.has("WAIT_WITHOUT_RESTART")).toBe(true);
  });

  test.each([
    ["a setting", { restart: { waits: true } }, []],
    ["a flag", {}, ["--waits"]],
  ])("waits without a restart by %s, and goes on when it is resumed", async (_, settings, flags) => {
    const lines = `[ $N -eq 1 ] && exit 42; echo '${DONE}'`;
    const { world, ended } = await run(settings, lines, flags);
    expect(ended.code).toBe(3);
    expect(runs(world)).toBe(1);
    expect((await world.ralph(["resume"])).code).toBe(0);
    expect(runs(world)).toBe(2);
  });

  test("pauses before each next turn", async () => {
    const { world } = await run({ restart: { delay: "20ms" } }, "exit 0");
    const pauses = ofType(world.journal(), "waited");
    expect(pauses.map(({ pause }) => pause)).toEqual([true, true]);
    const exits = ofType(world.journal(), "agent.exited");
    expect(pauses.map(({ untilMs }) => untilMs)).toEqual(exits.slice(0, 2).map(({ at }) => at + 20));
  });

  test("is told where the task's folder is, and looks there", async () => {
    const world = makeWorld();
    world.write("one/TASK.md", "");
    counting(world, `touch "$TASK_FOLDER/DONE"`);
    const flags = ["--agent", "task", "--done", "--task-dir", "one"];
    expect((await world.ralph(["-p", "x", ...flags])).code).toBe(0);
    expect(world.has("one/DONE")).toBe(true);
  });
});
