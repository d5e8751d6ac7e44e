// The hook cases of the review cycle's verification plan, by name: Checks 1, 2 and 2.5 on a list and a marker.
import { describe, expect, test } from "vitest";
import type { Active } from "../../src/tasks/active.ts";
import { snapshotOf } from "../../src/tasks/active.ts";
import { checkStop } from "../../src/tasks/check.ts";
import type { Mode, Story, TaskList } from "../../src/tasks/list.ts";
import { formatList } from "../../src/tasks/schema.ts";
import { approved, edited, listOf, story } from "./support.ts";

const ACTIVE: Active = {
  timestamp: "2026-01-01T00:00:00Z",
  pid: 1,
  max_iterations: 15,
  mode: "direct",
  skipReview: false,
  reviewCap: 5,
};

/** What the check at the end of an iteration says. */
function stop(after: unknown, rest: Partial<Active> = {}): string {
  const { faults } = checkStop(JSON.stringify(after), { ...ACTIVE, ...rest });
  return faults.map(({ path, message }) => `${path}: ${message}`).join("\n");
}

/** The same after an iteration of this mode that made `after` out of `before`. */
function stopAfter(iterationMode: Mode, before: TaskList, after: TaskList): string {
  return stop(after, { iterationMode, preIterationSnapshot: snapshotOf(before) });
}

describe("task list schema validation", () => {
  test("a valid list passes", () => {
    expect(stop(listOf(story("US-001"), approved("US-002")))).toBe("");
  });

  test("a malformed list blocks: not JSON at all", () => {
    expect(checkStop('{"project": ', ACTIVE).faults[0]?.message).toMatch(/^is not valid JSON/);
  });

  test.each(["project", "branchName", "description", "userStories"])("a list without %s blocks", (field) => {
    expect(stop({ ...listOf(story("US-001")), [field]: undefined })).toMatch(`${field}: `);
  });

  test.each<[keyof Story, unknown, string]>([
    ["id", 7, "must be a string"],
    ["title", null, "must be a string"],
    ["passes", "true", "must be a boolean"],
    ["priority", "1", "must be a number"],
    ["acceptanceCriteria", [], "must be a non-empty array"],
    ["acceptanceCriteria", "it works", "must be a non-empty array"],
    ["reviewStatus", "done", 'must be null or one of "needs_review"'],
    ["reviewStatus", undefined, "is required"],
    ["reviewCount", 1.5, "must be a non-negative integer"],
    ["reviewFeedback", null, "must be a string"],
  ])("a story whose %s is %j blocks, with its path", (field, value, words) => {
    const said = stop({ ...listOf(), userStories: [{ ...story("US-001"), [field]: value }] });
    expect(said).toContain(`userStories[0].${field}: ${words}`);
  });

  test("every fault is told, not only the first", () => {
    const said = stop({
      ...listOf(),
      project: 1,
      userStories: [7, { ...story("X"), passes: 1, priority: "" }],
    });
    expect(said.split("\n")).toHaveLength(4);
    expect(said).toContain("userStories[1].passes: must be a boolean (story X)");
  });

  test("two stories of one id block", () => {
    expect(stop(listOf(story("US-001"), story("US-001")))).toContain(
      "userStories[1].id: is a duplicate of userStories[0].id",
    );
  });

  test("a story with passes: true and empty notes blocks", () => {
    expect(stop(listOf(approved("US-001", { notes: " " })))).toContain(
      "userStories[0].notes: must not be empty",
    );
  });

  test("a dependency that is not in the list, and a circle, block", () => {
    expect(stop(listOf(story("A", { dependsOn: ["Z"] })))).toContain(
      "depends on Z, which is not in the list",
    );
    expect(stop(listOf(story("A", { dependsOn: ["B"] }), story("B", { dependsOn: ["A"] })))).toContain(
      "Stories wait for each other: A → B → A.",
    );
  });
});

