import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { counting, QUICK, runs } from "./supervising.ts";
import { makeWorld, until } from "./support.ts";

describe("ralph supervise", () => {
  test("does not run the command when DONE is there already", async () => {
    const world = makeWorld();
    counting(world, "exit 0");
    world.write("DONE", "");
    const ended = await world.ralph(["supervise", ...QUICK, "--", "task"]);
    expect(ended.code).toBe(0);
    expect(runs(world)).toBe(0);
  });

  test("restarts after any exit code, 0 included, until DONE appears", async () => {
    const world = makeWorld();
    counting(world, `[ $N -eq 3 ] && echo yes > "$TASK_FOLDER/DONE"; exit $((N % 2))`);
    const ended = await world.ralph(["supervise", ...QUICK, "--", "task"]);
    expect(ended.code).toBe(0);
    expect(runs(world)).toBe(3);
    expect(ended.stderr).toContain("Attempt 1: Agent failed (exit 1), restarting...");
    expect(ended.stderr).toContain("Attempt 2: Agent exited (exit 0), restarting...");
    expect(ended.stderr).toContain("nothing was checked");
    expect(world.journal().at(-1)).toMatchObject({ iterations: 3, outcome: { kind: "claimed" } });
  });

  test("gives up after --max-restarts, and says so on the bus", async () => {
    const world = makeWorld();
    counting(world, "exit 7");
    const ended = await world.ralph(["supervise", ...QUICK, "--max-restarts", "4", "--", "task"]);
    expect(ended.code).toBe(1);
    expect(runs(world)).toBe(4);
    expect(ended.stderr).toContain("Attempt 4: Agent failed (exit 7), max restarts exceeded, stopping");
    const bus = world.read("TASK-MESSAGE-BUS.md");
    expect(bus).toContain("type: start");
    expect(bus).toContain("type: error");
    expect(bus).toContain("max restarts exceeded (4)");
  });

  test("pauses for --restart-delay, also after exit 0", async () => {
    const world = makeWorld();
    counting(world, `[ $N -eq 3 ] && touch DONE; exit 0`);
    await world.ralph(["supervise", "--restart-delay", "300ms", "--", "task"]);
    const pauses = world.journal().filter((event) => event.type === "waited");
    expect(pauses.length).toBe(2);
    const exits = world.journal().filter((event) => event.type === "agent.exited");
    const starts = world.journal().filter((event) => event.type === "iteration.started");
    expect((starts[1]?.at ?? 0) - (exits[0]?.at ?? 0)).toBeGreaterThanOrEqual(300);
  });

  test("takes a directory named DONE for an error", async () => {
    const world = makeWorld();
    counting(world, "exit 0");
    mkdirSync(join(world.project, "DONE"));
    const ended = await world.ralph(["supervise", ...QUICK, "--", "task"]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain("DONE is a directory");
    expect(runs(world)).toBe(0);
  });

  test("looks for DONE in --task-dir and tells the command where it is", async () => {
    const world = makeWorld();
    mkdirSync(join(world.project, "tasks/one"), { recursive: true });
    counting(
      world,
      `env | grep -E '^(TASK_FOLDER|RALPH_RUN_ID|RALPH_ITERATION|RALPH_PROJECT)=' | sort; touch "$TASK_FOLDER/DONE"`,
    );
    const ended = await world.ralph(["supervise", ...QUICK, "--task-dir", "tasks/one", "--", "task"]);
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain(`TASK_FOLDER=${join(world.project, "tasks/one")}`);
    expect(ended.stdout).toContain("RALPH_ITERATION=1");
    expect(ended.stdout).toContain(`RALPH_PROJECT=${world.project}`);
    expect(ended.stdout).toMatch(/RALPH_RUN_ID=\d{8}-/);
  });

  test.each([
    ["exit code 42", "exit 42"],
    ["a file WAIT_WITHOUT_RESTART", 'touch "$TASK_FOLDER/WAIT_WITHOUT_RESTART"'],
    [
      "a message on the bus",
      `printf '\\n---\\ntype: wait_without_restart\\n---\\nfor you\\n' >> "$TASK_FOLDER/TASK-MESSAGE-BUS.md"`,
    ],
  ])("waits without a restart on %s, and resume goes on from there", async (_, wait) => {
    const world = makeWorld();
    counting(world, `if [ $N -eq 1 ]; then ${wait}; else touch DONE; fi`);
    const ended = await world.ralph(["supervise", ...QUICK, "--", "task"]);
    expect(ended.code).toBe(3);
    expect(runs(world)).toBe(1);
    const status = JSON.parse((await world.ralph(["status", "--json"])).stdout) as { status: string };
    expect(status.status).toBe("stopped");
    expect(world.has("WAIT_WITHOUT_RESTART")).toBe(false);
    expect((await world.ralph(["resume"])).code).toBe(0);
    expect(runs(world)).toBe(2);
  });

  test("ends at once when the program is not there", async () => {
    const world = makeWorld();
    const ended = await world.ralph(["supervise", ...QUICK, "--", "no-such-program"]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain("cannot start no-such-program");
  });

  test("ends at once when the program vanishes between two restarts", async () => {
    const world = makeWorld();
    const file = counting(world, `rm "$0"; exit 1`);
    const ended = await world.ralph(["supervise", ...QUICK, "--", file]);
    expect(ended.code).toBe(2);
    expect(runs(world)).toBe(1);
  });

  test("ends an attempt at --timeout and restarts", async () => {
    const world = makeWorld();
    counting(world, `[ $N -eq 1 ] && exec sleep 60; touch DONE`);
    const ended = await world.ralph(["supervise", ...QUICK, "--timeout", "500ms", "--", "task"]);
    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain("Attempt 1: Agent failed (timeout), restarting...");
  });

  test("believes DONE only when the guardrails pass", async () => {
    const world = makeWorld();
    counting(world, `touch DONE; [ $N -eq 2 ] && touch good; exit 0`);
    const ended = await world.ralph(["supervise", ...QUICK, "--guardrail", "test -e good", "--", "task"]);
    expect(ended.code).toBe(0);
    expect(world.journal().at(-1)).toMatchObject({ outcome: { kind: "verified" } });
  });

  test("measures the tree also for a DONE that was there before the first run", async () => {
    const world = makeWorld({ git: true });
    world.write("src.txt", "GOOD\n");
    world.git("add", "src.txt");
    world.git("commit", "-qm", "good");
    world.write("DONE", "");
    counting(world, "exit 0");
    const gates = ["--guardrail", "grep -q GOOD src.txt", "--guardrail", "sed -i s/GOOD/BAD/ src.txt"];
    const ended = await world.ralph(["supervise", ...QUICK, "--max-restarts", "1", ...gates, "--", "task"]);
    expect(ended.code).toBe(1);
    expect(world.journal().at(-1)).toMatchObject({ outcome: { kind: "exhausted" } });
  });

  test("waits for child runs that are registered on the bus, up to --wait-timeout", async () => {
    const world = makeWorld();
    const child = (type: string) => `\n---\ntype: ${type}\nrun: child-1\n---\n`;
    counting(world, "touch DONE");
    writeFileSync(join(world.project, "TASK-MESSAGE-BUS.md"), child("child.started"));
    const run = world.start(["supervise", ...QUICK, "--wait-timeout", "1h", "--", "task"]);
    await until("DONE is there", () => world.has("DONE"));
    appendFileSync(join(world.project, "TASK-MESSAGE-BUS.md"), child("child.ended"));
    expect((await run.ended).code).toBe(0);
    expect(world.journal().find((event) => event.type === "children.settled")).toMatchObject({
      stillActive: [],
    });

    const other = makeWorld();
    counting(other, "touch DONE");
    writeFileSync(join(other.project, "TASK-MESSAGE-BUS.md"), child("child.started"));
    expect((await other.ralph(["supervise", ...QUICK, "--wait-timeout", "200ms", "--", "task"])).code).toBe(
      0,
    );
    expect(other.journal().find((event) => event.type === "children.settled")).toMatchObject({
      stillActive: ["child-1"],
    });
  });

  test("stops at a signal when the attempt is over", async () => {
    const world = makeWorld();
    counting(world, `touch started; until [ -e go ]; do sleep 0.05; done`);
    const run = world.start(["supervise", ...QUICK, "--", "task"]);
    await until("the attempt runs", () => world.has("started"));
    run.process.kill("SIGTERM");
    await run.printed("shutting down");
    world.write("go", "");
    expect((await run.ended).code).toBe(130);
    expect(runs(world)).toBe(1);
  });

  test("hands the command's words on one by one, never through a shell", async () => {
    const world = makeWorld();
    const file = world.install("show", `printf '<%s>' "$@"; touch DONE`);
    const ended = await world.ralph([
      "supervise",
      ...QUICK,
      "--",
      file,
      "a b",
      "$(touch pwned)",
      "it's",
      "--json",
    ]);
    expect(ended.stdout).toContain("<a b><$(touch pwned)><it's><--json>");
    expect(world.has("pwned")).toBe(false);
  });
});
