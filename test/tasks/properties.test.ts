import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { approveAtCap } from "../../src/tasks/cap.ts";
import { completion } from "../../src/tasks/complete.ts";
import { dependencyFaults } from "../../src/tasks/dependencies.ts";
import { invariantFaults } from "../../src/tasks/invariants.ts";
import { DEFAULT_RULES, type Mode, type TaskList } from "../../src/tasks/list.ts";
import { mergeList } from "../../src/tasks/merge.ts";
import { checkSchema } from "../../src/tasks/schema.ts";
import { selectStory } from "../../src/tasks/select.ts";
import { transitionFaults } from "../../src/tasks/transitions.ts";
import { edited, hostileEdit, listOf, MODES, soundList, story } from "./support.ts";

const edits = soundList.chain((before) =>
  fc.record({
    before: fc.constant(before),
    after: hostileEdit(before),
    mode: fc.constantFrom(...MODES),
    story: fc.option(fc.constantFrom(...before.userStories.map(({ id }) => id)), { nil: undefined }),
    skipReview: fc.boolean(),
  }),
);

describe("what a merge makes of any edit", () => {
  test("is always a legal successor of the trusted list, and itself a sound list", () => {
    fc.assert(
      fc.property(edits, ({ before, after, ...iteration }) => {
        const { list } = mergeList(before, after, iteration);
        expect(checkSchema(list)).toEqual({ ok: true, list });
        expect(transitionFaults(before, list, iteration)).toEqual([]);
        expect(invariantFaults(list, { ...DEFAULT_RULES, skipReview: iteration.skipReview })).toEqual([]);
      }),
      { numRuns: 800 },
    );
  });

  test("is the edit itself exactly when the edit is legal", () => {
    let legal = 0;
    fc.assert(
      fc.property(edits, ({ before, after, ...iteration }) => {
        const parsed = checkSchema(after);
        const isLegal = parsed.ok && transitionFaults(before, parsed.list, iteration).length === 0;
        const { list, undone } = mergeList(before, after, iteration);
        expect(undone.length === 0).toBe(isLegal);
        if (!isLegal || !parsed.ok) return;
        legal += 1;
        expect(list).toEqual(parsed.list);
      }),
      { numRuns: 800 },
    );
    expect(legal).toBeGreaterThan(20);
  });

  test("is the same when it is merged again", () => {
    fc.assert(
      fc.property(edits, ({ before, after, ...iteration }) => {
        const { list } = mergeList(before, after, iteration);
        expect(mergeList(before, list, iteration)).toEqual({ list, undone: [] });
      }),
      { numRuns: 800 },
    );
  });
});

type Agent = (before: TaskList, mode: Mode, story: string) => unknown;

/** Plays iterations as the loop does, with an agent that writes whatever it likes into the list. */
function play(start: TaskList, agent: Agent, rounds: number, cap: number) {
  const rules = { skipReview: false, reviewCap: cap };
  const approvals: { id: string; mode: Mode | "cap" }[] = [];
  let trusted = start;
  for (let round = 0; round < rounds; round += 1) {
    const next = selectStory(trusted, rules);
    if (next.kind !== "story") break;
    const merged = mergeList(trusted, agent(trusted, next.mode, next.story.id), {
      mode: next.mode,
      story: next.story.id,
      skipReview: false,
    }).list;
    const before = new Map(trusted.userStories.map((one) => [one.id, one.passes]));
    for (const { id, passes } of merged.userStories) {
      if (passes && before.get(id) !== true) approvals.push({ id, mode: next.mode });
    }
    const capped = approveAtCap(trusted, merged, rules);
    for (const id of capped.approved) approvals.push({ id, mode: "cap" });
    trusted = capped.list;
  }
  return { trusted, approvals };
}

/** What an honest agent would write. */
function honest(before: TaskList, mode: Mode, id: string, rejects: boolean): TaskList {
  const reviewCount = (before.userStories.find((one) => one.id === id)?.reviewCount ?? 0) + 1;
  if (mode === "implement") return edited(before, id, { reviewStatus: "needs_review", notes: "done" });
  if (mode === "review-fix") return edited(before, id, { reviewStatus: "needs_review", reviewFeedback: "" });
  return edited(
    before,
    id,
    rejects
      ? { reviewStatus: "changes_requested", reviewCount, reviewFeedback: "mend it" }
      : { reviewStatus: "approved", passes: true, reviewCount, notes: "done" },
  );
}

test("no sequence of hostile edits reaches passes=true without an approving review iteration or the cap", () => {
  const ways = new Set<string>();
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 1, max: 3 }), (seed, cap) => {
      const start = listOf(story("A"), story("B", { dependsOn: ["A"] }), story("C"));
      let round = 0;
      // Without honest moves in between it would hardly ever come as far as a review.
      const agent: Agent = (before, mode, id) => {
        round += 1;
        const [isHonest, rejects] =
          fc.sample(fc.tuple(fc.boolean(), fc.boolean()), { numRuns: 1, seed: seed + round })[0] ?? [];
        const move = isHonest === true ? honest(before, mode, id, rejects === true) : before;
        return fc.sample(fc.oneof(fc.constant<unknown>(move), hostileEdit(move)), {
          numRuns: 1,
          seed: seed - round,
        })[0];
      };
      const { trusted, approvals } = play(start, agent, 25, cap);
      const passing = trusted.userStories.filter(({ passes }) => passes).map(({ id }) => id);
      expect(approvals.map(({ id }) => id).sort()).toEqual(passing.sort());
      for (const { mode } of approvals) ways.add(mode);
      expect(dependencyFaults(trusted)).toEqual([]);
      // What was asked for at the start is still there, and nothing is done while it is not.
      expect(trusted.userStories.map(({ id }) => id)).toEqual(expect.arrayContaining(["A", "B", "C"]));
      for (const one of trusted.userStories.slice(0, 3))
        expect(one.acceptanceCriteria.length).toBeGreaterThan(0);
      const isDone = completion(trusted, { promised: true, skipReview: false }).kind === "complete";
      expect(isDone).toBe(trusted.userStories.every(({ passes }) => passes));
    }),
    { numRuns: 120 },
  );
  // Both of the legal ways were taken by some, and no other by any.
  expect([...ways].sort()).toEqual(["cap", "review"]);
});

test("an agent that only ever says that all is done gets nowhere in implement iterations", () => {
  const lie = (before: TaskList) => ({
    ...before,
    userStories: before.userStories.map((one) => ({
      ...one,
      passes: true,
      reviewStatus: "approved",
      reviewCount: 1,
      notes: "done",
    })),
  });
  const { trusted } = play(listOf(story("A"), story("B")), lie, 50, 5);
  expect(trusted.userStories.filter(({ passes }) => passes)).toEqual([]);
});