describe("review integrity enforcement", () => {
  const passing = (reviewStatus: Story["reviewStatus"]) =>
    listOf(approved("US-001", { reviewStatus, reviewFeedback: "x" }));

  test.each([null, "needs_review", "changes_requested"] as const)(
    "passes: true and reviewStatus: %j blocks (not approved)",
    (status) => {
      expect(stop(passing(status))).toContain(
        `Story US-001 has passes=true but reviewStatus is '${status}', not 'approved'. Only review iterations may approve stories. Set passes back to false or complete the review cycle.`,
      );
    },
  );

  test('passes: true and reviewStatus: "approved" passes', () => {
    expect(stop(passing("approved"))).toBe("");
  });

  test("changes_requested and empty reviewFeedback blocks (feedback required)", () => {
    expect(stop(listOf(story("US-001", { reviewStatus: "changes_requested", reviewCount: 1 })))).toContain(
      "feedback required",
    );
  });

  test('reviewStatus: "approved" and passes: false blocks (out of sync)', () => {
    expect(stop(listOf(story("US-001", { reviewStatus: "approved" })))).toContain("out of sync");
  });

  test("reviewCount: -1 blocks (invalid negative value)", () => {
    expect(stop(listOf(story("US-001", { reviewCount: -1 })))).toContain("must be a non-negative integer");
  });

  test("reviewCount may be the cap and one more, and no more than that", () => {
    const counted = (reviewCount: number) => listOf(approved("US-001", { reviewCount }));
    expect(stop(counted(6))).toBe("");
    expect(stop(counted(7))).toContain("more than the review cap of 5 allows");
  });

  test("skipReview: Check 2 and 2.5 are skipped; passes: true and reviewStatus: null passes", () => {
    const before = listOf(story("US-001"));
    const after = edited(before, "US-001", { passes: true, notes: "done" });
    expect(
      stop(after, {
        skipReview: true,
        iterationMode: "implement",
        preIterationSnapshot: snapshotOf(before),
      }),
    ).toBe("");
  });
});

describe("transition validation (Check 2.5): implement", () => {
  const before = listOf(story("US-001"), story("US-002"));
  const implement = (rest: Partial<Story>) => stopAfter("implement", before, edited(before, "US-001", rest));

  test("passes false → true blocks (implement iterations cannot set passes=true)", () => {
    const said = implement({ passes: true, reviewStatus: "approved", notes: "done" });
    expect(said).toContain(
      "Implement iterations cannot set passes=true or approve stories. Only review iterations may approve. Story US-001 had illegal transition: passes false → true.",
    );
  });

  test('reviewStatus null → "approved" blocks (implement iterations cannot approve)', () => {
    expect(implement({ passes: true, reviewStatus: "approved", notes: "done" })).toContain(
      "or approve stories. Only review iterations may approve. Story US-001 had illegal transition: reviewStatus null → approved.",
    );
  });

  test("reviewCount 0 → 1 blocks (implement iterations cannot increment reviewCount)", () => {
    expect(implement({ reviewCount: 1 })).toContain(
      "Implement iterations cannot increment reviewCount. Story US-001 had illegal transition: reviewCount 0 → 1.",
    );
  });

  test('reviewStatus null → "needs_review" passes (legal implement transition)', () => {
    expect(implement({ reviewStatus: "needs_review", notes: "done" })).toBe("");
  });

  test("two stories handed in block", () => {
    const both = edited(edited(before, "US-001", { reviewStatus: "needs_review" }), "US-002", {
      reviewStatus: "needs_review",
    });
    expect(stopAfter("implement", before, both)).toContain("may only hand in one story");
  });

  test("a new story with passes: false, reviewStatus: null, reviewCount: 0 passes", () => {
    expect(stopAfter("implement", before, listOf(...before.userStories, story("US-003")))).toBe("");
  });

  test("a new story with passes: true blocks (new stories must start incomplete)", () => {
    expect(stopAfter("implement", before, listOf(...before.userStories, approved("US-003")))).toContain(
      "New stories must start incomplete",
    );
  });
});

