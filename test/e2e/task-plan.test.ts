// The review cycle's verification plan, by name: what needs the loop. Its hook cases are in tasks/verification-plan.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ScriptedTurn } from "ralph-proof/testing";
import { describe, expect, test } from "vitest";
import { CAP_MARK } from "../../src/tasks/cap.ts";
import { invariantFaults } from "../../src/tasks/invariants.ts";
import { DEFAULT_RULES, type Story, type TaskList } from "../../src/tasks/list.ts";
import { checkSchema } from "../../src/tasks/schema.ts";
import { story } from "../tasks/support.ts";
import { outcomeOf, prompts, until } from "./support.ts";
import {
  commit,
  edit,
  fix,
  implement,
  makeTaskWorld,
  playing,
  review,
  type TaskWorld,
} from "./task-world.ts";

const PROMISE = "<promise>COMPLETE</promise>";

/** The list that the run believed after each of its iterations, from its own folder. */
function keptLists(world: TaskWorld): TaskList[] {
  const kept = ({ list }: { list: string }) => readFileSync(join(world.runFolder(), "tasks", list), "utf8");
  return world.results().map((result) => JSON.parse(kept(result)) as TaskList);
}

/** The review fields of the only story in it. */
function believed(world: TaskWorld) {
  return keptLists(world).map(({ userStories: [one] }) => reviewFields(one));
}

function reviewFields(one: Story | undefined) {
  return [one?.reviewStatus, one?.passes, one?.reviewCount, one?.reviewFeedback];
}

describe("3. hook scripts", () => {
  test("uncommitted changes block: the agent is told to log, to consider memory and to commit", async () => {
    const world = makeTaskWorld();
    const forgetful: ScriptedTurn = {
      actions: [
        { write: "work.txt", text: "work\n" },
        edit('s("US-001").reviewStatus = "needs_review"; s("US-001").notes = "done"'),
      ],
      final: "Implemented.",
    };
    const agent = playing(world, [forgetful, review("US-001", "approved")]);
    const ended = await world.ralph(["run", "--tasks"]);
    expect(ended.code, ended.stderr).toBe(0);
    const told = prompts(agent)[1];
    expect(told).toContain("There are uncommitted changes:\nwork.txt\n");
    expect(told).toContain("Commit ALL changes, the progress log and the task list included.");
    expect(world.git("status", "--porcelain")).toBe("");
  });
});

describe("6. direct mode", () => {
  test("--max-iterations 1 on a single-story list: one iteration, right here, with the marker of the spec", async () => {
    const world = makeTaskWorld();
    const { actions = [], ...rest } = implement("US-001");
    const agent = playing(world, [{ ...rest, actions: [{ run: "cp .ralph-active ../marker" }, ...actions] }]);
    const ended = await world.ralph(["run", "--tasks", "--max-iterations", "1"]);
    expect(ended.code, ended.stderr).toBe(1);
    expect(outcomeOf(world)).toMatchObject({ kind: "exhausted", limit: "iterations" });
    expect(prompts(agent)).toHaveLength(1);
    expect(prompts(agent)[0]).toContain("Iteration 1 of 1: work on the list.");
    expect(prompts(agent)[0]).toContain('Mode: implement. Story: US-001, "Title of US-001".');
    expect(world.story("US-001")).toMatchObject({ passes: false, reviewStatus: "needs_review" });

    const marker = JSON.parse(world.read("../marker"));
    expect(marker).toEqual({
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      pid: expect.any(Number),
      max_iterations: 1,
      mode: "direct",
      skipReview: false,
      reviewCap: 5,
      iterationMode: "implement",
      preIterationSnapshot: { "US-001": { passes: false, reviewStatus: null, reviewCount: 0 } },
    });
    expect(world.has(".ralph-active")).toBe(false);
  });

  test.each(["SIGINT", "SIGTERM"] as const)("%s ends the run, and its marker is gone", async (signal) => {
    const world = makeTaskWorld();
    playing(world, [{ actions: [{ hang: "../hangs" }] }]);
    const run = world.start(["run", "--tasks"]);
    await until("the agent hangs", () => world.has("../hangs"));
    expect(world.has(".ralph-active")).toBe(true);
    run.process.kill(signal);
    await run.printed("shutting down");
    run.process.kill(signal);
    expect((await run.ended).code).toBe(130);
    expect(world.has(".ralph-active")).toBe(false);
  });

  test("each iteration is a fresh agent, which gets the same prompt with its own number", async () => {
    const world = makeTaskWorld();
    const agent = playing(world, [{ final: "Nothing yet." }]);
    await world.ralph(["run", "--tasks", "--max-iterations", "2"]);
    expect(agent.calls()).toHaveLength(2);
    const [first = "", second = ""] = prompts(agent);
    expect(first).toContain("Iteration 1 of 2: work on the list.");
    expect(second).toBe(first.replace("Iteration 1", "Iteration 2"));
  });
});

