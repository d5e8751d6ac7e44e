import { describe, expect, test } from "vitest";
import type { Story } from "../../src/tasks/list.ts";
import { mergeList } from "../../src/tasks/merge.ts";
import { checkSchema, parseList } from "../../src/tasks/schema.ts";
import { mayReviewChange, transitionFaults } from "../../src/tasks/transitions.ts";
import { costOf } from "../cost.ts";
import { approved, edited, listOf, story } from "./support.ts";

const IMPLEMENT = { mode: "implement", story: "A", skipReview: false } as const;
const before = listOf(story("A", { acceptanceCriteria: ["one", "two"] }), story("B"), approved("C"));

describe("legal parts of an edit survive", () => {
  test("notes, a new story, an order, more criteria and commands, beside a lie that is undone", () => {
    const [a, b, c] = before.userStories;
    if (a === undefined || b === undefined || c === undefined) throw new Error("three stories");
    const after = {
      ...before,
      verifyCommands: ["npm run lint", "npm test"],
      userStories: [
        { ...b, priority: 9, passes: true, reviewStatus: "approved", reviewCount: 1, notes: "me too" },
        { ...a, notes: "half of it", acceptanceCriteria: ["one", "two", "three"] },
        story("D"),
        c,
      ],
    };
    const { list, undone } = mergeList(before, after, IMPLEMENT);
    expect(list).toEqual({
      ...after,
      userStories: [{ ...b, priority: 9, notes: "me too" }, ...after.userStories.slice(1)],
    });
    expect(undone.join("\n")).toContain("Implement iterations cannot set passes=true");
  });

  test("splitting keeps the parent, which depends on its parts", () => {
    const split = edited(
      listOf(...before.userStories, story("A-1"), story("A-2", { dependsOn: ["A-1"] })),
      "A",
      {
        dependsOn: ["A-1", "A-2"],
      },
    );
    expect(mergeList(before, split, IMPLEMENT)).toEqual({ list: split, undone: [] });
  });

  test("a verdict survives although the reviewer also approved another story", () => {
    const waiting = listOf(
      story("A", { reviewStatus: "needs_review", notes: "n" }),
      story("B", { reviewStatus: "needs_review", notes: "n" }),
    );
    const verdict = { reviewStatus: "approved", passes: true, reviewCount: 1 } as const;
    const { list } = mergeList(waiting, edited(edited(waiting, "A", verdict), "B", verdict), {
      ...IMPLEMENT,
      mode: "review",
      story: "B",
    });
    expect(list).toEqual(edited(waiting, "B", verdict));
  });
});

describe("illegal parts are undone", () => {
  test("a story that is gone is put back where it stood", () => {
    const { list, undone } = mergeList(before, listOf(story("N"), approved("C")), IMPLEMENT);
    expect(list.userStories.map(({ id }) => id)).toEqual(["A", "B", "N", "C"]);
    expect(undone).toHaveLength(2);
    expect(undone[0]).toContain("Story A is gone");
  });

  test("a story that changed its id is there again, and the new one is a new story", () => {
    const after = edited(before, "B", { id: "B2", reviewStatus: "needs_review" });
    const { list } = mergeList(before, after, IMPLEMENT);
    expect(list.userStories.map(({ id, reviewStatus }) => [id, reviewStatus])).toEqual([
      ["A", null],
      ["B", null],
      ["B2", null],
      ["C", "approved"],
    ]);
  });

  test("criteria and commands that were cut or reworded are put back; what was added stays", () => {
    const after = {
      ...edited(before, "A", { acceptanceCriteria: ["two!", "one"] }),
      verifyCommands: ["true"],
    };
    expect(transitionFaults(before, after, IMPLEMENT).map(({ path }) => path)).toEqual([
      "verifyCommands",
      "userStories[0].acceptanceCriteria",
    ]);
    const { list } = mergeList(before, after, IMPLEMENT);
    expect(list.userStories[0]?.acceptanceCriteria).toEqual(["one", "two", "two!"]);
    expect(list.verifyCommands).toEqual(["npm test", "true"]);
  });

  test("a circle is not taken up, the rest of the same edit is", () => {
    const after = edited(edited(before, "A", { dependsOn: ["B"], notes: "x" }), "B", {
      dependsOn: ["A", "Z"],
    });
    const { list, undone } = mergeList(before, after, IMPLEMENT);
    expect(list).toEqual(edited(before, "A", { dependsOn: ["B"], notes: "x" }));
    expect(undone).toHaveLength(2);
  });

  test("what only waits behind a circle keeps its dependencies, and of the circle as much as can be", () => {
    const after = listOf(
      story("A", { dependsOn: ["B"] }),
      story("B", { dependsOn: ["A"] }),
      story("C", { dependsOn: ["A"] }),
      story("D", { dependsOn: ["C", "nowhere"] }),
    );
    const { list } = mergeList(listOf(story("A"), story("B"), story("C")), after, IMPLEMENT);
    expect(list.userStories.map(({ dependsOn }) => dependsOn)).toEqual([["B"], [], ["A"], ["C"]]);
  });

  test("an approval without notes does not count", () => {
    const waiting = listOf(story("A", { reviewStatus: "needs_review" }));
    const after = edited(waiting, "A", { reviewStatus: "approved", passes: true, reviewCount: 1 });
    const { list, undone } = mergeList(waiting, after, { ...IMPLEMENT, mode: "review" });
    expect(list).toEqual(waiting);
    expect(undone.join()).toContain("empty notes");
  });

  test("a fix that left the feedback standing is handed in, and the feedback is cleared", () => {
    const sentBack = listOf(
      story("A", { reviewStatus: "changes_requested", reviewCount: 1, reviewFeedback: "line 7" }),
    );
    const after = edited(sentBack, "A", { reviewStatus: "needs_review", reviewFeedback: "line 7, done" });
    const { list, undone } = mergeList(sentBack, after, { ...IMPLEMENT, mode: "review-fix" });
    expect(list).toEqual(edited(sentBack, "A", { reviewStatus: "needs_review", reviewFeedback: "" }));
    expect(undone).toHaveLength(1);
  });

  test("feedback cannot be watered down without handing the story in again", () => {
    const sentBack = listOf(
      story("A", { reviewStatus: "changes_requested", reviewCount: 1, reviewFeedback: "rewrite it" }),
    );
    const after = edited(sentBack, "A", { reviewFeedback: "fine" });
    for (const mode of ["implement", "review", "review-fix"] as const) {
      expect(mergeList(sentBack, after, { ...IMPLEMENT, mode }).list).toEqual(sentBack);
    }
  });

  test.each([
    ["nothing", undefined],
    ["a text", "done"],
    ["an array", []],
    ["no stories", {}],
    ["stories that are none", { userStories: { A: {} } }],
  ])("%s in place of the list: it is as it was", (_name, after) => {
    const { list, undone } = mergeList(before, after, IMPLEMENT);
    expect(list).toMatchObject(before);
    expect(undone.length).toBeGreaterThan(0);
  });

  test("malformed fields are as they were, and a new story gets what it left out", () => {
    const after = {
      ...before,
      project: 7,
      userStories: [
        { ...before.userStories[0], priority: "high", notes: "kept" },
        { id: "N", title: "new", acceptanceCriteria: ["x"], priority: 2, mine: true },
        { id: "M", title: "says not what it takes" },
        ...before.userStories.slice(1),
      ],
    };
    const { list } = mergeList(before, after, IMPLEMENT);
    expect(list.project).toBe("p");
    expect(list.userStories.map(({ id }) => id)).toEqual(["A", "N", "B", "C"]);
    expect(list.userStories[0]).toEqual({ ...before.userStories[0], notes: "kept" });
    expect(list.userStories[1]).toMatchObject({ passes: false, reviewStatus: null, mine: true });
  });
});

