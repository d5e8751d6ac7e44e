import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Story } from "../../src/tasks/list.ts";
import { approved, listOf, story } from "../tasks/support.ts";
import { expectUserError, makeWorld, until, type World } from "./support.ts";
import { openTerminal } from "./terminal.ts";

async function worldWith(...stories: Story[]): Promise<World> {
  const world = makeWorld({ git: true });
  await world.ralph(["init", "--tasks"]);
  world.write("ralph/tasks.json", JSON.stringify({ ...listOf(...stories), branchName: "ralph/search" }));
  world.write("ralph/prd.md", "what we built");
  world.write("ralph/prompt.md", "made to fit");
  world.git("add", "--all");
  world.git("commit", "--quiet", "-m", "list");
  return world;
}

const archives = (world: World) => readdirSync(join(world.project, "ralph-archive")).sort();

describe("ralph archive", () => {
  test("archive structure, summary, clean reset, and a commit of its own paths only", async () => {
    const world = await worldWith(approved("US-001", { reviewCount: 2 }), approved("US-002"));
    world.write("README", "changed by me");
    world.write("mine.txt", "staged by me");
    world.git("add", "mine.txt");
    const list = world.read("ralph/tasks.json");

    const ended = await world.ralph(["archive"]);
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: "" });
    const [name = ""] = archives(world);
    expect(name).toMatch(/^\d{4}-\d\d-\d\d-search$/);
    const folder = `ralph-archive/${name}`;
    expect(readdirSync(join(world.project, folder)).sort()).toEqual([
      "prd.md",
      "progress.txt",
      "summary.md",
      "tasks.json",
    ]);
    expect(world.read(`${folder}/tasks.json`)).toBe(list);
    expect(world.read(`${folder}/prd.md`)).toBe("what we built");
    const summary = world.read(`${folder}/summary.md`);
    expect(summary).toContain("Stories completed: 2 of 2");
    expect(summary).toMatch(/Dates: \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d/);
    expect(summary).toContain("| US-001 | Title of US-001 | yes | approved | 2 |");

    expect(world.read("ralph/prd.md")).toContain("## 1. Summary");
    expect(JSON.parse(world.read("ralph/tasks.json"))).toMatchObject({
      project: "p",
      userStories: [{ id: "US-001", title: "", passes: false }],
    });
    expect(world.read("ralph/progress.txt")).toContain("# Ralph Progress Log");
    expect(world.read("ralph/prompt.md")).toBe("made to fit");

    expect(world.git("log", "-1", "--format=%s").trim()).toBe(`chore: archive ${name}`);
    const committed = world.git("show", "--name-only", "--format=").trim().split("\n").sort();
    expect(committed.every((path) => path.startsWith("ralph/") || path.startsWith(folder))).toBe(true);
    expect(world.git("status", "--porcelain").trimEnd().split("\n").sort()).toEqual([
      " M README",
      "A  mine.txt",
    ]);
  });

  test("--label names the folder, and a second one of the day gets a number", async () => {
    const world = await worldWith(approved("A"));
    expect((await world.ralph(["archive", "--label", "First Try/.."])).code).toBe(0);
    world.write("ralph/tasks.json", JSON.stringify(listOf(approved("A"))));
    expect((await world.ralph(["archive", "--label", "first-try"])).code).toBe(0);
    expect(archives(world).map((name) => name.slice(11))).toEqual(["first-try", "first-try-2"]);
  });

  test("stories that are not done: asks on a terminal, refuses without one, and --yes goes on", async () => {
    const world = await worldWith(approved("A"), story("B"));
    expectUserError(await world.ralph(["archive"]), "1 of 2 stories are not done", "ralph archive --yes");
    const terminal = openTerminal(world, ["archive"]);
    await terminal.shows("Archive all the same? (y/N)");
    terminal.press("n");
    expect(await terminal.ended).toMatchObject({
      code: 0,
      screen: expect.stringContaining("Nothing was changed"),
    });
    expect(world.has("ralph-archive")).toBe(false);
    expect((await world.ralph(["archive", "--yes"])).code).toBe(0);
    expect(world.read(`ralph-archive/${archives(world)[0]}/summary.md`)).toContain(
      "Stories completed: 1 of 2",
    );
  });

  test("refuses while a run is active", async () => {
    const world = await worldWith(approved("A"));
    world.speaking({ turns: [{ actions: [{ hang: join(world.home, "hanging") }] }] });
    const run = world.start(["-p", "do it"]);
    await until("the turn hangs", () => readdirSync(world.home).includes("hanging"));
    expectUserError(await world.ralph(["archive"]), "cannot archive the task list now", "ralph stop");
    expectUserError(await world.ralph(["tasks", "import", "x.md"]), "cannot import stories now");
    await world.ralph(["stop", "--now"]);
    await run.ended;
    expect((await world.ralph(["archive"])).code).toBe(0);
  });

  test("refuses while .ralph-active names a living process, and not when that is gone", async () => {
    const world = await worldWith(approved("A"));
    const active = (pid: number, timestamp = new Date().toISOString()) =>
      world.write(
        ".ralph-active",
        JSON.stringify({
          timestamp,
          pid,
          max_iterations: 15,
          mode: "direct",
          skipReview: false,
          reviewCap: 5,
        }),
      );
    active(process.pid);
    expectUserError(await world.ralph(["archive"]), `process ${process.pid}`, "remove .ralph-active");
    active(2 ** 30);
    expect((await world.ralph(["archive"])).code).toBe(0);
    world.write("ralph/tasks.json", JSON.stringify(listOf(approved("B"))));
    // The number belongs to a younger process now.
    active(process.pid, "2026-01-01T00:00:00Z");
    expect((await world.ralph(["archive", "--label", "again"])).code).toBe(0);
  });

  test("a template and a broken list are not archived", async () => {
    const world = await worldWith();
    expectUserError(await world.ralph(["archive", "--yes"]), "no stories yet");
    world.write("ralph/tasks.json", "{");
    expectUserError(await world.ralph(["archive", "--yes"]), "not valid JSON", "ralph tasks check");
    expectUserError(await makeWorld().ralph(["archive"]), "there is no task list");
    expect(world.has("ralph-archive")).toBe(false);
  });

  test("without git, and where git ignores the files, it archives and says so", async () => {
    const plain = makeWorld();
    plain.write("ralph/tasks.json", JSON.stringify(listOf(approved("A"))));
    const ended = await plain.ralph(["archive"]);
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining("no git repository") });
    expect(plain.read("ralph/prompt.md")).toContain("Ralph Loop");
    const hidden = await worldWith(approved("A"));
    hidden.write(".gitignore", "ralph-archive\n");
    expect((await hidden.ralph(["archive"])).stdout).toContain("git ignores these files");
  });

  test("an archive folder that is a link is not written into", async () => {
    const world = await worldWith(approved("A"));
    mkdirSync(join(world.home, "out"));
    symlinkSync(join(world.home, "out"), join(world.project, "ralph-archive"));
    expectUserError(await world.ralph(["archive"]), "link");
    expect(readdirSync(join(world.home, "out"))).toEqual([]);
    expect(world.read("ralph/prd.md")).toBe("what we built");
  });

  test("--help and a label without letters", async () => {
    const world = await worldWith(approved("A"));
    expect((await world.ralph(["archive", "--help"])).stdout).toContain("--label <label>");
    expectUserError(await world.ralph(["archive", "--label", "///"]), "no letter and no digit");
  });
});

test("a program that an agent named in the repository's config is not run by the archive", async () => {
  const world = await worldWith(approved("US-001"));
  world.git("config", "filter.planted.clean", "touch ../planted; cat");
  world.write(".gitattributes", "* filter=planted\n");
  const ended = await world.ralph(["archive"]);
  expect(ended.code, ended.stderr).toBe(0);
  expect(world.has("../planted")).toBe(false);
});
