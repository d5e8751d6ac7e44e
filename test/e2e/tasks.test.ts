import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Story } from "../../src/tasks/list.ts";
import { approved, listOf, story } from "../tasks/support.ts";
import { expectUserError, makeWorld, type World } from "./support.ts";

function worldWith(...stories: Story[]): World {
  const world = makeWorld();
  world.write("ralph/tasks.json", JSON.stringify(listOf(...stories)));
  return world;
}

const THREE = [
  approved("US-001", { title: "Schema" }),
  story("US-002", { title: "Search \u001b[31mred", priority: 2 }),
  story("US-003", { title: "Page", dependsOn: ["US-002"] }),
];

describe("ralph tasks", () => {
  test("lists the stories with their state, their reviews and what blocks them", async () => {
    const world = worldWith(...THREE);
    const { code, stdout, stderr } = await world.ralph(["tasks"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^US-001 {2}approved +1 review +Schema$/m);
    expect(stdout).toMatch(/^US-002 {2}to do +0 reviews +Search red$/m);
    expect(stdout).toMatch(/^US-003 {2}to do +0 reviews +Page {2}\(waits for US-002\)$/m);
    expect(stdout).toContain("1 of 3 stories done.");
    expect(stdout).toContain("Next: implement US-002, about 6 iterations to go.");
    expect(stdout).not.toContain("\u001b");
  });

  test("--json is one object for scripts", async () => {
    const world = worldWith(...THREE);
    const page = JSON.parse((await world.ralph(["tasks", "--json"])).stdout);
    expect(page).toMatchObject({ complete: false, next: { mode: "implement", story: "US-002" } });
    expect(page.stories[2]).toMatchObject({ id: "US-003", state: "to do", blockedBy: ["US-002"] });
  });

  test("works from a folder below the project", async () => {
    const world = worldWith(...THREE);
    mkdirSync(join(world.project, "src"));
    expect((await world.ralph(["tasks", "next"], { cwd: join(world.project, "src") })).stdout).toContain(
      "US-002",
    );
  });

  test("--help names the commands, and each has a help of its own", async () => {
    const world = makeWorld();
    const { stdout } = await world.ralph(["tasks", "--help"]);
    for (const name of ["check", "next", "graph", "stats", "import"]) {
      expect(stdout).toMatch(new RegExp(`^ {2}${name} `, "m"));
      const help = await world.ralph(["tasks", name, "--help"]);
      expect(help.code).toBe(0);
      expect(help.stdout).toContain(`Usage: ralph tasks ${name}`);
    }
  });

  test("what cannot be done is told in three lines", async () => {
    const world = makeWorld();
    expectUserError(await world.ralph(["tasks"]), "there is no task list", "ralph init --tasks");
    await world.ralph(["init", "--tasks"]);
    expectUserError(await world.ralph(["tasks"]), "no stories yet", "Write your stories");
    expectUserError(await world.ralph(["tasks", "frobnicate"]), "there is no command 'tasks frobnicate'");
    expectUserError(await world.ralph(["tasks", "--review-cap", "0"]), "whole number of 1 or more");
    world.write("ralph/tasks.json", JSON.stringify(listOf(story("A", { dependsOn: ["Z"], priority: 1 }))));
    expectUserError(await world.ralph(["tasks", "next"]), "depends on Z", "ralph tasks check");
  });

  test("a list that is a link is not read", async () => {
    const world = worldWith(...THREE);
    writeFileSync(join(world.home, "other.json"), JSON.stringify(listOf(story("SECRET"))));
    rmSync(join(world.project, "ralph/tasks.json"));
    symlinkSync(join(world.home, "other.json"), join(world.project, "ralph/tasks.json"));
    expectUserError(await world.ralph(["tasks"]), "symbolic link");
  });
});

describe("ralph tasks check", () => {
  test("a good list is exit code 0", async () => {
    const ended = await worldWith(...THREE).ralph(["tasks", "check"]);
    expect(ended).toMatchObject({ code: 0, stdout: "ralph/tasks.json is valid: 3 stories.\n", stderr: "" });
  });

  test("exit code 1 and every fault with its path, one a line", async () => {
    const world = worldWith(
      story("A", { reviewCount: -1 }),
      story("A", { acceptanceCriteria: [] }),
      approved("B", { notes: "" }),
    );
    const ended = await world.ralph(["tasks", "check"]);
    expect(ended.code).toBe(1);
    expect(ended.stdout.trimEnd().split("\n")).toEqual([
      "ralph/tasks.json userStories[0].reviewCount: must be a non-negative integer (story A)",
      "ralph/tasks.json userStories[1].acceptanceCriteria: must be a non-empty array of strings (story A)",
      "ralph/tasks.json userStories[1].id: is a duplicate of userStories[0].id (story A)",
      "ralph/tasks.json userStories[2].notes: must not be empty when passes=true: say what was done (story B)",
    ]);
    const json = await world.ralph(["tasks", "check", "--json"]);
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, faults: { length: 4 } });
  });

  test("the rules of the review cycle, the cap and skip-review", async () => {
    const world = worldWith(approved("A", { reviewStatus: null }), approved("B", { reviewCount: 4 }));
    const strict = await world.ralph(["tasks", "check", "--review-cap", "2"]);
    expect(strict.stdout).toContain("has passes=true but reviewStatus is 'null', not 'approved'");
    expect(strict.stdout).toContain("more than the review cap of 2 allows");
    expect((await world.ralph(["tasks", "check", "--skip-review"])).code).toBe(0);
  });

  test("a file that is no JSON", async () => {
    const world = makeWorld();
    world.write("ralph/tasks.json", "{\u001b[2J");
    const ended = await world.ralph(["tasks", "check"]);
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain("is not valid JSON");
    expect(ended.stdout).not.toContain("\u001b");
  });
});

