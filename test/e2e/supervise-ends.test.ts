import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { attempts, counting, QUICK, runs } from "./supervising.ts";
import { expectUserError, makeWorld, ofType, outcomeOf, pidIn, processesWith, until } from "./support.ts";

describe("restarts", () => {
  test("exit code 0 alone never ends a supervised command", async () => {
    const world = makeWorld();
    counting(world, "exit 0");
    const ended = await world.ralph(["supervise", ...QUICK, "--max-restarts", "3", "--", "task"]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("run again, with a higher --max-restarts");
    expect(runs(world)).toBe(3);
    expect(attempts(ended.stderr)).toEqual([
      "Attempt 1: Agent exited (exit 0), restarting...",
      "Attempt 2: Agent exited (exit 0), restarting...",
      "Attempt 3: Agent exited (exit 0), max restarts exceeded, stopping",
    ]);
  });

  test("each attempt is told in the words of the spec, up to the one that succeeds", async () => {
    const world = makeWorld();
    counting(world, `[ $N -eq 4 ] && touch DONE && exit 0; exit $N`);
    const ended = await world.ralph(["supervise", ...QUICK, "--", "task"]);
    expect(ended.code).toBe(0);
    expect(attempts(ended.stderr)).toEqual([
      "Attempt 1: Agent failed (exit 1), restarting...",
      "Attempt 2: Agent failed (exit 2), restarting...",
      "Attempt 3: Agent failed (exit 3), restarting...",
      "Attempt 4: Agent exited (exit 0), DONE is there",
    ]);
    expect(ofType(world.journal(), "agent.exited").map(({ exitCode }) => exitCode)).toEqual([1, 2, 3, 0]);
  });

  test("DONE counts on the very last attempt, and beside a bad exit code", async () => {
    const world = makeWorld();
    counting(world, `[ $N -eq 2 ] && touch DONE; exit 9`);
    const ended = await world.ralph(["supervise", ...QUICK, "--max-restarts", "2", "--", "task"]);
    expect(ended.code).toBe(0);
    expect(runs(world)).toBe(2);
  });

  test("come after a death by a signal too", async () => {
    const world = makeWorld();
    counting(world, `[ $N -eq 1 ] && kill -KILL $$; touch DONE`);
    const ended = await world.ralph(["supervise", ...QUICK, "--", "task"]);
    expect(ended.code).toBe(0);
    expect(attempts(ended.stderr)[0]).toBe("Attempt 1: Agent failed (signal), restarting...");
  });

  test("come after silence that lasts longer than --idle-timeout", async () => {
    const world = makeWorld();
    counting(world, `[ $N -eq 1 ] && exec sleep 60; touch DONE`);
    const ended = await world.ralph(["supervise", ...QUICK, "--idle-timeout", "500ms", "--", "task"]);
    expect(ended.code).toBe(0);
    expect(attempts(ended.stderr)[0]).toBe("Attempt 1: Agent failed (idle), restarting...");
  });

  test("a directory named DONE that an attempt leaves is an error, and ends the run", async () => {
    const world = makeWorld();
    counting(world, "mkdir DONE; exit 0");
    const ended = await world.ralph(["supervise", ...QUICK, "--", "task"]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain("DONE is a directory");
    expect(runs(world)).toBe(1);
    expect(outcomeOf(world).kind).toBe("failed");
  });

  test.each([
    ["a file", "touch one"],
    ["a loop of links", "ln -s one one"],
  ])("a task's folder that becomes %s is an error, and ends the run", async (_, change) => {
    const world = makeWorld();
    mkdirSync(join(world.project, "one"));
    counting(world, `rm -r one; ${change}; exit 0`);
    const ended = await world.ralph(["supervise", ...QUICK, "--task-dir", "one", "--", "task"]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain("is no folder that can be looked into");
    expect(outcomeOf(world).kind).toBe("failed");
  });

  test("a directory named WAIT_WITHOUT_RESTART is no signal, and harms nothing", async () => {
    const world = makeWorld();
    counting(world, `mkdir -p WAIT_WITHOUT_RESTART; [ $N -eq 2 ] && touch DONE; exit 0`);
    expect((await world.ralph(["supervise", ...QUICK, "--", "task"])).code).toBe(0);
    expect(runs(world)).toBe(2);
    expect(world.has("WAIT_WITHOUT_RESTART")).toBe(true);
  });

  test("--no-waits makes nothing special of exit code 42", async () => {
    const world = makeWorld();
    counting(world, `[ $N -eq 2 ] && touch DONE; touch WAIT_WITHOUT_RESTART; exit 42`);
    const ended = await world.ralph(["supervise", ...QUICK, "--no-waits", "--", "task"]);
    expect(ended.code).toBe(0);
    expect(runs(world)).toBe(2);
  });
});

describe("fatal errors end the run at once with exit code 2", () => {
  test("a program that may not be run", async () => {
    const world = makeWorld();
    chmodSync(counting(world, "exit 1"), 0o644);
    const ended = await world.ralph(["supervise", ...QUICK, "--", "task"]);
    expectUserError(ended, "cannot start task");
    expect(runs(world)).toBe(0);
  });

  test.each([
    ["is not there", "#!/nowhere/sh\n", "/nowhere/sh", "mend the first line"],
    ["is not there because of its line ends", "#!/bin/sh\r\ntrue\r\n", "/bin/sh\\r", "LF, not CRLF"],
  ])("a script whose interpreter %s", async (_, text, ...words) => {
    const world = makeWorld();
    world.write("task.sh", text);
    chmodSync(join(world.project, "task.sh"), 0o755);
    const ended = await world.ralph(["supervise", ...QUICK, "--", "./task.sh"]);
    expectUserError(ended, "cannot start ./task.sh");
    for (const word of words) expect(ended.stderr).toContain(word);
    expect(world.hasJournal()).toBe(false);
  });

  test("a program that may not be run any more, between two restarts", async () => {
    const world = makeWorld();
    const file = counting(world, `chmod 644 "$0"; exit 1`);
    const ended = await world.ralph(["supervise", ...QUICK, "--", file]);
    expect(ended.code).toBe(2);
    expect(runs(world)).toBe(1);
    expect(attempts(ended.stderr)[1]).toContain("Attempt 2: Fatal error:");
    expect(outcomeOf(world).kind).toBe("failed");
    expect(world.read("TASK-MESSAGE-BUS.md")).toContain("type: error");
  });

  test.each([
    ["bad settings", [], { restart: { delay: "soon" } }, "restart.delay"],
    ["a bad flag", ["--max-restarts", "many"], {}, "--max-restarts"],
    ["a bad duration", ["--restart-delay", "5"], {}, "--restart-delay"],
    ["a task's folder that is not there", ["--task-dir", "nowhere"], {}, "nowhere"],
  ])("invalid configuration: %s", async (_, flags, settings, named) => {
    const world = makeWorld();
    counting(world, "exit 0");
    world.settings(settings);
    expectUserError(await world.ralph(["supervise", ...flags, "--", "task"]), named);
    expect(runs(world)).toBe(0);
    expect(world.hasJournal()).toBe(false);
  });
});

describe("cancellation", () => {
  test("during the pause before a restart ends it there and then", async () => {
    const world = makeWorld();
    counting(world, "exit 1");
    const run = world.start(["supervise", "--restart-delay", "50h", "--", "task"]);
    await run.printed("Attempt 1: Agent failed (exit 1), restarting...");
    run.process.kill("SIGTERM");
    expect((await run.ended).code).toBe(130);
    expect(runs(world)).toBe(1);
    expect(outcomeOf(world)).toMatchObject({ kind: "stopped" });
    expect(world.read("TASK-MESSAGE-BUS.md")).toContain("stopped by SIGTERM");
  });

  test("during the wait for child runs ends it there and then", async () => {
    const world = makeWorld();
    counting(world, "touch DONE");
    world.write("TASK-MESSAGE-BUS.md", "\n---\ntype: child.started\nrun: child-1\n---\n");
    const run = world.start(["supervise", ...QUICK, "--wait-timeout", "50h", "--", "task"]);
    await run.printed("DONE is there");
    run.process.kill("SIGINT");
    expect((await run.ended).code).toBe(130);
  });

  test("by a second signal ends the attempt and everything below it", async () => {
    const world = makeWorld();
    counting(
      world,
      `sh -c 'echo $$ > child; exec sleep 600' & trap "" TERM INT; touch started; wait; sleep 600`,
    );
    const run = world.start(["supervise", ...QUICK, "--", "task"]);
    await until("the attempt runs", () => world.has("started"));
    await pidIn(join(world.project, "child"));
    run.process.kill("SIGINT");
    await run.printed("shutting down");
    run.process.kill("SIGINT");
    expect((await run.ended).code).toBe(130);
    expect(processesWith(world.home)).toEqual([]);
  });
});

/** Does the process `$pid` live? One that is dead and not yet reaped does not. */
const LIVES = `sed 's/.*) //' /proc/$pid/stat 2>/dev/null | grep -q '^[^Z]'`;

describe("process group cleanup", () => {
  test("what an attempt left running is gone before the next one starts", async () => {
    const world = makeWorld();
    world.settings({ processes: "group" }); // seen by the next attempt, which in a namespace would see nothing
    const left = ["sleep 600 &", "setsid sleep 600 &", "nohup sleep 600 >/dev/null 2>&1 &"];
    const start = left.map((line) => `${line} echo $! >> left`).join("\n");
    counting(
      world,
      `if [ $N -eq 1 ]; then\n${start}\nexit 1; fi
      for pid in $(cat left); do ${LIVES} && echo $pid >> alive; done; touch DONE`,
    );
    expect((await world.ralph(["supervise", ...QUICK, "--", "task"])).code).toBe(0);
    expect(world.read("left").trim().split("\n")).toHaveLength(3);
    expect(world.has("alive")).toBe(false);
  });

  test("an attempt past its time limit is ended with everything below it, SIGTERM ignored or not, and restarted", async () => {
    const world = makeWorld();
    world.settings({ processes: "group" });
    counting(
      world,
      `if [ $N -gt 1 ]; then pid=$(cat child); ${LIVES} && touch alive; touch DONE; exit; fi
      trap "" TERM; sleep 600 & echo $! > child; wait; sleep 600`,
    );
    const ended = await world.ralph(["supervise", ...QUICK, "--timeout", "1s", "--", "task"]);
    expect(ended.code).toBe(0);
    expect(attempts(ended.stderr)[0]).toBe("Attempt 1: Agent failed (timeout), restarting...");
    expect(world.has("alive")).toBe(false);
  });
});

describe("the bus", () => {
  test("is told the start and the completion, the project's bus the completion", async () => {
    const world = makeWorld();
    mkdirSync(join(world.project, "one"));
    counting(world, 'touch "$TASK_FOLDER/DONE"');
    await world.ralph(["supervise", ...QUICK, "--task-dir", "one", "--", "task"]);
    const done = "task completed (DONE marker present, no active children)";
    expect(world.read("one/TASK-MESSAGE-BUS.md")).toMatch(/type: start.*type: done/s);
    expect(world.read("one/TASK-MESSAGE-BUS.md")).toContain(done);
    expect(world.read("PROJECT-MESSAGE-BUS.md")).toContain(done);
    expect(world.read("PROJECT-MESSAGE-BUS.md")).not.toContain("type: start");
  });

  test("is told which child runs were not waited for any longer", async () => {
    const world = makeWorld();
    counting(world, "touch DONE");
    world.write("TASK-MESSAGE-BUS.md", "\n---\ntype: child.started\nrun: child-1\n---\n");
    await world.ralph(["supervise", ...QUICK, "--wait-timeout", "100ms", "--", "task"]);
    expect(world.read("PROJECT-MESSAGE-BUS.md")).toContain("still active: child-1");
  });

  test("is told when a resumed run goes on, and how it ended", async () => {
    const world = makeWorld();
    counting(world, `[ $N -eq 1 ] && exit 42; exit 1`);
    await world.ralph(["supervise", ...QUICK, "--max-restarts", "2", "--", "task"]);
    expect((await world.ralph(["resume"])).code).toBe(1);
    const bus = world.read("TASK-MESSAGE-BUS.md");
    expect(bus).toMatch(/run started.*waiting: .*run resumed.*max restarts exceeded \(2\)/s);
    expect(bus.match(/run started/g)).toHaveLength(1);
  });

  test("that cannot be written or read harms nothing", async () => {
    const world = makeWorld();
    mkdirSync(join(world.project, "TASK-MESSAGE-BUS.md"));
    mkdirSync(join(world.project, "PROJECT-MESSAGE-BUS.md"));
    counting(world, `[ $N -eq 2 ] && touch DONE; exit 1`);
    const ended = await world.ralph(["supervise", ...QUICK, "-V", "--", "task"]);
    expect(ended.code).toBe(0);
    expect(runs(world)).toBe(2);
    expect(ended.stderr).toContain("[ralph] Could not post to the bus");
  });

  test("that is damaged, or no text at all, harms nothing", async () => {
    const world = makeWorld();
    const noise = Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 7919) % 256));
    writeFileSync(
      join(world.project, "TASK-MESSAGE-BUS.md"),
      Buffer.concat([Buffer.from("---\ntype: "), noise]),
    );
    counting(world, "touch DONE");
    expect((await world.ralph(["supervise", ...QUICK, "--", "task"])).code).toBe(0);
  });
});
