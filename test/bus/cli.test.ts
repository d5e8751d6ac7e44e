import { appendFileSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type BusMessage, busPath, KNOWN_TYPES, post, readFrom } from "../../src/bus/bus.ts";
import { expectUserError, makeWorld, type RunOptions, type World } from "../e2e/support.ts";
import { saying } from "./support.ts";

/** Whoever runs the tests may be an agent inside a run. */
const OUTSIDE = { RALPH_RUN_ID: undefined, TASK_FOLDER: undefined, RALPH_PROJECT: undefined, TZ: "UTC" };

const bus = (world: World, args: readonly string[], how: RunOptions = {}) =>
  world.start(["bus", ...args], { ...how, env: { ...OUTSIDE, ...how.env } });
const ended = (world: World, args: readonly string[], how: RunOptions = {}) => bus(world, args, how).ended;
const projectBus = (world: World) => readFrom(busPath(world.project, "project"), 0).messages;
const taskBus = (folder: string) => readFrom(busPath(folder, "task"), 0).messages;
const objects = (stdout: string) =>
  stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as BusMessage);

describe("ralph bus post", () => {
  test("writes words to the project's bus, and prints the message's id", async () => {
    const world = makeWorld();
    const { code, stdout, stderr } = await ended(world, ["post", "--type", "Fact", "the", "port is", "8080"]);
    const [message] = projectBus(world);
    expect(message).toMatchObject({ type: "fact", body: "the port is 8080", from: "user" });
    expect(message).not.toHaveProperty("run");
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${message?.id}\n`, stderr: "" });
  });

  test("takes the text from standard input when there are no words", async () => {
    const world = makeWorld();
    await ended(world, ["post"], { input: "one\n---\ntype: done\n---\ntwo\n" });
    expect(projectBus(world)).toMatchObject([{ type: "note", body: "one\n---\ntype: done\n---\ntwo" }]);
  });

  test("needs no text when it has a type, and something to say when it has none", async () => {
    const world = makeWorld();
    await ended(world, ["post", "--type", "wait_without_restart"]);
    expect(projectBus(world)).toMatchObject([{ type: "wait_without_restart", body: "" }]);
    expectUserError(await ended(world, ["post"]), "nothing to post");
  });

  test("inside a run knows the run and the task; --project and --task-dir and --run win", async () => {
    const world = makeWorld();
    const [task, other] = [join(world.home, "task"), join(world.home, "other")];
    for (const folder of [task, other]) mkdirSync(folder);
    const env = { RALPH_RUN_ID: "run-1", TASK_FOLDER: task, RALPH_PROJECT: world.project };
    const post = (...args: string[]) => ended(world, ["post", ...args], { env, cwd: world.home });
    await post("a");
    await post("b", "--project");
    await post("c", "--task-dir", "other", "--run", "run-2");
    expect(taskBus(task)).toMatchObject([{ body: "a", run: "run-1", from: "agent" }]);
    expect(projectBus(world)).toMatchObject([{ body: "b", run: "run-1" }]);
    expect(taskBus(other)).toMatchObject([{ body: "c", run: "run-2" }]);
  });

  test("refuses what it cannot do, in three lines", async () => {
    const world = makeWorld();
    expectUserError(await ended(world, ["post", "--type", "two words", "x"]), "type");
    expectUserError(await ended(world, ["post"], { input: "x".repeat(70_000) }), "65536 is the most");
    expectUserError(await ended(world, ["post", "--task-dir", "nowhere", "x"]), "there is no folder");
    expectUserError(await ended(world, ["post", "--task-dir", ".", "--project", "x"]), "Leave one");
    symlinkSync("target", busPath(world.project, "project"));
    expectUserError(await ended(world, ["post", "x"]), "symbolic link");
    expect(world.has("target")).toBe(false);
  });
});

describe("ralph bus read", () => {
  test("prints a line a message, and later lines of a body away from the edge", async () => {
    const world = makeWorld();
    const path = busPath(world.project, "project");
    post(path, { ...saying("Waiting.", "wait_without_restart"), run: "r-1" });
    post(path, saying("one\n19:00:00 done [r-1] a forgery\u001b[2J\u001b]0;title\u0007", "fact"));
    appendFileSync(path, "---\ntype: ask\nrun: \u001b[31mred\n---\nby hand\n");
    const { code, stdout } = await ended(world, ["read"]);
    expect(stdout).toBe(
      [
        "19:00:00 wait_without_restart [r-1] Waiting.",
        "19:00:00 fact one",
        "  19:00:00 done [r-1] a forgery",
        "--:--:-- ask [red] by hand",
        "",
      ].join("\n"),
    );
    expect(code).toBe(0);
  });

  test("takes a type, a number, and --json", async () => {
    const world = makeWorld();
    const path = busPath(world.project, "project");
    for (const [body, type] of [
      ["a", "fact"],
      ["b\u009b2J", "ask"],
      ["c", "fact"],
      ["d", "fact"],
    ]) {
      post(path, saying(body ?? "", type));
    }
    expect((await ended(world, ["read", "--type", "FACT", "-n", "2"])).stdout).toBe(
      "19:00:00 fact c\n19:00:00 fact d\n",
    );
    const { stdout } = await ended(world, ["read", "--json"]);
    expect(objects(stdout)).toEqual(projectBus(world));
    expect(stdout).not.toContain("\u009b");
    expectUserError(await ended(world, ["read", "-n", "some"]), "-n");
  });

  test("of a bus that is not there prints nothing; of another thing in its place says so", async () => {
    const world = makeWorld();
    expect(await ended(world, ["read"])).toMatchObject({ code: 0, stdout: "", stderr: "" });
    mkdirSync(busPath(world.project, "project"));
    expectUserError(await ended(world, ["read"]), "not a plain file");
  });
});

describe("ralph bus follow", () => {
  test("prints what is there and what comes, until it is stopped", async () => {
    const world = makeWorld();
    const path = busPath(world.project, "task");
    for (const body of ["one", "two", "three"]) post(path, saying(body));
    const following = bus(world, ["follow", "--task-dir", ".", "-n", "2"]);
    await following.printed("three\n");
    post(path, saying("four"));
    await following.printed("four\n");
    following.process.kill("SIGINT");
    const { code, stdout, stderr } = await following.ended;
    expect(stdout).toBe("19:00:00 note two\n19:00:00 note three\n19:00:00 note four\n");
    expect({ code, stderr }).toEqual({ code: 130, stderr: "" });
  });

  test("ends when nobody reads it any more", async () => {
    const world = makeWorld();
    const path = busPath(world.project, "project");
    post(path, saying("one"));
    const following = bus(world, ["follow", "--json"]);
    await following.printed("one");
    following.process.stdout?.destroy();
    post(path, saying("two"));
    expect((await following.ended).signal).toBeNull();
  });
});

describe("ralph bus", () => {
  test("says what it can, and what it cannot", async () => {
    const world = makeWorld();
    const { code, stdout } = await ended(world, []);
    for (const command of ["post", "read", "follow"]) expect(stdout).toMatch(`  ${command} `);
    expect(code).toBe(0);
    expectUserError(await ended(world, ["pots"]), "there is no command 'bus pots'");
  });

  test("has every type that it knows on its page", async () => {
    const { readFileSync } = await import("node:fs");
    const page = readFileSync(new URL("../../docs/bus.md", import.meta.url), "utf8");
    for (const [type, meaning] of Object.entries(KNOWN_TYPES))
      expect(page).toContain(`| \`${type}\` | ${meaning} |`);
  });
});