describe("ralph tasks next, graph, stats", () => {
  test("next says what for and which, and when there is nothing left", async () => {
    const waiting = story("US-009", { reviewStatus: "needs_review", title: "Look at me" });
    expect((await worldWith(...THREE, waiting).ralph(["tasks", "next"])).stdout).toBe(
      "review US-009: Look at me\n",
    );
    const world = worldWith(approved("A"));
    expect((await world.ralph(["tasks", "next"])).stdout).toContain("Nothing is left to do");
    expect((await world.ralph(["tasks", "next", "--json"])).stdout).toBe("null\n");
  });

  test("graph draws the order as text and as Mermaid", async () => {
    const world = worldWith(...THREE);
    expect((await world.ralph(["tasks", "graph"])).stdout).toBe(
      "US-001 Schema (approved)\nUS-002 Search red (to do)\n  US-003 Page (to do) ← US-002\n",
    );
    const { stdout } = await world.ralph(["tasks", "graph", "--mermaid"]);
    expect(stdout).toMatch(/^graph TD\n {2}s0\["US-001: Schema"\]:::done\n/);
    expect(stdout).toContain("  s1 --> s2\n");
  });

  test("stats: distribution, cap hits and what they say", async () => {
    const capped = approved("C", { reviewCount: 5, reviewFeedback: "[AUTO-APPROVED AT CAP] slow" });
    const world = worldWith(approved("A"), approved("B"), capped);
    const { stdout } = await world.ralph(["tasks", "stats"]);
    expect(stdout).toMatch(/^ {2}1 review +## 2$/m);
    expect(stdout).toContain("Approved at the cap: C");
    const stats = JSON.parse((await world.ralph(["tasks", "stats", "--json"])).stdout);
    expect(stats).toMatchObject({ finished: 3, capHits: ["C"] });
  });
});

describe("ralph tasks import", () => {
  async function fresh(): Promise<World> {
    const world = makeWorld();
    await world.ralph(["init", "--tasks"]);
    return world;
  }
  const stories = (world: World): Story[] => JSON.parse(world.read("ralph/tasks.json")).userStories;

  test("a prd.json takes the template's place, a checklist is added behind it", async () => {
    const world = await fresh();
    world.write(
      "prd.json",
      JSON.stringify({ branchName: "ralph/x", userStories: [{ id: "US-1", title: "One" }] }),
    );
    world.write("todo.md", "- [ ] Two\n  - it shows\n- [x] Old\n");
    expect((await world.ralph(["tasks", "import", "prd.json"])).stdout).toContain("US-1  One");
    expect(JSON.parse(world.read("ralph/tasks.json")).branchName).toBe("ralph/x");
    const ended = await world.ralph(["tasks", "import", "todo.md"]);
    expect(ended.stdout).toContain("Left out, because they are done there: 1.");
    expect(stories(world).map(({ id, title }) => [id, title])).toEqual([
      ["US-1", "One"],
      ["US-001", "Two"],
    ]);
    expect((await world.ralph(["tasks", "check"])).code).toBe(0);
  });

  test("GitHub issues through gh, whose words are arguments and never a shell line", async () => {
    const world = await fresh();
    const issues = JSON.stringify([{ number: 7, title: "It $(touch hacked) breaks", body: "- [ ] fixed" }]);
    writeFileSync(join(world.home, "issues.json"), issues);
    world.install("gh", `printf '%s\\n' "$@" > "${world.home}/argv"; cat "${world.home}/issues.json"`);
    const ended = await world.ralph([
      "tasks",
      "import",
      "gh",
      "--label",
      "a b; touch hacked",
      "--limit",
      "5",
    ]);
    expect(ended.code).toBe(0);
    expect(stories(world)).toMatchObject([{ id: "GH-7", acceptanceCriteria: ["fixed"] }]);
    expect(world.has("hacked")).toBe(false);
    expect(world.read("../argv").split("\n")).toEqual([
      "issue",
      "list",
      "--state=open",
      "--limit=5",
      "--label=a b; touch hacked",
      "--json=number,title,body",
      "",
    ]);
  });

  test("a gh that fails or is not there is told, and nothing is changed", async () => {
    const world = await fresh();
    const before = world.read("ralph/tasks.json");
    world.install("gh", "echo 'not logged in' >&2; exit 4");
    expectUserError(await world.ralph(["tasks", "import", "gh"]), "not logged in", "gh issue list");
    expectUserError(
      await world.ralph(["tasks", "import", "gh"], { env: { PATH: join(world.home, "empty") } }),
      "gh is not installed",
    );
    expect(world.read("ralph/tasks.json")).toBe(before);
  });

  test("what cannot be imported is told, and nothing is changed", async () => {
    const world = await fresh();
    const before = world.read("ralph/tasks.json");
    world.write("words.txt", "only words");
    world.write("done.md", "- [x] all of it");
    world.write(
      "circle.json",
      JSON.stringify({
        userStories: [
          { id: "A", title: "A", dependsOn: ["B"] },
          { id: "B", title: "B", dependsOn: ["A"] },
        ],
      }),
    );
    expectUserError(await world.ralph(["tasks", "import", "nowhere.md"]), "there is no such file");
    expectUserError(await world.ralph(["tasks", "import", "words.txt"]), "cannot understand");
    expectUserError(await world.ralph(["tasks", "import", "done.md"]), "done already");
    expectUserError(await world.ralph(["tasks", "import", "circle.json"]), "wait for each other");
    expectUserError(await world.ralph(["tasks", "import"]), "missing required argument");
    expect(world.read("ralph/tasks.json")).toBe(before);
  });
});
