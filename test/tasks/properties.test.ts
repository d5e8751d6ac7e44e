import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { approveAtCap } from "../../src/tasks/cap.ts";
import { completion } from "../../src/tasks/complete.ts";
import { dependencyFaults } from "../../src/tasks/dependencies.ts";
import { invariantFaults } from "../../src/tasks/invariants.ts";
import { DEFAULT_RULES, type Mode, type Story, type TaskList } from "../../src/tasks/list.ts";
import { mergeList } from "../../src/tasks/merge.ts";
import { reopen } from "../../src/tasks/reopen.ts";
import { checkSchema } from "../../src/tasks/schema.ts";
import { selectStory } from "../../src/tasks/select.ts";
import { transitionFaults } from "../../src/tasks/transitions.ts";
import { dice, honest, hostileEdit, listOf, MODES, soundList, story } from "./support.ts";

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

/** What happens beside the agent's turns; nothing when it is left out. */
interface Meanwhile {
  /** What stands in the file before the next iteration takes it up. */
  readonly between?: (before: TaskList) => unknown;
  /** Do checks fail after this iteration, so that a finished story is opened again? */
  readonly failing?: () => boolean;
}

/** One move of a story's `passes`: in which iteration, if in any, and whose it was. */
interface Change {
  readonly id: string;
  readonly mode: Mode | "between" | "after";
  readonly by: "agent" | "cap" | "checks";
  readonly to: boolean;
}

/** Plays iterations as the loop does, with an agent that writes whatever it likes into the list. */
function play(
  start: TaskList,
  agent: Agent,
  { rounds, cap, between, failing }: { rounds: number; cap: number } & Meanwhile,
) {
  const rules = { skipReview: false, reviewCap: cap };
  const changes: Change[] = [];
  let legal = 0;
  let trusted = start;

  /** Every way in which the trusted list is replaced: what passes now and did not, and the other way round, is noted. */
  const believe = (list: TaskList, how: Pick<Change, "mode" | "by">) => {
    const was = new Map(trusted.userStories.map(({ id, passes }) => [id, passes]));
    for (const { id, passes } of list.userStories) {
      if (passes !== (was.get(id) ?? false)) changes.push({ id, to: passes, ...how });
    }
    trusted = list;
    expect(invariantFaults(trusted, rules)).toEqual([]);
    expect(dependencyFaults(trusted)).toEqual([]);
  };
  const merge = (after: unknown, mode: Mode, id: string): TaskList => {
    const iteration = { mode, story: id, skipReview: false };
    const { list, undone } = mergeList(trusted, after, iteration);
    const parsed = checkSchema(after);
    if (parsed.ok && transitionFaults(trusted, parsed.list, iteration).length === 0) {
      legal += 1;
      expect({ list, undone }).toEqual({ list: parsed.list, undone: [] });
    }
    return list;
  };

  for (let round = 0; round < rounds; round += 1) {
    // Nobody's turn: no story may move at all.
    if (between !== undefined)
      believe(merge(between(trusted), "implement", ""), { mode: "between", by: "agent" });
    const next = selectStory(trusted, rules);
    if (next.kind !== "story") break;
    const { mode, story: selected } = next;
    const soFar = changes.length;
    const before = trusted;
    believe(merge(agent(trusted, mode, selected.id), mode, selected.id), { mode, by: "agent" });
    believe(approveAtCap(before, trusted, rules).list, { mode, by: "cap" });
    // As the loop does: when a story was finished in this iteration, or all are.
    const isFinished = changes.length > soFar || trusted.userStories.every(({ passes }) => passes);
    if (isFinished && failing?.() === true) {
      const opened = reopen(trusted, { story: selected.id, why: "Checks that ralph ran failed." }, rules);
      if (opened !== undefined) believe(opened.list, { mode: "after", by: "checks" });
    }
  }
  return { trusted, changes, legal };
}

