import { lstatSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { expectUserError, makeWorld } from "./support.ts";
import { openTerminal } from "./terminal.ts";

const FILES = ["ralph/prd.md", "ralph/tasks.json", "ralph/progress.txt", "ralph/prompt.md"];

describe("ralph init --tasks", () => {
  test("makes every file, fills the placeholders, names the branch, and says what comes next", async () => {
    const world = makeWorld();
    const ended = await world.ralph(["init", "--tasks", "--name", "Full-text Search"]);
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: "" });
    for (const file of FILES) {
      expect(ended.stdout).toContain(`${file} written.`);
      expect(world.read(file)).not.toMatch(/\{\{/);
    }
    expect(JSON.parse(world.read("ralph/tasks.json"))).toMatchObject({
      project: "Full-text Search",
      branchName: "ralph/full-text-search",
    });
    expect(world.read("ralph/progress.txt")).toMatch(/^Started: \d{4}-\d\d-\d\d\nPRD: Full-text Search$/m);
    expect(ended.stdout).toContain("Next:");
    expect(ended.stdout).toContain("ralph tasks check");
    expect(world.read(".gitignore").split("\n")).toContain(".ralph-active");
  });

  test("without a name the branch is the template's, and the project is the folder", async () => {
    const world = makeWorld();
    await world.ralph(["init", "--tasks"]);
    expect(JSON.parse(world.read("ralph/tasks.json"))).toMatchObject({
      project: "project",
      branchName: "ralph/feature-name",
    });
  });

  test.each([[[]], [["--yes"]]])(
    "what is there is left as it is when nobody can be asked (%j)",
    async (flags) => {
      const world = makeWorld();
      world.write("ralph/prd.md", "mine");
      const ended = await world.ralph(["init", "--tasks", ...flags]);
      expect(ended.code).toBe(0);
      expect(ended.stdout).toContain("ralph/prd.md is there already, and was left as it is.");
      expect(world.read("ralph/prd.md")).toBe("mine");
      expect(world.has("ralph/tasks.json")).toBe(true);
    },
  );

  test.each([
    ["y", "Overwrite", true],
    ["n", "left as it is", false],
  ])("on a terminal it asks before it overwrites: %s", async (key, _says, isGone) => {
    const world = makeWorld();
    world.write("ralph/prd.md", "mine");
    const terminal = openTerminal(world, ["init", "--tasks"]);
    await terminal.shows("Overwrite ralph/prd.md? (y/N)");
    terminal.press(key);
    expect((await terminal.ended).code).toBe(0);
    expect(world.read("ralph/prd.md") !== "mine").toBe(isGone);
  });

  test("lines are added to .gitignore once, and what stands there stays", async () => {
    const world = makeWorld();
    world.write(".gitignore", "dist\n/.ralph-active\nlast");
    await world.ralph(["init", "--tasks"]);
    const first = world.read(".gitignore");
    expect(first).toMatch(/^dist\n\/\.ralph-active\nlast\n\.ralph\/\*\.log\n/);
    await world.ralph(["init", "--tasks"]);
    expect(world.read(".gitignore")).toBe(first);
  });

  test("another project and another folder", async () => {
    const world = makeWorld();
    mkdirSync(join(world.project, "inner"));
    await world.ralph(["init", "--tasks", "-d", "inner", "--ralph-dir", "docs/loop"]);
    expect(world.read("inner/docs/loop/prompt.md")).toContain("`docs/loop/progress.txt`");
  });

  test("a folder that is a link is not written into", async () => {
    const world = makeWorld();
    mkdirSync(join(world.home, "elsewhere"));
    symlinkSync(join(world.home, "elsewhere"), join(world.project, "ralph"));
    expectUserError(await world.ralph(["init", "--tasks"]), "link");
  });

  test("a file that is a link is left alone", async () => {
    const world = makeWorld();
    writeFileSync(join(world.home, "theirs"), "theirs");
    world.write("ralph/prd.md", "");
    symlinkSync(join(world.home, "theirs"), join(world.project, "ralph/tasks.json"));
    await world.ralph(["init", "--tasks"]);
    expect(lstatSync(join(world.project, "ralph/tasks.json")).isSymbolicLink()).toBe(true);
  });

  test.each([
    [["--name", "!!!"], "no letter and no digit"],
    [["--ralph-dir", ".."], "inside the project"],
    [["-d", "nowhere"], "there is no folder"],
  ])("%j is told in three lines", async (flags, words) => {
    const world = makeWorld();
    expectUserError(await world.ralph(["init", "--tasks", ...flags]), words);
  });

  test("plain ralph init is as it was", async () => {
    const world = makeWorld();
    expect((await world.ralph(["init", "--yes"])).code).toBe(0);
    expect(world.has("ralph")).toBe(false);
  });
});