describe("9. review loop lifecycle", () => {
  test("implement, review with changes requested, review-fix, re-review: the fields after each of the four", async () => {
    const world = makeTaskWorld();
    playing(world, [
      implement("US-001"),
      review("US-001", "name the file better"),
      fix("US-001"),
      review("US-001", "approved", PROMISE),
    ]);
    const ended = await world.ralph(["run", "--tasks"]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(world.turns().map(({ mode }) => mode)).toEqual(["implement", "review", "review-fix", "review"]);
    expect(believed(world)).toEqual([
      ["needs_review", false, 0, ""],
      ["changes_requested", false, 1, "name the file better"],
      ["needs_review", false, 1, ""],
      ["approved", true, 2, ""],
    ]);
    // What the agent wrote and committed is what was believed: nothing legal was touched.
    const committed = [3, 2, 1, 0].map((back) => {
      const { userStories } = JSON.parse(world.git("show", `HEAD~${back}:ralph/tasks.json`)) as TaskList;
      return reviewFields(userStories[0]);
    });
    expect(committed).toEqual(believed(world));
    expect(world.results().flatMap(({ notes }) => notes)).toEqual([]);
  });

  test("an implementation iteration that tries to set passes: true directly is blocked, by its transition and not only by invariants", async () => {
    const world = makeTaskWorld();
    const code =
      'Object.assign(s("US-001"), { passes: true, reviewStatus: "approved", reviewCount: 1, notes: "all done" })';
    const lie: ScriptedTurn = {
      actions: [edit(code), { run: "cp ralph/tasks.json ../lie.json" }, commit("feat: it")],
      final: PROMISE,
    };
    const agent = playing(world, [lie, implement("US-001"), review("US-001", "approved")]);
    const ended = await world.ralph(["run", "--tasks"]);
    expect(ended.code, ended.stderr).toBe(0);

    // As it stood it was a list without a fault.
    const lied = checkSchema(JSON.parse(world.read("../lie.json")));
    expect(lied.ok && invariantFaults(lied.list, DEFAULT_RULES)).toEqual([]);
    expect(believed(world)).toEqual([
      [null, false, 0, ""],
      ["needs_review", false, 0, ""],
      ["approved", true, 1, ""],
    ]);
    const told = prompts(agent)[1];
    for (const words of ["passes false → true", "reviewStatus null → approved"]) {
      expect(told).toContain(
        `Implement iterations cannot set passes=true or approve stories. Only review iterations may approve. Story US-001 had illegal transition: ${words}.`,
      );
    }
    expect(told).toContain("these stories are not finished: US-001");
    // The legal part of the same edit survived, and all of it can be read.
    const aside = world.results()[0]?.aside ?? "";
    expect(readFileSync(join(aside, "ralph/tasks.json"), "utf8")).toBe(world.read("../lie.json"));
    expect(keptLists(world)[0]?.userStories[0]?.notes).toBe("all done");
  });

  test("the loop does not complete until all stories have both passes: true and reviewStatus: approved", async () => {
    const world = makeTaskWorld([story("US-001"), story("US-002")]);
    const turns = [
      implement("US-001"),
      review("US-001", "approved"),
      implement("US-002"),
      review("US-002", "approved"),
    ];
    playing(
      world,
      turns.map((turn) => ({ ...turn, final: PROMISE })),
    );
    const ended = await world.ralph(["run", "--tasks"]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(world.results().map(({ unfinished }) => unfinished)).toEqual([2, 1, 1, 0]);
    expect(outcomeOf(world).reason).toBe("1 gate passed, every story is finished, as the agent promised");
  });

  test("a list that is finished completes without the promise", async () => {
    const world = makeTaskWorld();
    playing(world, [implement("US-001"), review("US-001", "approved", "Looks good.")]);
    expect((await world.ralph(["run", "--tasks"])).code).toBe(0);
    expect(outcomeOf(world)).toEqual({
      kind: "verified",
      reason: "1 gate passed, every story is finished",
    });
  });

  test("--review-cap 1: a first review that finds issues is auto-approved with [AUTO-APPROVED AT CAP]", async () => {
    const world = makeTaskWorld();
    playing(world, [implement("US-001"), review("US-001", "it is slow")]);
    const ended = await world.ralph(["run", "--tasks", "--review-cap", "1"]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(believed(world)).toEqual([
      ["needs_review", false, 0, ""],
      ["approved", true, 1, `${CAP_MARK} it is slow`],
    ]);
    expect(world.results()[1]?.capped).toEqual(["US-001"]);
    const { stdout } = await world.ralph(["tasks", "stats", "--json", "--review-cap", "1"]);
    expect(JSON.parse(stdout)).toMatchObject({ capHits: ["US-001"], finished: 1 });
  });

  test("--skip-review: an implementation iteration sets passes: true directly, reviewStatus stays null, reviewCount 0", async () => {
    const world = makeTaskWorld([story("US-001"), story("US-002")]);
    const done = (id: string): ScriptedTurn => ({
      actions: [
        { run: "cp .ralph-active ../marker" },
        { write: `${id}.txt`, text: "work\n" },
        edit(`s("${id}").passes = true; s("${id}").notes = "done"`),
        commit(`feat: [${id}]`),
      ],
      final: "Done.",
    });
    playing(world, [done("US-001"), done("US-002")]);
    const ended = await world.ralph(["run", "--tasks", "--skip-review"]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(world.turns().map(({ mode, story: id }) => `${mode} ${id}`)).toEqual([
      "implement US-001",
      "implement US-002",
    ]);
    expect(JSON.parse(world.read("../marker"))).toMatchObject({ skipReview: true });
    expect(world.results().flatMap(({ notes }) => notes)).toEqual([]);
    for (const id of ["US-001", "US-002"]) {
      expect(world.story(id)).toMatchObject({ passes: true, reviewStatus: null, reviewCount: 0 });
    }
  });
});

describe("10. end-to-end, and 11. post-completion analytics", () => {
  test("each of three stories goes through the full review cycle, and every reviewCount is the number of its review iterations", async () => {
    const ids = ["US-001", "US-002", "US-003"];
    const world = makeTaskWorld(ids.map((id, index) => story(id, { dependsOn: ids.slice(0, index) })));
    playing(
      world,
      ids.flatMap((id) => [
        implement(id),
        review(id, "mend it"),
        fix(id),
        review(id, "approved", id === "US-003" ? PROMISE : "Good."),
      ]),
    );
    const ended = await world.ralph(["run", "--tasks"]);
    expect(ended.code, ended.stderr).toBe(0);
    const cycle = ["implement", "review", "review-fix", "review"];
    expect(world.turns().map(({ mode, story: id }) => `${mode} ${id}`)).toEqual(
      ids.flatMap((id) => cycle.map((mode) => `${mode} ${id}`)),
    );
    for (const { id, passes, reviewStatus, reviewCount } of world.list().userStories) {
      const reviews = world.turns().filter((turn) => turn.mode === "review" && turn.story === id).length;
      expect({ passes, reviewStatus, reviewCount }).toEqual({
        passes: true,
        reviewStatus: "approved",
        reviewCount: reviews,
      });
    }
    const { stdout } = await world.ralph(["tasks", "stats", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      finished: 3,
      distribution: [{ reviews: 2, stories: 3 }],
      capHits: [],
      verdict: "Some stories needed a second review.",
    });
  });
});
