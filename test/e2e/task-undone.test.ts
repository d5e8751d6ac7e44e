import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { story } from "../tasks/support.ts";
import { outcomeOf, until } from "./support.ts";
import { commit, edit, makeTaskWorld, playing, review } from "./task-world.ts";

const handedIn = story("US-001", { reviewStatus: "needs_review", notes: "done" });

/** A review that approves and commits nothing but the list. */
const narrow = {
  actions: [
    edit(`const t = s("US-001"); t.reviewCount += 1; t.reviewStatus = "approved"; t.passes = true`),
    { run: "git add ralph && git commit --quiet -m review" },
  ],
  final: "Reviewed.",
};

describe("what a review committed and ralph put back", () => {
  test("must be out of the commits too before anything is proven", async () => {
    const world = makeTaskWorld([handedIn]);
    playing(world, [
      { actions: [{ write: "README", text: "worse\n" }, commit("review: mend")], final: "Mended." },
      narrow,
      {
        actions: [
          edit(`s("US-001").reviewStatus = "needs_review"; s("US-001").reviewFeedback = ""`),
          commit("fix: as it was"),
        ],
        final: "Committed.",
      },
      review("US-001", "approved"),
    ]);
    const ended = await world.ralph(["run", "--tasks"]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain("there are uncommitted changes: README");
    expect(world.turns().map(({ mode }) => mode)).toEqual(["review", "review", "review-fix", "review"]);
    expect(world.git("show", "HEAD:README")).toBe("a project\n");
    expect(world.git("status", "--porcelain")).toBe("");
  });

  test("in another repository inside cannot be put back, and is not taken for put back", async () => {
    const world = makeTaskWorld([handedIn]);
    const lib = join(world.home, "lib");
    execFileSync("git", ["init", "--quiet", lib]);
    execFileSync("git", ["-C", lib, "commit", "--quiet", "--allow-empty", "-m", "first"]);
    world.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib, "lib");
    world.git("commit", "--quiet", "-m", "lib");
    playing(world, [
      {
        actions: [{ run: "cd lib && touch a && git add a && git commit --quiet -m a" }, ...narrow.actions],
        final: "Reviewed.",
      },
      narrow,
    ]);
    const ended = await world.ralph(["run", "--tasks", "-n", "2"]);
    expect(ended.stderr).toContain("lib could not be put back: it is another repository");
    expect(ended.stderr).toContain("there are uncommitted changes: lib");
    expect(outcomeOf(world).kind).toBe("exhausted");
  });
});

test("what an agent left uncommitted does not become its user's by a stop", async () => {
  const world = makeTaskWorld();
  world.write("notes.txt", "the user's, from the beginning\n");
  const handIn = edit(`s("US-001").reviewStatus = "needs_review"; s("US-001").notes = "done"`);
  playing(world, [
    { actions: [{ write: "half.txt", text: "half\n" }, { hang: "../hangs" }] },
    { actions: [handIn, { run: "git add ralph && git commit --quiet -m it" }], final: "Implemented." },
  ]);
  const run = world.start(["run", "--tasks"]);
  await until("the turn hangs", () => existsSync(join(world.home, "hangs")));
  await world.ralph(["stop", "--now"]);
  await run.ended;
  world.write("more.txt", "the user's, written while the run rested\n");
  const ended = await world.ralph(["resume", "-m", "1"]);
  expect(ended.stderr).toContain("there are uncommitted changes: half.txt,");
});

describe("what is put back", () => {
  test("comes back byte for byte, in whatever encoding it was written", async () => {
    const world = makeTaskWorld();
    const prd = join(world.project, "ralph/prd.md");
    const latin = Buffer.from("caf\u00e9\r\n", "latin1");
    writeFileSync(prd, latin);
    const list = `\uFEFF${world.read("ralph/tasks.json").replaceAll("\n", "\r\n")}`;
    world.write("ralph/tasks.json", list);
    playing(world, [
      { actions: [{ run: "echo no > ralph/prd.md; echo no > ralph/tasks.json" }], final: "ok" },
    ]);
    await world.ralph(["run", "--tasks", "-n", "1"]);
    expect(readFileSync(prd)).toEqual(latin);
    expect(world.read("ralph/tasks.json")).toBe(list);
  });

  test("is kept each time, also when an iteration is tried again and when a check did it", async () => {
    const world = makeTaskWorld(undefined, { verifyCommands: ["echo check > ralph/tasks.json"] });
    const limited = { fail: "rate", message: "Rate limit reached, try again in 1s" } as const;
    playing(
      world,
      [
        { actions: [{ write: "ralph/tasks.json", text: "first" }, limited] },
        { actions: [{ write: "ralph/tasks.json", text: "second" }], final: "ok" },
      ],
      {},
      { baseline: { enabled: false } },
    );
    await world.ralph(["run", "--tasks", "-n", "1"]);
    const aside = join(world.runFolder(), "aside");
    const kept = readdirSync(aside)
      .sort()
      .map((name) => readFileSync(join(aside, name, "ralph/tasks.json"), "utf8"));
    expect(kept).toEqual(["first", "second", "check\n"]);
  });
});
