import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Receipt } from "../../src/receipt/schema.ts";
import type { Story, TaskList } from "../../src/tasks/list.ts";
import { sealedAnew } from "./receipts.ts";
import type { Ended } from "./support.ts";
import { iterations, played, receiptOf } from "./task-played.ts";
import { makeTaskWorld } from "./task-world.ts";

describe("ralph verify contradicts a receipt that was sealed anew, by the list in the tree", () => {
  const clone = mkdtempSync(join(tmpdir(), "ralph-tasks-clone-"));
  let honest: Receipt;
  let list: TaskList;
  beforeAll(async () => {
    const world = await played();
    honest = await receiptOf(world);
    list = world.list();
    world.git("commit", "--quiet", "-am", "what ralph wrote at the cap");
    cpSync(world.project, clone, { recursive: true });
  });
  afterAll(() => rmSync(clone, { recursive: true, force: true, maxRetries: 5 }));

  function verify(receipt: Receipt): Promise<Ended> {
    const world = makeTaskWorld();
    writeFileSync(join(world.home, "receipt.json"), JSON.stringify(receipt));
    return world.ralph(["verify", join(world.home, "receipt.json")], { cwd: clone });
  }

  function tasks(change: Partial<NonNullable<Receipt["tasks"]>>): Receipt {
    if (honest.tasks === undefined) throw new Error("the run had no task list");
    return sealedAnew({ ...honest, tasks: { ...honest.tasks, ...change } });
  }
  const stories = () => honest.tasks?.stories ?? [];

  /** The receipt for a tree in which somebody changed the list; nothing else of it is touched. */
  function withList(text: string): Receipt {
    const git = (args: string[], input = "") =>
      execFileSync("git", args, { cwd: clone, encoding: "utf8", input }).trim();
    const blob = git(["hash-object", "-w", "--stdin"], text);
    const treeOf = (tree: string, name: string, entry: string) =>
      git(
        ["mktree"],
        `${git(["ls-tree", tree])
          .split("\n")
          .map((line) => (line.endsWith(`\t${name}`) ? entry : line))
          .join("\n")}\n`,
      );
    const whole = honest.work?.tree ?? "";
    const ralph = treeOf(`${whole}:ralph`, "tasks.json", `100644 blob ${blob}\ttasks.json`);
    const tree = treeOf(whole, "ralph", `040000 tree ${ralph}\tralph`);
    if (honest.work === undefined) throw new Error("the run was outside git");
    return sealedAnew({ ...honest, work: { ...honest.work, tree } });
  }
  const changed = (id: string, rest: Partial<Story>) =>
    JSON.stringify({
      ...list,
      userStories: list.userStories.map((one) => (one.id === id ? { ...one, ...rest } : one)),
    });

  test("an honest one holds in a clone that never heard of the run", async () => {
    const found = await verify(honest);
    expect(found.stdout).toMatch(/^same +task list: 3 stories, all finished$/m);
    expect(found.code, found.stdout).toBe(0);
  });

  test("one that was edited and not sealed anew is told by its part", async () => {
    if (honest.tasks === undefined) throw new Error("the run had no task list");
    const found = await verify({ ...honest, tasks: { ...honest.tasks, autoApproved: [] } });
    expect(found.stdout).toMatch(/^different +receipt: changed since it was written: tasks$/m);
    expect(found.stderr).not.toContain("Running");
  });

  test.each<readonly [string, () => Receipt, RegExp]>([
    [
      "an approval at the cap is hidden",
      () => tasks({ autoApproved: [] }),
      /^different +task list: C was approved because .*, and the receipt does not say so$/m,
    ],
    [
      "one is made up",
      () => tasks({ autoApproved: ["A", "C"] }),
      /^different +task list: A was approved because .*, and the list does not say so$/m,
    ],
    [
      "one of nobody",
      () => tasks({ autoApproved: ["C", "D"] }),
      /^different +task list: D was approved, and is no story$/m,
    ],
    [
      "a story less",
      () => tasks({ stories: stories().slice(1) }),
      /^different +task list: A is not in the receipt$/m,
    ],
    [
      "a story more",
      () => tasks({ stories: [...stories(), { id: "D", reviews: 1, iterations: iterations(1, 1, 0) }] }),
      /^different +task list: D is not in the list$/m,
    ],
    [
      "other reviews",
      () => tasks({ stories: stories().map((one) => (one.id === "B" ? { ...one, reviews: 1 } : one)) }),
      /^different +task list: B has a reviewCount of 2, was 1$/m,
    ],
    [
      "another folder",
      () => tasks({ folder: "elsewhere" }),
      /^missing +task list: the tree has no elsewhere\/tasks\.json$/m,
    ],
    [
      "no word of the list",
      () => {
        const { tasks: _tasks, ...rest } = honest;
        return sealedAnew(rest);
      },
      /^missing +task list: it worked on a task list, and says nothing of it$/m,
    ],
    [
      "a list in which a story is open again",
      () => withList(changed("A", { passes: false, reviewStatus: "needs_review" })),
      /^different +task list: A is not finished$/m,
    ],
    [
      "a list that no review approved",
      () => withList(changed("A", { reviewStatus: null })),
      /^different +task list: A is not finished$/m,
    ],
    [
      "a list without the mark",
      () => withList(changed("C", { reviewFeedback: "" })),
      /^different +task list: C was approved because .*, and the list does not say so$/m,
    ],
    ["a list that is none", () => withList("{"), /^different +task list: is not valid JSON/m],
    [
      "stories that wait for each other",
      () => withList(changed("A", { dependsOn: ["A"] })),
      /^different +task list: userStories\[0\]\.dependsOn/m,
    ],
  ])("%s", async (_, forged, told) => {
    const found = await verify(forged());
    expect(found.stdout).toMatch(told);
    expect(found.code).toBe(1);
    expect(found.stdout).toContain("The receipt does not hold.");
  });
});
