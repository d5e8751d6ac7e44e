import { describe, expect, test } from "vitest";
import { formatActive, parseActive, snapshotOf } from "../../src/tasks/active.ts";
import { approveAtCap, CAP_MARK } from "../../src/tasks/cap.ts";
import { checkList } from "../../src/tasks/check.ts";
import { completion } from "../../src/tasks/complete.ts";
import { blockersOf, dependencyFaults, layersOf } from "../../src/tasks/dependencies.ts";
import { DEFAULT_RULES, type Story, type TaskList } from "../../src/tasks/list.ts";
import { mergeList } from "../../src/tasks/merge.ts";
import { reopen } from "../../src/tasks/reopen.ts";
import { formatList, isUnfilled } from "../../src/tasks/schema.ts";
import { selectStory } from "../../src/tasks/select.ts";
import { estimateIterations, type IterationRecord, taskStats } from "../../src/tasks/stats.ts";
import { approved, edited, listOf, story } from "./support.ts";

const RULES = DEFAULT_RULES;

function selected(list: TaskList, skipReview = false): string {
  const next = selectStory(list, { skipReview });
  return next.kind === "story" ? `${next.mode} ${next.story.id}` : next.kind;
}

describe("which story is next", () => {
  const back = story("fix", { reviewStatus: "changes_requested", priority: 9, reviewFeedback: "x" });
  const waiting = story("wait", { reviewStatus: "needs_review", priority: 5 });

  test("fixes come before reviews, and reviews before new work, whatever their priority", () => {
    expect(selected(listOf(story("new"), waiting, back))).toBe("review-fix fix");
    expect(selected(listOf(story("new"), waiting))).toBe("review wait");
    expect(selected(listOf(approved("old"), story("new")))).toBe("implement new");
    expect(selected(listOf(approved("old")))).toBe("nothing");
  });

  test("priority 1 is the highest; of equal ones the first in the file", () => {
    expect(selected(listOf(story("c", { priority: 3 }), story("a"), story("b")))).toBe("implement a");
  });

  test("a story waits for what it depends on", () => {
    const list = listOf(story("a", { dependsOn: ["b", "d"] }), story("b", { priority: 7 }), approved("d"));
    expect(selected(list)).toBe("implement b");
    expect(blockersOf(list).get("a")).toEqual(["b"]);
  });

  test("an unknown id and a circle are told", () => {
    const list = listOf(story("a", { dependsOn: ["a"] }), story("b", { dependsOn: ["gone"] }));
    const next = selectStory(list, RULES);
    expect(next.kind === "faulty" && next.faults.map(({ message }) => message)).toEqual([
      "Story b depends on gone, which is not in the list.",
      "Stories wait for each other: a → a.",
    ]);
  });

  test("skip-review knows no review and no fix", () => {
    expect(selected(listOf(back, waiting), true)).toBe("implement wait");
  });

  test("a chain of thousands is no trouble, closed or open", () => {
    const chain = Array.from({ length: 5000 }, (_, index) =>
      story(`s${index}`, { dependsOn: index === 0 ? [] : [`s${index - 1}`] }),
    );
    expect(layersOf(chain)).toHaveLength(5000);
    const closed = chain.with(0, story("s0", { dependsOn: ["s4999"] }));
    expect(dependencyFaults({ userStories: closed })).toHaveLength(1);
  });
});