/** An agent that is honest half of the time: without that it would hardly ever come as far as a review. */
function shifty(roll: ReturnType<typeof dice>): Agent {
  return (before, mode, id) => {
    const move = roll(fc.boolean()) ? honest(before, mode, id, roll(fc.boolean())) : before;
    return roll(fc.oneof(fc.constant<unknown>(move), hostileEdit(move)));
  };
}

/** The ways in which stories came to pass or not to pass any more: nothing but an approving review, the cap, and checks. */
function waysOf({ trusted, changes }: ReturnType<typeof play>): string[] {
  const opened = new Set<string>();
  const passing = new Set<string>();
  const ways = changes.map(({ id, mode, by, to }) => {
    passing[to ? "add" : "delete"](id);
    if (by === "checks") opened.add(id);
    // The cap speaks after a review; after a fix only where no review was left when checks had opened the story again.
    const isLeftOver = mode === "review-fix" && by === "cap" && opened.has(id);
    return isLeftOver ? "handed in again at the cap" : `${mode} by ${by}: ${to}`;
  });
  expect(trusted.userStories.filter(({ passes }) => passes).map(({ id }) => id)).toEqual(
    trusted.userStories.filter(({ id }) => passing.has(id)).map(({ id }) => id),
  );
  return ways;
}

const WAYS = ["review by agent: true", "review by cap: true"];

describe("no sequence of iterations reaches passes=true without an approving review iteration or the cap", () => {
  const start = listOf(story("A"), story("B", { dependsOn: ["A"] }), story("C"));

  function expectStillAsked(trusted: TaskList): void {
    // What was asked for at the start is still there, and nothing is done while it is not.
    for (const { id, acceptanceCriteria } of start.userStories) {
      const now = trusted.userStories.find((one) => one.id === id);
      expect(now?.acceptanceCriteria).toEqual(expect.arrayContaining([...acceptanceCriteria]));
    }
    expect(trusted.verifyCommands).toEqual(expect.arrayContaining([...start.verifyCommands]));
    const isDone = completion(trusted, { promised: true, skipReview: false }).kind === "complete";
    expect(isDone).toBe(trusted.userStories.every(({ passes }) => passes));
  }

  test("whatever a hostile agent writes into the list, and legal edits are never undone", () => {
    const ways = new Set<string>();
    let legal = 0;
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 3 }), (seed, cap) => {
        const played = play(start, shifty(dice(seed)), { rounds: 25, cap });
        for (const way of waysOf(played)) ways.add(way);
        legal += played.legal;
        expectStillAsked(played.trusted);
      }),
      { numRuns: 120 },
    );
    // Both of the legal ways were taken by some, and no other by any.
    expect([...ways].sort()).toEqual(WAYS);
    expect(legal).toBeGreaterThan(120);
  });

  test("nor with edits between the iterations, and checks that open finished stories again", () => {
    const ways = new Set<string>();
    let legal = 0;
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 3 }), (seed, cap) => {
        const roll = dice(seed);
        const played = play(start, shifty(roll), {
          rounds: 30,
          cap,
          between: (before) => roll(fc.oneof(fc.constant<unknown>(before), hostileEdit(before))),
          failing: () => roll(fc.boolean()),
        });
        for (const way of waysOf(played)) ways.add(way);
        legal += played.legal;
        expectStillAsked(played.trusted);
      }),
      { numRuns: 120 },
    );
    expect([...ways].sort()).toEqual(["after by checks: false", "handed in again at the cap", ...WAYS]);
    expect(legal).toBeGreaterThan(120);
  });

  test("a list that can be worked on stays one, wherever it starts", () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 5 }), soundList, (seed, cap, sound) => {
        const isWithin = ({ passes, reviewCount }: Story) => reviewCount <= (passes ? cap + 1 : cap);
        fc.pre(sound.userStories.every(isWithin));
        const roll = dice(seed);
        play(sound, shifty(roll), { rounds: 15, cap, failing: () => roll(fc.boolean()) });
      }),
      { numRuns: 100 },
    );
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
    const { trusted } = play(listOf(story("A"), story("B")), lie, { rounds: 50, cap: 5, between: lie });
    expect(trusted.userStories.filter(({ passes }) => passes)).toEqual([]);
  });
});
