import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  DONE,
  environmentOf,
  expectUserError,
  makeWorld,
  processesWith,
  RALPH,
  until,
  watch,
} from "./support.ts";

/** Is the file there, with something in it? */
const readable = (path: string) => existsSync(path) && readFileSync(path, "utf8") !== "";

describe("ralph resume", () => {
  test("goes on after kill -9 in the middle of an agent's turn, with the same iteration, and ends as an unbroken run", async () => {
    const world = makeWorld({ git: true });
    const agent = world.speaking(
      {
        turns: [
          { actions: [{ write: "a.txt", text: "1" }], final: "more", usage: { costUsd: 0.25 } },
          { actions: [{ say: "half" }, { hang: join(world.home, "hanging") }] },
          { final: DONE, usage: { costUsd: 0.5 } },
        ],
      },
      { guardrails: [{ command: "test -e a.txt" }] },
    );
    const run = world.start(["-p", "do it", "--no-baseline"]);
    await until("the second turn hangs", () => readable(join(world.home, "hanging")));
    await until("what it said is kept", () => readable(join(world.runFolder(), "streams/002.out")));
    run.process.kill("SIGKILL");
    await run.ended;

    const status = await world.ralph(["status"]);
    expect(status.stdout).toContain("interrupted");
    const ended = await world.ralph(["resume"]);
    expect(ended.code).toBe(0);
    expect(processesWith(world.home)).toEqual([]);
    expect(agent.calls().length).toBe(3);
    const events = world.journal();
    expect(events.filter((event) => event.type === "agent.exited").map((event) => event.iteration)).toEqual([
      1, 2,
    ]);
    expect(events.at(-1)).toMatchObject({
      type: "run.ended",
      iterations: 2,
      costUsd: 0.75,
      outcome: { kind: "verified" },
    });
    // What the broken turn had said is kept, and the turn that took its place has a stream of its own.
    expect(readFileSync(join(world.runFolder(), "streams/002.out"), "utf8")).toContain("half");
    expect(readFileSync(join(world.runFolder(), "streams/002-2.out"), "utf8")).toContain("DONE");
  });

  test.runIf(process.platform === "linux")(
    "of two at once does nothing twice, though the later one looked first",
    async () => {
      const world = makeWorld();
      const agent = world.speaking({
        turns: [{ actions: [{ hang: join(world.home, "hanging") }] }, { final: DONE }, { final: DONE }],
      });
      const run = world.start(["-p", "do it"]);
      await until("the turn hangs", () => readable(join(world.home, "hanging")));
      run.process.kill("SIGKILL");
      await run.ended;
      // Between its look at the journal and its lock a resume tries what holds processes together: there it is made to wait.
      const [asked, go] = [join(world.home, "asked"), join(world.home, "go")];
      const setpriv = world.install(
        "setpriv",
        `touch '${asked}'; until [ -e '${go}' ]; do sleep 0.02; done; exit 1`,
      );
      const late = world.start(["resume"]);
      await until("the late one has looked", () => existsSync(asked));
      // It would not wait for long by itself.
      late.process.kill("SIGSTOP");
      rmSync(setpriv);
      expect((await world.ralph(["resume"])).code).toBe(0);
      writeFileSync(go, "");
      late.process.kill("SIGCONT");
      expectUserError(await late.ended, /went on meanwhile/);
      expect(agent.calls().length).toBe(2);
      expect(world.journal().at(-1)).toMatchObject({ type: "run.ended", outcome: { kind: "claimed" } });
      expect(world.journal().filter((event) => event.type === "run.resumed")).toHaveLength(1);
    },
  );

  test("goes on after Ctrl-C where the run was, and does not charge the turn that was cut off", async () => {
    const world = makeWorld();
    world.speaking({ turns: [{ actions: [{ hang: join(world.home, "hanging") }] }, { final: DONE }] });
    const run = world.start(["-p", "do it"]);
    await until("the turn hangs", () => readable(join(world.home, "hanging")));
    run.process.kill("SIGINT");
    await run.printed("shutting down");
    run.process.kill("SIGINT");
    expect((await run.ended).code).toBe(130);
    expect((await world.ralph(["resume"])).code).toBe(0);
    expect(world.journal().at(-1)).toMatchObject({
      type: "run.ended",
      iterations: 1,
      outcome: { kind: "claimed" },
    });
  });

  test("goes on after the agent was blocked on a person", async () => {
    const world = makeWorld();
    world.speaking({ turns: [{ final: "<blocked>an API key</blocked>" }, { final: DONE }] });
    expect((await world.ralph(["-p", "do it"])).code).toBe(3);
    expect((await world.ralph(["resume"])).code).toBe(0);
  });

  test("of a run that used up its iterations needs a new limit, and says how", async () => {
    const world = makeWorld();
    world.speaking({ turns: [{ final: "no" }, { final: DONE }] });
    expect((await world.ralph(["-p", "do it", "-m", "1"])).code).toBe(1);
    const refused = await world.ralph(["resume"]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("ralph resume -m 11");
    expect((await world.ralph(["resume", "-m", "2"])).code).toBe(0);
  });

  test("of a run that is done is refused", async () => {
    const world = makeWorld();
    world.speaking({ turns: [{ final: DONE }] });
    await world.ralph(["-p", "do it"]);
    const refused = await world.ralph(["resume"]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("is done");
  });

  test("does not commit twice when it died between the commit and its record", async () => {
    const world = makeWorld({ git: true });
    world.speaking(
      { turns: [{ actions: [{ write: "a.txt", text: "1" }], final: DONE }] },
      { guardrails: [{ command: "true" }], scm: { command: "git", tasks: ["commit"] } },
    );
    await world.ralph(["-p", "do it"]);
    // Take the journal back to just before the record of the commit, as a crash would have left it.
    const journal = join(world.runFolder(), "journal.ndjson");
    const lines = readFileSync(journal, "utf8").split("\n");
    const at = lines.findIndex((line) => line.includes('"commit.intended"'));
    writeFileSync(journal, `${lines.slice(0, at + 1).join("\n")}\n{"type":"comm`);
    expect((await world.ralph(["resume"])).code).toBe(0);
    expect(world.git("log", "--format=%s").trim().split("\n")).toEqual(["Do the scripted work", "first"]);
  });
});

describe("one run at a time in a folder", () => {
  test("a second run is refused with the name of the first, which `ralph stop` ends", async () => {
    const world = makeWorld();
    world.speaking({ turns: [{ actions: [{ hang: join(world.home, "hanging") }] }] });
    const first = world.start(["-p", "do it"]);
    await until("the turn hangs", () => readable(join(world.home, "hanging")));
    const second = await world.ralph(["-p", "me too"]);
    expect(second.code).toBe(2);
    expect(second.stderr).toContain("another run is under way");
    expect(second.stderr).toContain(String(first.process.pid));
    const status = await world.ralph(["status", "--json"]);
    expect(JSON.parse(status.stdout)).toMatchObject({
      status: "running",
      iterations: 1,
      maxIterations: 10,
      task: "do it",
    });
    const { run } = world.journal()[0] ?? {};
    expectUserError(await world.ralph(["stop", "no-such-run"]), /there is no run no-such-run/);
    expect((await world.ralph(["stop", `${run}`, "--now"])).stdout).toContain("It has ended.");
    expect((await first.ended).code).toBe(130);
    expect((await world.ralph(["list"])).stdout).toContain("stopped");
  });

  test("`ralph stop --now` ends a run at once also when it is too busy to hear the first request in time", async () => {
    const world = makeWorld();
    world.speaking({ turns: [{ actions: [{ hang: join(world.home, "hanging") }] }] });
    const first = world.start(["-p", "do it"]);
    await until("the turn hangs", () => readable(join(world.home, "hanging")));
    first.process.kill("SIGSTOP");
    const stopping = world.start(["stop", "--now"]);
    await stopping.printed("at once");
    first.process.kill("SIGCONT");
    expect((await stopping.ended).stdout).toContain("It has ended.");
    expect((await first.ended).code).toBe(130);
  });

  test("a lock whose owner was killed heals itself, and what it left running is ended", async () => {
    const world = makeWorld();
    world.speaking({ turns: [{ actions: [{ hang: join(world.home, "hanging") }] }, { final: DONE }] });
    const first = world.start(["-p", "do it"]);
    await until("the turn hangs", () => readable(join(world.home, "hanging")));
    first.process.kill("SIGKILL");
    await first.ended;
    expect((await world.ralph(["-p", "me too"])).code).toBe(0);
    expect(processesWith(world.home)).toEqual([]);
  });
});

test("ralph logs shows a run again, the agent's words included", async () => {
  const world = makeWorld();
  world.speaking(
    { turns: [{ actions: [{ say: "Thinking about it." }], final: DONE }] },
    { guardrails: [{ command: "true" }] },
  );
  await world.ralph(["-p", "do it"]);
  const logs = await world.ralph(["logs"]);
  expect(logs.stdout).toContain("Thinking about it.");
  expect(logs.stdout).toContain("Guardrail passed: true");
  expect(logs.stdout).toContain("Verified");
});

describe("a run in a process namespace of its own, as in a container", () => {
  const NAMESPACE = ["--user", "--map-current-user", "--pid", "--fork", "--mount-proc", "--kill-child"];
  const isOutermost = existsSync("/proc/1") && readlinkSync("/proc/self/ns/pid") === "pid:[4026531836]";
  const canLook = isOutermost && spawnSync("unshare", [...NAMESPACE, "true"]).status === 0;

  test.runIf(canLook)(
    "is seen from outside while it lives, and is not in the way when it is gone",
    async () => {
      const world = makeWorld();
      world.install("hanging", "echo here; exec sleep 321");
      const words = [...NAMESPACE, process.execPath, RALPH, "supervise", "--", "hanging"];
      const child = spawn("unshare", words, { cwd: world.project, env: environmentOf(world) });
      const inside = watch(child);
      await inside.printed("here");
      const second = await world.ralph(["supervise", "--", "true"]);
      expectUserError(second, /another run is under way/, /ralph stop/);
      child.kill("SIGKILL");
      await inside.ended;
      expect((await world.ralph(["status"])).stdout).toContain("interrupted");
      const third = await world.ralph(["supervise", "--max-restarts", "1", "--", "true"]);
      expect(third.stderr).toContain("max restarts exceeded");
    },
  );
});

test("a lock that only its user can judge is named, so that it can be taken away", async () => {
  const world = makeWorld();
  await world.ralph(["supervise", "--max-restarts", "1", "--", "true"]);
  const lock = join(world.runFolder(), "../lock");
  writeFileSync(lock, JSON.stringify({ pid: 7, startTicks: 1, host: "elsewhere", run: "one", at: 1 }));
  expectUserError(await world.ralph(["supervise", "--", "true"]), "on elsewhere", `remove ${lock}`);
});
