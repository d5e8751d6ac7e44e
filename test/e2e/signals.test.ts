import { join } from "node:path";
import type { ScriptedTurn } from "ralph-proof/testing";
import { describe, expect, test } from "vitest";
import {
  commitCalls,
  DONE,
  isAlive,
  makeWorld,
  ofType,
  outcomeOf,
  pidIn,
  processesWith,
  prompts,
  type Started,
  until,
  type World,
} from "./support.ts";
import { openTerminal } from "./terminal.ts";

const CTRL_C = "\u0003";
const MESSAGE = "Received signal, shutting down...";
const WAIT = "touch started; while [ ! -e go ]; do sleep 0.02; done";

/** A turn that goes on until the test writes the file `go`, then claims. */
const PATIENT: ScriptedTurn = { actions: [{ run: WAIT }], final: DONE };

async function hasStarted(world: World): Promise<void> {
  await until("the operation has started", () => world.has("started"));
}

/** Sends a second signal when the first one has been answered. */
async function signalTwice(run: Started, signal: NodeJS.Signals = "SIGINT"): Promise<void> {
  run.process.kill(signal);
  await run.printed(MESSAGE);
  run.process.kill(signal);
}

/** What must be true after every stop. */
function expectStopped(world: World, by: string): void {
  expect(outcomeOf(world)).toEqual({ kind: "stopped", reason: `stopped by ${by}` });
  expect(ofType(world.journal(), "stop.requested").map((event) => event.by)).toEqual([by]);
  expect(processesWith(world.home)).toEqual([]);
}

describe("the first signal", () => {
  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "%s lets the agent finish, says so once, and ends with exit code 130",
    async (signal) => {
      const world = makeWorld();
      const agent = world.speaking({ turns: [PATIENT] }, { guardrails: [{ command: "touch judged" }] });
      const run = world.start(["-p", "x", "--no-baseline"]);
      await hasStarted(world);
      run.process.kill(signal);
      await run.printed(MESSAGE);
      world.write("go", "");
      const ended = await run.ended;
      expect(ended).toMatchObject({ code: 130, signal: null });
      expect(ended.stderr.split(MESSAGE)).toHaveLength(2);
      expect(ended.stdout).toContain(DONE);
      expect(ofType(world.journal(), "agent.exited")[0]?.ending).toEqual({ kind: "finished" });
      expect(prompts(agent)).toHaveLength(1);
      expect(world.has("judged")).toBe(false);
      expectStopped(world, signal);
    },
  );

  test("beats a valid claim that no guardrail has to check", async () => {
    const world = makeWorld();
    world.speaking({ turns: [PATIENT] });
    const run = world.start(["-p", "x"]);
    await hasStarted(world);
    run.process.kill("SIGINT");
    await run.printed(MESSAGE);
    world.write("go", "");
    expect((await run.ended).code).toBe(130);
    expect(ofType(world.journal(), "agent.exited")[0]?.claims).toEqual({ response: "DONE" });
    expectStopped(world, "SIGINT");
  });

  test.each([
    [
      "a guardrail",
      [{ command: `${WAIT}; touch finished` }, { command: "touch second-ran" }],
      "--no-baseline",
      1,
    ],
    ["the baseline", [{ command: `${WAIT}; touch finished` }], "--json", 0],
  ])("lets %s finish, and beats its verdict", async (_what, guardrails, flag, calls) => {
    const world = makeWorld();
    const agent = world.speaking({ turns: [{ final: DONE }] }, { guardrails, protect: false });
    const run = world.start(["-p", "x", flag]);
    await hasStarted(world);
    run.process.kill("SIGTERM");
    await run.printed(MESSAGE);
    world.write("go", "");
    expect((await run.ended).code).toBe(130);
    expect(world.has("finished")).toBe(true);
    expect(world.has("second-ran")).toBe(false);
    expect(ofType(world.journal(), "gate.judged").map((event) => event.verdict.pass)).toEqual([true]);
    expect(prompts(agent)).toHaveLength(calls);
    expectStopped(world, "SIGTERM");
  });

  test("lets the commit message be worded, and then nothing is committed", async () => {
    const world = makeWorld({ git: true });
    const agent = world.speaking(
      { turns: [{ actions: [{ write: "new", text: "x" }], final: DONE }], commitTurns: [PATIENT] },
      { scm: { command: "git", tasks: ["commit"] } },
    );
    const run = world.start(["-p", "x"]);
    await hasStarted(world);
    run.process.kill("SIGINT");
    await run.printed(MESSAGE);
    world.write("go", "");
    expect((await run.ended).code).toBe(130);
    expect(commitCalls(agent)).toHaveLength(1);
    expect(world.git("log", "--format=%s").trim()).toBe("first");
    expectStopped(world, "SIGINT");
  });

  test("of a terminal goes to ralph's whole group, and does not reach the agent", async () => {
    const world = makeWorld();
    world.speaking({ turns: [PATIENT] });
    const run = world.start(["-p", "x"], { detached: true });
    await hasStarted(world);
    process.kill(-run.pid, "SIGINT");
    await run.printed(MESSAGE);
    world.write("go", "");
    expect((await run.ended).code).toBe(130);
    expect(ofType(world.journal(), "agent.exited")[0]?.ending).toEqual({ kind: "finished" });
    expectStopped(world, "SIGINT");
  });

  test("with --json leaves standard output to the events", async () => {
    const world = makeWorld();
    world.speaking({ turns: [PATIENT] });
    const run = world.start(["-p", "x", "--json"]);
    await hasStarted(world);
    run.process.kill("SIGINT");
    await run.printed(MESSAGE);
    world.write("go", "");
    const { stdout, stderr } = await run.ended;
    const last = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
    expect(last).toMatchObject({ type: "run.ended", outcome: { kind: "stopped" } });
    expect(stdout).not.toContain(MESSAGE);
    expect(stderr).toContain(MESSAGE);
  });
});