describe("transition validation (Check 2.5): review", () => {
  const waiting = { reviewStatus: "needs_review", reviewCount: 1, notes: "done" } as const;
  const before = listOf(story("US-001", waiting), story("US-002", waiting));
  const review = (rest: Partial<Story>) => stopAfter("review", before, edited(before, "US-001", rest));

  test("reviewCount 1 → 2, approved, passes: true passes (legal approval)", () => {
    expect(review({ reviewCount: 2, reviewStatus: "approved", passes: true })).toBe("");
  });

  test("reviewCount 1 → 2, changes_requested with feedback passes (legal rejection)", () => {
    expect(review({ reviewCount: 2, reviewStatus: "changes_requested", reviewFeedback: "line 7" })).toBe("");
  });

  test("reviewCount unchanged blocks (review must increment reviewCount)", () => {
    expect(review({ reviewStatus: "approved", passes: true })).toContain(
      "Review iteration made illegal transition on story US-001: review must increment reviewCount.",
    );
    expect(review({ notes: "looked at it" })).toContain("review must increment reviewCount");
  });

  test("reviewCount 1 → 3 blocks", () => {
    expect(review({ reviewCount: 3, reviewStatus: "approved", passes: true })).toContain(
      "reviewCount changed by 2, not by 1",
    );
  });

  test("two stories' review fields changed block (review may only modify one story)", () => {
    const verdict = { reviewCount: 2, reviewStatus: "approved", passes: true } as const;
    const both = edited(edited(before, "US-001", verdict), "US-002", verdict);
    expect(stopAfter("review", before, both)).toContain("review may only modify one story");
  });

  test("a story that was not handed in cannot be approved", () => {
    const fresh = listOf(story("US-001", { notes: "n" }));
    const after = edited(fresh, "US-001", { reviewCount: 1, reviewStatus: "approved", passes: true });
    expect(stopAfter("review", fresh, after)).toContain("it was not waiting for a review");
  });
});

describe("transition validation (Check 2.5): review-fix", () => {
  const before = listOf(
    story("US-001", {
      reviewStatus: "changes_requested",
      reviewCount: 1,
      reviewFeedback: "line 7",
      notes: "done",
    }),
  );
  const fix = (rest: Partial<Story>) => stopAfter("review-fix", before, edited(before, "US-001", rest));

  test("passes false → true blocks (review-fix cannot approve)", () => {
    expect(fix({ passes: true, reviewStatus: "approved" })).toContain(
      "Review-fix iterations cannot approve stories. Story US-001 must go back to needs_review for re-review. Illegal transition: passes false → true.",
    );
  });

  test('"changes_requested" → "needs_review" passes (legal re-submit)', () => {
    expect(fix({ reviewStatus: "needs_review", reviewFeedback: "" })).toBe("");
  });

  test("feedback that is left standing blocks", () => {
    expect(fix({ reviewStatus: "needs_review" })).toContain("clear reviewFeedback");
  });

  test("reviewCount changed blocks (review-fix cannot increment reviewCount)", () => {
    expect(fix({ reviewStatus: "needs_review", reviewFeedback: "", reviewCount: 2 })).toContain(
      "Review-fix iterations cannot increment reviewCount.",
    );
  });
});

describe("missing preIterationSnapshot", () => {
  test("Check 2.5 is skipped with a warning, Check 2 is still enforced", () => {
    const lie = formatList(listOf(approved("US-001", { reviewCount: 0 })));
    const checked = checkStop(lie, { ...ACTIVE, iterationMode: "implement" });
    expect(checked.faults).toEqual([]);
    expect(checked.warnings).toHaveLength(1);
    const broken = formatList(listOf(approved("US-001", { reviewStatus: null })));
    expect(checkStop(broken, { ...ACTIVE, iterationMode: "implement" }).faults).toHaveLength(1);
  });
});
