import fc from "fast-check";
import type { Mode, ReviewStatus, Story, TaskList } from "../../src/tasks/list.ts";

/** A story as it starts, but for what the test is about. */
export function story(id: string, rest: Partial<Story> = {}): Story {
  return {
    id,
    title: `Title of ${id}`,
    description: "",
    acceptanceCriteria: ["it works"],
    priority: 1,
    passes: false,
    reviewStatus: null,
    reviewCount: 0,
    reviewFeedback: "",
    notes: "",
    dependsOn: [],
    ...rest,
  };
}

/** A story that a review approved. */
export function approved(id: string, rest: Partial<Story> = {}): Story {
  return story(id, { passes: true, reviewStatus: "approved", reviewCount: 1, notes: "done", ...rest });
}

export function listOf(...userStories: Story[]): TaskList {
  return { project: "p", branchName: "ralph/p", description: "", verifyCommands: ["npm test"], userStories };
}

/** The list with one story changed. */
export function edited(list: TaskList, id: string, rest: Partial<Story>): TaskList {
  return { ...list, userStories: list.userStories.map((one) => (one.id === id ? { ...one, ...rest } : one)) };
}

export const MODES: readonly Mode[] = ["implement", "review", "review-fix"];

const STATUSES: readonly ReviewStatus[] = [null, "needs_review", "changes_requested", "approved"];
const IDS = ["A", "B", "C", "D", "E"];

/** Anything that could stand in a list of these stories, legal or not, of the right shape or not. */
export function hostileEdit(before: TaskList): fc.Arbitrary<unknown> {
  const junk = fc.constantFrom<unknown>(null, undefined, 7, -1, 1.5, "x", "", [], {}, true, [1]);
  const anyStory = fc
    .record(
      {
        id: fc.constantFrom(...IDS, ...before.userStories.map(({ id }) => id)),
        title: fc.string({ maxLength: 5 }),
        acceptanceCriteria: fc.array(fc.constantFrom("it works", "more", "else"), { maxLength: 3 }),
        priority: fc.integer({ min: 0, max: 4 }),
        passes: fc.boolean(),
        reviewStatus: fc.constantFrom(...STATUSES),
        reviewCount: fc.integer({ min: 0, max: 7 }),
        reviewFeedback: fc.constantFrom("", " ", "fix it", "[AUTO-APPROVED AT CAP] no"),
        notes: fc.constantFrom("", "done"),
        dependsOn: fc.array(fc.constantFrom(...IDS, "nowhere"), { maxLength: 2 }),
        extra: fc.integer(),
      },
      { requiredKeys: ["id", "title", "acceptanceCriteria", "priority"] },
    )
    .chain((value) =>
      fc.oneof(
        { weight: 6, arbitrary: fc.constant<unknown>(value) },
        { weight: 1, arbitrary: spoiled(value, junk) },
      ),
    );
  // Small changes of what was there come closer to the border of what is legal than lists made from nothing.
  const nearStory = fc.constantFrom(...before.userStories).chain((was) =>
    fc
      .record(
        {
          passes: fc.boolean(),
          reviewStatus: fc.constantFrom(...STATUSES),
          reviewCount: fc.constantFrom(was.reviewCount, was.reviewCount + 1, was.reviewCount + 2),
          reviewFeedback: fc.constantFrom("", "fix it"),
          notes: fc.constantFrom("", "done"),
          dependsOn: fc.array(fc.constantFrom(...IDS), { maxLength: 2 }),
        },
        { requiredKeys: [] },
      )
      .map((change): unknown => ({ ...was, ...change })),
  );
  const list = fc.record({
    project: fc.constantFrom("p", "q"),
    branchName: fc.constant("ralph/p"),
    description: fc.constant(""),
    verifyCommands: fc.subarray(["npm test", "npm run lint"]),
    userStories: fc.array(fc.oneof(anyStory, nearStory), { maxLength: 6 }),
  });
  const near = fc
    .tuple(fc.array(nearStory, { maxLength: 2 }), fc.array(anyStory, { maxLength: 1 }))
    .map(([changed, added]): unknown => ({
      ...before,
      userStories: [
        ...before.userStories.map(
          (was) => changed.find((one) => (one as { id: string }).id === was.id) ?? was,
        ),
        ...added,
      ],
    }));
  return fc.oneof(
    { weight: 5, arbitrary: near },
    { weight: 4, arbitrary: list as fc.Arbitrary<unknown> },
    { weight: 1, arbitrary: list.chain((value) => spoiled(value, junk)) },
    { weight: 1, arbitrary: junk },
  );
}

function spoiled(value: object, junk: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(fc.constantFrom(...Object.keys(value)), junk)
    .map(([key, put]): unknown => JSON.parse(JSON.stringify({ ...value, [key]: put })));
}

/** A list that can be worked on: of the right shape, with its invariants and its dependencies in order. */
export const soundList: fc.Arbitrary<TaskList> = fc
  .array(
    fc.record({
      state: fc.constantFrom("new", "handed in", "sent back", "approved"),
      reviews: fc.integer({ min: 0, max: 4 }),
      priority: fc.integer({ min: 1, max: 3 }),
      needsPrevious: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) =>
    listOf(
      ...parts.map(({ state, reviews, priority, needsPrevious }, index) => {
        const rest = { priority, dependsOn: needsPrevious && index > 0 ? [IDS[index - 1] ?? ""] : [] };
        const id = IDS[index] ?? "";
        if (state === "new") return story(id, rest);
        if (state === "approved") return approved(id, { ...rest, reviewCount: reviews + 1 });
        if (state === "handed in")
          return story(id, { ...rest, reviewStatus: "needs_review", reviewCount: reviews });
        return story(id, {
          ...rest,
          reviewStatus: "changes_requested",
          reviewCount: reviews + 1,
          reviewFeedback: "mend it",
        });
      }),
    ),
  );

/** What an honest agent would write. */
export function honest(before: TaskList, mode: Mode, id: string, rejects: boolean): TaskList {
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

/** One value of an arbitrary after the other, the same for the same seed. */
export function dice(seed: number): <T>(arbitrary: fc.Arbitrary<T>) => T {
  let throws = 0;
  return <T>(arbitrary: fc.Arbitrary<T>) => {
    throws += 1;
    return fc.sample(arbitrary, { numRuns: 1, seed: scattered(seed + throws * 7919) })[0] as T;
  };
}

/** Seeds that are close to each other give values that are: these are far apart. */
function scattered(seed: number): number {
  const once = Math.imul(seed ^ (seed >>> 16), 0x45d9f3b);
  const twice = Math.imul(once ^ (once >>> 16), 0x45d9f3b);
  return twice ^ (twice >>> 16);
}