describe("the second signal", () => {
  /** Goes on until it is killed, and tells when it was only asked to go: there is no time for that. */
  const LISTENING = 'trap "touch was-asked" TERM; echo $$ > listens; while :; do sleep 0.1; done';
  const WAYS = ["child", "setsid", "double-fork", "ignore-term", "setsid-ignore-term"] as const;

  test.each(["auto", "group"])(
    "ends the agent at once, and everything below it, however it tried to escape (%s)",
    async (processes) => {
      const world = makeWorld();
      const leave = WAYS.map((how) => ({ leave: join(world.home, how), how }));
      const hang = join(world.home, "agent");
      const listen = {
        run: `sh -c '${LISTENING}' >/dev/null 2>&1 & until [ -s listens ]; do sleep 0.02; done`,
      };
      world.speaking({ turns: [{ actions: [...leave, listen, { hang }] }] }, { processes });
      const run = world.start(["-p", "x"]);
      for (const name of ["agent", ...WAYS]) await pidIn(join(world.home, name));
      expect(processesWith(world.home).length).toBeGreaterThan(WAYS.length);
      await signalTwice(run);
      expect((await run.ended).code).toBe(130);
      expect(world.has("was-asked")).toBe(false);
      expect(processesWith(world.home)).toEqual([]);
      expect(ofType(world.journal(), "agent.exited")[0]?.ending).toMatchObject({
        kind: "killed",
        why: "stopped",
      });
      expectStopped(world, "SIGINT");
    },
  );

  test.each(["SIGTERM", "SIGHUP"] as const)("may be another one: SIGINT, then %s", async (signal) => {
    const world = makeWorld();
    const hang = join(world.home, "agent");
    world.speaking({ turns: [{ actions: [{ hang }] }] });
    const run = world.start(["-p", "x"]);
    await pidIn(hang);
    run.process.kill("SIGINT");
    await run.printed(MESSAGE);
    run.process.kill(signal);
    expect((await run.ended).code).toBe(130);
    expect(processesWith(world.home)).toEqual([]);
    expectStopped(world, "SIGINT");
  });

  test("ends a guardrail at once, and everything below it", async () => {
    const world = makeWorld();
    const command = `setsid sleep 300 & echo $! > pid; touch started; ${LISTENING}`;
    world.speaking({ turns: [{ final: DONE }] }, { guardrails: [{ command }] });
    const run = world.start(["-p", "x", "--no-baseline"]);
    await hasStarted(world);
    for (const name of ["pid", "listens"]) await pidIn(join(world.project, name));
    await signalTwice(run);
    expect((await run.ended).code).toBe(130);
    expect(world.has("was-asked")).toBe(false);
    expect(processesWith(world.home)).toEqual([]);
    expectStopped(world, "SIGINT");
  });

  test("ends the turn that words a commit message", async () => {
    const world = makeWorld({ git: true });
    const hang = join(world.home, "agent");
    world.speaking(
      {
        turns: [{ actions: [{ write: "new", text: "x" }], final: DONE }],
        commitTurns: [{ actions: [{ hang }] }],
      },
      { scm: { command: "git", tasks: ["commit"] } },
    );
    const run = world.start(["-p", "x"]);
    await pidIn(hang);
    await signalTwice(run);
    expect((await run.ended).code).toBe(130);
    expect(processesWith(world.home)).toEqual([]);
    expectStopped(world, "SIGINT");
  });

  test("ends an scm task", async () => {
    const world = makeWorld();
    world.install("hg", "echo $$ > pid; touch started; exec sleep 600");
    world.speaking({ turns: [{ final: DONE }] }, { scm: { command: "hg", tasks: ["push"] } });
    const run = world.start(["-p", "x"]);
    await hasStarted(world);
    await signalTwice(run);
    expect((await run.ended).code).toBe(130);
    expect(isAlive(await pidIn(join(world.project, "pid")))).toBe(false);
    expectStopped(world, "SIGINT");
  });

  test("ends an agent that is only being asked what it takes", async () => {
    const world = makeWorld();
    world.install("codex", "touch started; exec sleep 600");
    const run = world.start(["-p", "x", "--agent", "codex"]);
    await hasStarted(world);
    await signalTwice(run);
    expect((await run.ended).code).toBe(130);
    expect(processesWith(world.home)).toEqual([]);
  });
});

