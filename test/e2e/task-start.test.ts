import { existsSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Active } from "../../src/tasks/active.ts";
import { approved, story } from "../tasks/support.ts";
import { DONE, expectUserError, ofType, outcomeOf, prompts, until } from "./support.ts";
import { commit, edit, implement, makeTaskWorld, playing, review } from "./task-world.ts";

describe("what a run works on", () => {
  test("a list, where there is one and no prompt is given; the budget is told", async () => {
    const world = makeTaskWorld([story("US-001"), approved("US-002")]);
    const agent = playing(world, [implement("US-001"), review("US-001", "approved")]);
    const ended = await world.ralph(["run"]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain(
      "Task list ralph/tasks.json: 1 of 2 stories to do, at most 5 reviews of each",
    );
    expect(ended.stderr).toContain("Budget: about 3 iterations needed, at most 15");
    const [first = "", second = ""] = prompts(agent);
    expect(first).toMatch(/^Iteration 1 of 15: work on the list\./);
    expect(first).toContain("Mode: implement. Story: US-001");
    expect(second).toMatch(/^Iteration 2 of 15/);
    expect(second).toContain("Mode: review. Story: US-001");
  });

  test("a prompt, when one is given", async () => {
    const world = makeTaskWorld();
    const agent = playing(world, [{ final: DONE }]);
    const ended = await world.ralph(["run", "-p", "something else"]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(prompts(agent)[0]).toContain("something else");
    expect(world.journal()[0]).toMatchObject({ spec: { work: { kind: "prompt" } } });
  });

  test("without a prompt.md of its own, our own words", async () => {
    const world = makeTaskWorld();
    world.git("rm", "--quiet", "ralph/prompt.md");
    world.git("commit", "--quiet", "-m", "none");
    const agent = playing(world, [implement("US-001"), review("US-001", "approved")]);
    expect((await world.ralph(["run", "--tasks"])).code).toBe(0);
    expect(prompts(agent)[0]).toContain("# Ralph Loop: iteration 1 of 15");
  });

  test("another folder, in another project", async () => {
    const world = makeTaskWorld([approved("US-000")]);
    world.write("plans/next/tasks.json", JSON.stringify({ ...world.list(), userStories: [story("US-007")] }));
    world.git("add", "--all");
    world.git("commit", "--quiet", "-m", "next");
    const agent = playing(world, [{ final: "ok" }]);
    const ended = await world.ralph(["run", "--ralph-dir", "plans/next", "-d", world.project, "-n", "1"], {
      cwd: world.home,
    });
    expect(ended.code, ended.stderr).toBe(1);
    expect(prompts(agent)[0]).toContain("Story: US-007");
  });

  test("a project that is named through a link: its own files are told apart all the same", async () => {
    const world = makeTaskWorld();
    const link = join(world.home, "link");
    symlinkSync(world.project, link);
    const turn = review("US-001", "approved");
    playing(world, [implement("US-001"), { ...turn, actions: (turn.actions ?? []).slice(0, 1) }]);
    const ended = await world.ralph(["run", "--tasks", "-d", link], { cwd: world.home });
    expect(ended.code, ended.stderr).toBe(0);
  });

  test("the limit is 15, tasks.maximumIterations, or the flag", async () => {
    const limit = async (settings: object, flags: string[]) => {
      const world = makeTaskWorld();
      playing(world, [{ final: "ok" }], {}, { maximumIterations: 3, ...settings });
      const ended = await world.ralph(["run", "--tasks", "--dry-run", ...flags]);
      return /tasks\.maximumIterations +(\d+)/.exec(ended.stdout)?.[1];
    };
    expect(await limit({}, [])).toBe("15");
    expect(await limit({ tasks: { maximumIterations: 7 } }, [])).toBe("7");
    expect(await limit({ tasks: { maximumIterations: 7 } }, ["-n", "2"])).toBe("2");
  });

  test.each([
    ["a prompt beside it", ["--tasks", "-p", "x"], "two kinds of work"],
    ["no list", ["--tasks", "--ralph-dir", "nowhere"], "there is no task list"],
    ["a cap of nothing", ["--review-cap", "0"], "cannot understand the command line"],
    ["flags of a list without one", ["-p", "x", "--skip-review"], "--skip-review is for task lists"],
    ["a cap below what a story has had", ["--review-cap", "1"], "the review cap is too low"],
    ["a project that is not there", ["-d", "nowhere"], "there is no folder"],
    ["a worktree that is only shown", ["--worktree", "x", "--dry-run"], "do not go together"],
  ])("%s is refused", async (_what, flags, words) => {
    const world = makeTaskWorld([story("US-001", { reviewStatus: "needs_review", reviewCount: 2 })]);
    playing(world, [{ final: "ok" }]);
    expectUserError(await world.ralph(["run", ...flags]), words);
    expect(world.hasJournal()).toBe(false);
  });

  test("a template that nobody filled in: write your stories", async () => {
    const world = makeTaskWorld();
    playing(world, [{ final: "ok" }]);
    expect((await world.ralph(["init", "--tasks", "--ralph-dir", "fresh"])).code).toBe(0);
    expectUserError(await world.ralph(["run", "--tasks", "--ralph-dir", "fresh"]), "Write your stories");
  });

  test("a folder of the list that is a link: no file would be written through it", async () => {
    const world = makeTaskWorld();
    world.git("mv", "ralph", "real");
    symlinkSync("real", join(world.project, "ralph"));
    playing(world, [{ final: "ok" }]);
    expectUserError(await world.ralph(["run", "--tasks"]), "ralph cannot hold the task list");
    expect(world.runs()).toEqual([]);
  });

  test("a list that is done: its checks run, and nobody has a turn", async () => {
    const world = makeTaskWorld([approved("US-001")]);
    const agent = playing(world, [{ final: "ok" }]);
    const ended = await world.ralph(["run", "--tasks"]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(outcomeOf(world)).toMatchObject({ kind: "verified" });
    expect(agent.calls()).toEqual([]);
    expect(ended.stderr).toContain("Every story is finished already: only the checks run");
    expect(ended.stderr).toContain("Guardrail passed: true");
    const receipt = await world.ralph(["receipt"]);
    expect(receipt.stdout).not.toContain("exit null");
  });

  test("without a check nothing is proven", async () => {
    const world = makeTaskWorld(undefined, { verifyCommands: [] });
    playing(world, [implement("US-001"), review("US-001", "approved")], {}, { protect: false });
    const ended = await world.ralph(["run", "--tasks"]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(outcomeOf(world)).toMatchObject({ kind: "claimed" });
  });

  test("nor with a verify command that says nothing", async () => {
    const world = makeTaskWorld([approved("US-001")], { verifyCommands: ["", " "] });
    playing(world, [{ final: "ok" }]);
    await world.ralph(["run", "--tasks"]);
    expect(outcomeOf(world).kind).toBe("claimed");
  });

  test("its verify commands are the project's, and must be trusted", async () => {
    const world = makeTaskWorld(undefined, { verifyCommands: ["touch ran"] });
    const agent = world.agent({ turns: [{ final: "ok" }] });
    const env = { RALPH_TRUST_PROJECT: undefined, CI: undefined };
    const ended = await world.ralph(["run", "--tasks", "--agent", agent.command], { env });
    expectUserError(
      ended,
      "this project's settings and task list are not trusted yet",
      "verify command: touch ran",
    );
    expect(world.has("ran")).toBe(false);
  });

  test("commands that an agent adds to the list are asked of agents, and not run by ralph", async () => {
    const world = makeTaskWorld();
    const turn = implement("US-001");
    playing(world, [
      { ...turn, actions: [edit(`list.verifyCommands.push("touch ran")`), ...(turn.actions ?? [])] },
      review("US-001", "approved"),
    ]);
    expect((await world.ralph(["run", "--tasks"])).code).toBe(0);
    expect(world.list().verifyCommands).toEqual(["true", "touch ran"]);
    expect(world.has("ran")).toBe(false);
  });
});

describe("who reviews", () => {
  test("another agent, where the settings name one", async () => {
    const world = makeTaskWorld();
    const reviewer = world.agent({ voice: "text", turns: [review("US-001", "approved")] });
    const agent = playing(world, [implement("US-001")], {}, { review: { agent: reviewer.command } });
    const ended = await world.ralph(["run", "--tasks"]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(prompts(agent)).toHaveLength(1);
    expect(prompts(reviewer)).toHaveLength(1);
    expect(ended.stderr).toContain("Review US-001: Title of US-001 (by the reviewer)");
  });

  test("the same agent with another model", async () => {
    const world = makeTaskWorld();
    const agent = playing(
      world,
      [implement("US-001"), review("US-001", "approved")],
      {},
      { review: { model: "sharp" } },
    );
    expect((await world.ralph(["run", "--tasks"])).code).toBe(0);
    const [one, other] = agent.calls();
    expect(one?.argv).not.toContain("sharp");
    expect(other?.argv).toContain("sharp");
  });
});

describe(".ralph-active", () => {
  test("says what the run does, and is gone afterwards", async () => {
    const world = makeTaskWorld();
    playing(world, [
      {
        ...implement("US-001"),
        actions: [{ run: "cp .ralph-active ../seen.json" }, ...(implement("US-001").actions ?? [])],
      },
      review("US-001", "approved"),
    ]);
    const run = world.start(["run", "--tasks", "--review-cap", "3"]);
    expect((await run.ended).code).toBe(0);
    const seen = JSON.parse(world.read("../seen.json")) as Active;
    expect(seen).toMatchObject({
      pid: run.pid,
      max_iterations: 15,
      mode: "direct",
      skipReview: false,
      reviewCap: 3,
      iterationMode: "implement",
      preIterationSnapshot: { "US-001": { passes: false, reviewStatus: null, reviewCount: 0 } },
    });
    expect(world.has(".ralph-active")).toBe(false);
    expect(world.git("status", "--porcelain")).toBe("");
  });

  test("is a lock, also for whoever keeps their state elsewhere; a stale one is cleaned", async () => {
    const world = makeTaskWorld();
    playing(world, [{ actions: [{ hang: "../hangs" }] }]);
    const first = world.start(["run", "--tasks"]);
    await until("the agent hangs", () => existsSync(join(world.home, "hangs")));
    expectUserError(await world.ralph(["run", "--tasks"]), "another run is under way in this folder");
    const elsewhere = { env: { RALPH_STATE_DIR: join(world.home, "other-state") } };
    expectUserError(
      await world.ralph(["run", "--tasks"], elsewhere),
      "another run is under way",
      ".ralph-active",
    );
    first.process.kill("SIGKILL");
    await first.ended;
    expect(world.has(".ralph-active")).toBe(true);
    playing(world, [implement("US-001"), review("US-001", "approved")]);
    const ended = await world.ralph(["run", "--tasks"], elsewhere);
    expect(ended.code, ended.stderr).toBe(0);
    expect(world.has(".ralph-active")).toBe(false);
  });
});

describe("a run that goes on", () => {
  test("after kill -9 in the middle of a turn believes what it believed before", async () => {
    const world = makeTaskWorld();
    const forged = `const t = s("US-001"); t.passes = true; t.reviewStatus = "approved"; t.reviewCount = 1; t.notes = "x"`;
    playing(world, [
      { actions: [edit(forged), { hang: "../hangs" }] },
      implement("US-001"),
      review("US-001", "approved"),
    ]);
    const first = world.start(["run", "--tasks"]);
    await until("the agent hangs", () => existsSync(join(world.home, "hangs")));
    first.process.kill("SIGKILL");
    await first.ended;
    expect(world.story("US-001").passes).toBe(true);
    const ended = await world.ralph(["resume"]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ofType(world.journal(), "agent.exited").map(({ iteration }) => iteration)).toEqual([1, 2]);
    expect(world.story("US-001")).toMatchObject({ passes: true, reviewCount: 1 });
  });

  test("after it had ended takes up what its user wrote meanwhile", async () => {
    const world = makeTaskWorld();
    const agent = playing(world, [
      implement("US-001"),
      review("US-001", "approved"),
      implement("US-002"),
      review("US-002", "approved"),
    ]);
    expect((await world.ralph(["run", "--tasks", "-n", "1"])).code).toBe(1);
    const list = world.list();
    writeFileSync(
      join(world.project, "ralph/tasks.json"),
      JSON.stringify({ ...list, userStories: [...list.userStories, story("US-002")] }),
    );
    world.write("ralph/prompt.md", "Another prompt.\n");
    const ended = await world.ralph(["resume", "-m", "9"]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(world.story("US-002").passes).toBe(true);
    expect(prompts(agent)[1]).toMatch(/^Another prompt\./);
    expect(world.read("ralph/prompt.md")).toBe("Another prompt.\n");
  });

  test("with a list that its user broke says so, and changes nothing", async () => {
    const world = makeTaskWorld();
    playing(world, [{ final: "ok" }]);
    await world.ralph(["run", "--tasks", "-n", "1"]);
    world.write("ralph/tasks.json", "{}");
    expectUserError(await world.ralph(["resume", "-m", "9"]), "ralph/tasks.json cannot be worked on");
    expect(world.read("ralph/tasks.json")).toBe("{}");
  });
});

describe("the branch of the list", () => {
  test("is made and checked out when nothing else is under way", async () => {
    const world = makeTaskWorld(undefined, { branchName: "ralph/search" });
    world.write("ralph/prd.md", "not committed yet\n");
    playing(world, [implement("US-001"), review("US-001", "approved")]);
    const ended = await world.ralph(["run", "--tasks"]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain("On the new branch ralph/search.");
    expect(world.git("branch", "--show-current").trim()).toBe("ralph/search");
  });

  test("is left for later when files are changed, and the run says so", async () => {
    const world = makeTaskWorld(undefined, { branchName: "ralph/search" });
    world.write("README", "at work\n");
    playing(world, [{ final: "ok" }]);
    const ended = await world.ralph(["run", "--tasks", "-n", "1"]);
    expect(ended.stderr).toContain("Not on the branch ralph/search, but where you are:");
    expect(world.git("branch", "--show-current").trim()).toBe("main");
    expect(world.read("README")).toBe("at work\n");
  });

  test("that holds another list: that one is worked on", async () => {
    const world = makeTaskWorld(undefined, { branchName: "ralph/search" });
    world.git("checkout", "--quiet", "-b", "ralph/search");
    world.write("ralph/tasks.json", JSON.stringify({ ...world.list(), userStories: [story("US-009")] }));
    world.git("commit", "--quiet", "--all", "-m", "further");
    world.git("checkout", "--quiet", "main");
    const agent = playing(world, [{ final: "ok" }]);
    await world.ralph(["run", "--tasks", "-n", "1"]);
    expect(prompts(agent)[0]).toContain("Story: US-009");
  });
});

test("several features at once: a worktree and a branch for each", async () => {
  const world = makeTaskWorld();
  playing(world, [implement("US-001"), review("US-001", "approved")]);
  world.git("add", "--force", ".ralph/settings.json");
  world.git("commit", "--quiet", "-m", "settings");
  const ended = await world.ralph(["run", "--tasks", "--worktree", "My Search"]);
  expect(ended.code, ended.stderr).toBe(0);
  const folder = join(realpathSync(world.home), "project.worktrees", "my-search");
  expect(ended.stderr).toContain(`Made the worktree ${folder} on the branch ralph/my-search.`);
  expect(existsSync(join(folder, "US-001.txt"))).toBe(true);
  expect(world.story("US-001").passes).toBe(false);
  expect(world.git("log", "--format=%s", "-1", "ralph/my-search").trim()).toBe("review: [US-001]");
  const again = await world.ralph(["run", "--tasks", "--worktree", "My Search"]);
  expect(again.stderr).toContain("Using the worktree");
});

test("an agent that is blocked on a person ends the run as waiting", async () => {
  const world = makeTaskWorld();
  playing(world, [{ actions: [commit("nothing")], final: "<blocked>a password</blocked>" }]);
  const ended = await world.ralph(["run", "--tasks"]);
  expect(ended.code).toBe(3);
  expect(outcomeOf(world)).toMatchObject({ kind: "waiting", needs: "a password" });
});

test("a fork of a run on a list is gone on with as one", async () => {
  const world = makeTaskWorld();
  playing(world, [implement("US-001"), review("US-001", "approved")]);
  await world.ralph(["run", "--tasks"]);
  const forked = await world.ralph(["fork", "2"]);
  expect(forked.stdout).toContain("&& ralph run --tasks --ralph-dir ralph --review-cap 5\n");
});

test("a worktree for work that is refused is not made", async () => {
  const world = makeTaskWorld();
  playing(world, [{ final: "ok" }]);
  expectUserError(await world.ralph(["run", "--worktree", "x", "-p", "y"]), "two kinds of work");
  expect(existsSync(`${world.project}.worktrees`)).toBe(false);
  expect(world.git("branch", "--list", "ralph/*")).toBe("");
});