describe("the review cap", () => {
  const rejected = story("A", {
    reviewStatus: "changes_requested",
    reviewCount: 1,
    reviewFeedback: "line 7",
  });

  const handedIn = listOf(story("A", { reviewStatus: "needs_review" }));

  test("--review-cap 1: the first review that finds issues is approved with [AUTO-APPROVED AT CAP]", () => {
    const { list, approved: ids } = approveAtCap(handedIn, listOf(rejected), { ...RULES, reviewCap: 1 });
    expect(ids).toEqual(["A"]);
    expect(list.userStories[0]).toMatchObject({
      passes: true,
      reviewStatus: "approved",
      reviewFeedback: `${CAP_MARK} line 7`,
    });
    expect(checkList(formatList(list), { ...RULES, reviewCap: 1 }).faults).toEqual([]);
  });

  test("below the cap, or without a review cycle, nothing is approved", () => {
    const list = listOf(rejected);
    expect(approveAtCap(handedIn, list, { ...RULES, reviewCap: 2 })).toEqual({ list, approved: [] });
    expect(approveAtCap(handedIn, list, { skipReview: true, reviewCap: 1 })).toEqual({ list, approved: [] });
  });

  test("a story that failing checks opened again waits for its fix, which no review is left for", () => {
    const rules = { ...RULES, reviewCap: 1 };
    const opened = reopen(listOf(approved("A")), { story: "A", why: "red" }, rules)?.list ?? listOf();
    expect(approveAtCap(opened, opened, rules).approved).toEqual([]);
    const fixed = edited(opened, "A", { reviewStatus: "needs_review", reviewFeedback: "" });
    const { list } = approveAtCap(opened, fixed, rules);
    expect(list.userStories[0]).toMatchObject({ passes: true, reviewCount: 1 });
    expect(list.userStories[0]?.reviewFeedback).toMatch(/^\[AUTO-APPROVED AT CAP\] The last change was not/);
  });
});

describe("a finished story whose checks fail", () => {
  const why = "npm test failed";
  const reopened = (reviewCount: number) =>
    reopen(listOf(approved("A", { reviewCount })), { story: "A", why }, RULES);

  test("is open again, with the reason as its feedback", () => {
    expect(reopened(1)?.list.userStories[0]).toMatchObject({
      passes: false,
      reviewStatus: "changes_requested",
      reviewCount: 1,
      reviewFeedback: why,
    });
    expect(reopen(listOf(story("A")), { story: "A", why }, RULES)).toBeUndefined();
  });

  test("without a review cycle only passes is taken back", () => {
    const done = story("A", { passes: true, notes: "done" });
    const rules = { ...RULES, skipReview: true };
    expect(reopen(listOf(done), { story: undefined, why }, rules)?.list).toEqual(
      listOf({ ...done, passes: false }),
    );
  });
});

test("the lifecycle: implement, review with changes requested, fix, re-review, approval, as the spec counts it", () => {
  let list = listOf(story("US-001"));
  const modes: string[] = [];
  const iterate = (rest: Partial<Story>) => {
    const next = selectStory(list, RULES);
    if (next.kind !== "story") throw new Error("there is a story");
    modes.push(next.mode);
    const merged = mergeList(list, edited(list, next.story.id, rest), {
      mode: next.mode,
      story: next.story.id,
      skipReview: false,
    });
    expect(merged.undone).toEqual([]);
    list = approveAtCap(list, merged.list, RULES).list;
  };
  iterate({ reviewStatus: "needs_review", notes: "first try" });
  expect(list.userStories[0]).toMatchObject({ passes: false, reviewCount: 0 });
  iterate({ reviewStatus: "changes_requested", reviewCount: 1, reviewFeedback: "line 7" });
  iterate({ reviewStatus: "needs_review", reviewFeedback: "" });
  expect(list.userStories[0]).toMatchObject({ passes: false, reviewCount: 1 });
  expect(completion(list, { promised: true, skipReview: false })).toEqual({
    kind: "false promise",
    unfinished: ["US-001"],
  });
  iterate({ reviewStatus: "approved", passes: true, reviewCount: 2 });
  expect(modes).toEqual(["implement", "review", "review-fix", "review"]);
  expect(completion(list, { promised: true, skipReview: false })).toEqual({
    kind: "complete",
    by: "promise and list",
  });

  const records: IterationRecord[] = modes.map((mode) => ({
    story: "US-001",
    mode: mode as IterationRecord["mode"],
    costUsd: 0.25,
  }));
  expect(taskStats(list, records, RULES)).toMatchObject({
    finished: 1,
    distribution: [{ reviews: 2, stories: 1 }],
    byStory: [{ reviews: 2, iterations: { implement: 1, review: 2, "review-fix": 1 }, costUsd: 1 }],
    iterations: 4,
    costUsd: 1,
  });
});