describe("on a terminal", () => {
  test("Ctrl-C lets the agent finish, and a second one ends it", async () => {
    const world = makeWorld();
    const hang = join(world.home, "agent");
    world.speaking({ turns: [{ actions: [{ hang }] }] });
    const terminal = openTerminal(world, ["-p", "x"]);
    await pidIn(hang);
    terminal.press(CTRL_C);
    await terminal.shows(MESSAGE);
    expect(ofType(world.journal(), "agent.exited")).toEqual([]);
    terminal.press(CTRL_C);
    expect((await terminal.ended).code).toBe(130);
    expect(processesWith(world.home)).toEqual([]);
    expectStopped(world, "SIGINT");
  });

  test("that is closed the run stops when the agent has finished, and its journal says so", async () => {
    const world = makeWorld();
    world.speaking({ turns: [PATIENT] }, { guardrails: [{ command: "touch judged" }] });
    const terminal = openTerminal(world, ["-p", "x", "--no-baseline"]);
    await hasStarted(world);
    terminal.hangUp();
    await until("the stop is on record", () => ofType(world.journal(), "stop.requested").length === 1);
    world.write("go", "");
    await until("ralph has ended", () => world.journal().at(-1)?.type === "run.ended");
    await until("no process is left", () => processesWith(world.home).length === 0);
    expect(ofType(world.journal(), "agent.exited")[0]?.ending).toEqual({ kind: "finished" });
    expect(world.has("judged")).toBe(false);
    expectStopped(world, "SIGHUP");
  });
});

test("what a finished agent leaves behind, in whatever way, is ended before the guardrails judge", async () => {
  const world = makeWorld();
  const ways = ["child", "setsid", "double-fork", "ignore-term", "setsid-ignore-term"] as const;
  const leave = ways.map((how) => ({ leave: join(world.home, how), how }));
  const states = ways.map((how) => `cat /proc/$(cat '${join(world.home, how)}')/status`).join("; ");
  const command = `! { ${states}; } 2>/dev/null | grep ^State: | grep -v zombie`;
  // Seen from the guardrail, which in a namespace of its own would see nothing.
  world.speaking(
    { turns: [{ actions: leave, final: DONE }] },
    { guardrails: [{ command }], processes: "group" },
  );
  const ended = await world.ralph(["-p", "x", "--no-baseline", "-m", "1"]);
  expect(ended.code).toBe(0);
  const pids = await Promise.all(ways.map((how) => pidIn(join(world.home, how))));
  expect(pids.map(isAlive)).toEqual(pids.map(() => false));
  expect(processesWith(world.home)).toEqual([]);
});