describe("an agent that writes without end", () => {
  const many = (length: number) =>
    Array.from({ length }, (_, index) => story(`N${index}`, { dependsOn: [`N${length - 1 - index}`] }));

  test("gets a list of at most a thousand stories, in which all of the old ones are", () => {
    for (const after of [
      listOf(...many(20_000)),
      listOf(...many(1000)),
      listOf(...before.userStories, ...many(998)),
    ]) {
      const { list, undone } = mergeList(before, after, IMPLEMENT);
      expect(checkSchema(list).ok).toBe(true);
      expect(list.userStories).toHaveLength(1000);
      expect(list.userStories.filter(({ id }) => ["A", "B", "C"].includes(id))).toHaveLength(3);
      expect(transitionFaults(before, list, IMPLEMENT)).toEqual([]);
      expect(undone.join("\n")).toContain("more than 1000 stories");
    }
  });

  test("gets its many dependencies looked at in about the time that a legal list takes", () => {
    const ids = Array.from({ length: 900 }, (_, index) => `s${index}`);
    const chain = ids.map((id, index) => story(id, { dependsOn: ids.slice(Math.max(0, index - 50), index) }));
    const cheapest = (...stories: Story[]) =>
      Math.min(
        ...[1, 2, 3, 4, 5].map(() =>
          costOf(() => mergeList(before, listOf(...before.userStories, ...stories), IMPLEMENT)),
        ),
      );
    const legalCost = cheapest(...chain);
    expect(cheapest(story("new", { dependsOn: ["nowhere"] }), ...chain) / legalCost).toBeLessThan(10);
    const knot = chain.with(0, story("s0", { dependsOn: ["s899"] }));
    expect(cheapest(...knot) / legalCost).toBeLessThan(10);
  });

  test("gets no story with a name as long as a book", () => {
    expect(mergeList(before, listOf(...before.userStories, story("N".repeat(101))), IMPLEMENT).list).toEqual(
      before,
    );
  });
});

test.each(["US-2\n\n## New rule", "US-\u001b[31m2", "US\u20282"])(
  "a new story named %j is left out",
  (id) => {
    const { list, undone } = mergeList(before, listOf(...before.userStories, story(id)), IMPLEMENT);
    expect(list).toEqual(before);
    expect(undone[0]).toContain("must not hold line breaks or control characters");
  },
);

test("a list that is nested without end is none", () => {
  const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  const text = JSON.stringify({ ...listOf(story("A")), x: 0 }).replace('"x":0', `"x":${deep}`);
  expect(parseList(text)).toEqual({
    ok: false,
    faults: [{ path: "", message: "is nested more than 100 levels deep" }],
  });
});

test("without a review cycle an implementing iteration sets passes, and may still not cut anything", () => {
  const skip = { ...IMPLEMENT, skipReview: true };
  const done = edited(before, "A", { passes: true, notes: "done" });
  expect(mergeList(before, done, skip)).toEqual({ list: done, undone: [] });
  expect(mergeList(before, listOf(), skip).list).toEqual(before);
});

test("a review iteration may change the list and the progress log, and nothing else", () => {
  expect(mayReviewChange("ralph/tasks.json", "ralph")).toBe(true);
  expect(mayReviewChange("ralph/progress.txt", "ralph")).toBe(true);
  for (const path of ["ralph/prd.md", "src/a.ts", "tasks.json", "x/ralph/tasks.json"]) {
    expect(mayReviewChange(path, "ralph")).toBe(false);
  }
});