describe("completion", () => {
  test("the list alone is enough; a promise alone is not; an empty list is never done", () => {
    const skipReview = false;
    expect(completion(listOf(approved("A")), { promised: false, skipReview })).toEqual({
      kind: "complete",
      by: "list alone",
    });
    expect(completion(listOf(), { promised: true, skipReview }).kind).toBe("false promise");
    expect(completion(listOf(story("A")), { promised: false, skipReview }).kind).toBe("open");
  });

  test("with skip-review passes is enough, and without it is not", () => {
    const list = listOf(story("A", { passes: true, notes: "done" }));
    expect(completion(list, { promised: false, skipReview: true }).kind).toBe("complete");
    expect(completion(list, { promised: false, skipReview: false }).kind).toBe("open");
  });
});

describe("post-completion analytics", () => {
  test("the distribution of reviewCount, and who hit the cap", () => {
    const list = listOf(
      approved("A"),
      approved("B"),
      approved("C", { reviewCount: 5, reviewFeedback: `${CAP_MARK} slow` }),
      story("D"),
    );
    const stats = taskStats(list, [], RULES);
    expect(stats.distribution).toEqual([
      { reviews: 0, stories: 1 },
      { reviews: 1, stories: 2 },
      { reviews: 5, stories: 1 },
    ]);
    expect(stats).toMatchObject({ stories: 4, finished: 3, capHits: ["C"], averageReviews: 1.75 });
    expect(stats.verdict).toContain("Look at C yourself");
  });

  test("what the numbers mean", () => {
    const verdict = (...counts: number[]) =>
      taskStats(listOf(...counts.map((reviewCount, at) => approved(`S${at}`, { reviewCount }))), [], RULES)
        .verdict;
    expect(verdict(1, 1, 2)).toContain("costs little");
    expect(verdict(1, 3, 4)).toContain("real faults");
    expect(verdict(2, 2, 1)).toContain("second review");
    expect(verdict()).toContain("No story");
  });

  test("an estimate of the iterations that are left", () => {
    const list = listOf(story("A"), story("B"), approved("C"));
    expect(estimateIterations(list, { skipReview: false })).toBe(6);
    expect(estimateIterations(list, { skipReview: true })).toBe(2);
  });
});

describe("the marker of a run", () => {
  const active = {
    timestamp: "2025-06-15T10:30:00Z",
    pid: 12345,
    max_iterations: 15,
    mode: "sandbox",
    skipReview: false,
    reviewCap: 5,
    iterationMode: "implement",
    preIterationSnapshot: snapshotOf(listOf(story("US-001"), approved("US-002"))),
  } as const;

  test("has the fields of the spec, and is read back as it was written", () => {
    expect(active.preIterationSnapshot).toEqual({
      "US-001": { passes: false, reviewStatus: null, reviewCount: 0 },
      "US-002": { passes: true, reviewStatus: "approved", reviewCount: 1 },
    });
    expect(parseActive(formatActive(active))).toEqual(active);
  });

  test.each(["", "{}", "[]", "null", '{"pid": "1"}', formatActive({ ...active, pid: -1 })])(
    "%j is none",
    (text) => expect(parseActive(text)).toBeUndefined(),
  );
});

test("a list in which nobody wrote a story yet is told from one that is broken", () => {
  expect(isUnfilled(listOf())).toBe(true);
  expect(isUnfilled(listOf(story("A", { title: " ", acceptanceCriteria: [] })))).toBe(true);
  expect(isUnfilled(listOf(story("A", { title: "", acceptanceCriteria: ["x"] })))).toBe(false);
  for (const value of [null, {}, [], { userStories: 1 }]) expect(isUnfilled(value)).toBe(false);
});
