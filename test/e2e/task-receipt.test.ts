import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { approved, story } from "../tasks/support.ts";
import { iterations, played, receiptOf, THREE } from "./task-played.ts";
import { edit, implement, makeTaskWorld, playing, review } from "./task-world.ts";

describe("the receipt of a run on a task list", () => {
  test("tells its stories, what they took, and who was approved at the cap", async () => {
    const world = await played();
    const receipt = await receiptOf(world);
    expect(receipt.asked).toMatchObject({ kind: "tasks", file: "ralph/tasks.json" });
    expect(receipt.tasks).toEqual({
      folder: "ralph",
      skipReview: false,
      reviewCap: 2,
      stories: [
        { id: "A", reviews: 1, iterations: iterations(1, 1, 0) },
        { id: "B", reviews: 2, iterations: iterations(1, 2, 1) },
        { id: "C", reviews: 2, iterations: iterations(1, 2, 1) },
      ],
      autoApproved: ["C"],
    });
    expect(receipt.claims).toEqual([{ iteration: 10, said: "every story is finished", judged: "believed" }]);
    const { stdout } = await world.ralph(["receipt"]);
    expect(stdout).toMatch(/^asked +3 stories of ralph\/tasks\.json$/m);
    expect(stdout).toMatch(/^review +at most 2 reviews of each story$/m);
    expect(stdout).toMatch(/^story +B: 2 reviews; iterations: 1 implement, 2 review, 1 review-fix$/m);
    expect(stdout.match(/^warning +.*$/gm)).toEqual([
      "warning   C was approved because its reviews were used up: look at it yourself",
    ]);
    const found = await world.ralph(["verify", join(world.runFolder(), "receipt.json")]);
    expect(found.stdout).toMatch(/^same +task list: 3 stories, all finished$/m);
    expect(found.stdout).toMatch(/^note +task list: approved because .*, look yourself: C$/m);
    expect([found.code, found.stdout.split("\n").at(-2)]).toEqual([0, "The receipt holds."]);
  });

  test("with --review-cap 1 names every story that a review had something to say about", async () => {
    const world = makeTaskWorld(THREE.slice(0, 2));
    playing(world, [implement("A"), review("A", "too slow"), implement("B"), review("B", "approved")]);
    const ended = await world.ralph(["run", "--tasks", "--review-cap", "1"]);
    expect(ended.code, ended.stderr).toBe(0);
    expect((await receiptOf(world)).tasks).toMatchObject({ reviewCap: 1, autoApproved: ["A"] });
  });

  test("without reviews says so, and holds", async () => {
    const world = makeTaskWorld(THREE.slice(0, 1));
    playing(world, [
      { actions: [...done("A"), { run: "git add --all && git commit --quiet -m A" }], final: "Done." },
    ]);
    const ended = await world.ralph(["run", "--tasks", "--skip-review"]);
    expect(ended.code, ended.stderr).toBe(0);
    const receipt = await receiptOf(world);
    expect(receipt.tasks).toMatchObject({ skipReview: true, stories: [{ reviews: 0 }], autoApproved: [] });
    expect((await world.ralph(["receipt"])).stdout).toMatch(/^review +no reviews$/m);
    expect((await world.ralph(["verify", join(world.runFolder(), "receipt.json")])).code).toBe(0);
  });

  test("of a list that was finished before the first turn, with an approval at the cap of long ago", async () => {
    const old = approved("A", { reviewCount: 5, reviewFeedback: "[AUTO-APPROVED AT CAP] slow" });
    const world = makeTaskWorld([old]);
    playing(world, [{ final: "Nobody asks me." }]);
    const ended = await world.ralph(["run", "--tasks"]);
    expect(ended.code, ended.stderr).toBe(0);
    const receipt = await receiptOf(world);
    expect(receipt.tasks).toMatchObject({
      stories: [{ id: "A", reviews: 5, iterations: iterations(0, 0, 0) }],
      autoApproved: ["A"],
    });
    expect(receipt.claims).toMatchObject([{ said: "every story is finished", judged: "believed" }]);
    expect((await world.ralph(["receipt"])).stdout).toContain("no iteration of this run");
  });

  test("of a list that git ignores says that no tree holds it", async () => {
    const world = makeTaskWorld([story("A")]);
    world.git("rm", "--quiet", "-r", "--cached", "ralph");
    world.write(".gitignore", ".ralph-active\n.ralph/\nralph/\n");
    world.git("commit", "--quiet", "-am", "the list is mine");
    playing(world, [implement("A"), { ...review("A", "approved"), actions: [verdict("A")] }]);
    const ended = await world.ralph(["run", "--tasks"]);
    expect(ended.code, ended.stderr).toBe(0);
    expect((await receiptOf(world)).tasks).toMatchObject({ outsideTree: true });
    const found = await world.ralph(["verify", join(world.runFolder(), "receipt.json")]);
    expect(found.stdout).toMatch(/^not checked +task list: git ignores it/m);
    expect(found.code, found.stdout).toBe(0);
  });

  test("a promise that the list did not keep is a refused claim, and a reviewer is named", async () => {
    const world = makeTaskWorld([story("A")]);
    const reviewer = world.agent({ turns: [review("A", "approved")] });
    playing(
      world,
      [implement("A", { final: "<promise>COMPLETE</promise>" })],
      {},
      { review: { agent: reviewer.command } },
    );
    const ended = await world.ralph(["run", "--tasks"]);
    expect(ended.code, ended.stderr).toBe(0);
    const receipt = await receiptOf(world);
    expect(receipt.claims).toEqual([
      { iteration: 1, said: "the agent promised it", judged: "refused", why: "the list says otherwise" },
      { iteration: 2, said: "every story is finished", judged: "believed" },
    ]);
    expect(receipt.agents.map(({ turns }) => turns)).toEqual([1, 1]);
    expect(receipt.agents[1]?.command).toBe(reviewer.command);
  });
});

function done(id: string) {
  return [
    { write: `${id}.txt`, text: "work\n" },
    edit(`s("${id}").passes = true; s("${id}").notes = "done"`),
  ];
}

function verdict(id: string) {
  return edit(`const t = s("${id}"); t.reviewCount += 1; t.reviewStatus = "approved"; t.passes = true`);
}
