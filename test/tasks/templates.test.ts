// What the files of a task list start as, section by section of the review cycle's specification.
import { describe, expect, test } from "vitest";
import { parseJson } from "../../src/tasks/schema.ts";
import { templates } from "../../src/tasks/templates.ts";

const FILLED = templates({ project: "Shop", date: "2026-01-02", dir: "ralph", branch: "ralph/search" });
const PROMPT = FILLED["prompt.md"];

/** The text without line breaks and marks, for words that may stand anywhere. */
const flat = (text: string) => text.replace(/\s+/g, " ");

/** The part of the prompt under a heading. */
function part(heading: string): string {
  const from = PROMPT.indexOf(`## ${heading}`);
  if (from < 0) throw new Error(`there is no ${heading}`);
  const to = PROMPT.indexOf("\n## ", from + 1);
  return flat(PROMPT.slice(from, to < 0 ? undefined : to));
}

describe("the prompt", () => {
  test("its header is iteration N of M, and its steps come in the order of the spec", () => {
    expect(PROMPT).toMatch(/^# Ralph Loop: iteration \$RALPH_ITERATION of \$RALPH_MAX_ITERATIONS$/m);
    expect(PROMPT.match(/^## .*/gm)).toEqual([
      "## Step 1: Orient",
      "## Step 2: Select & Determine Mode",
      "## Step 3, Implement mode: implement",
      "## Step 3, Review mode: review with fresh eyes",
      "## Step 3, Review-Fix mode: address the feedback",
      "## Step 4: Document Progress",
      "## Step 5: Consider Memory Updates",
      "## Step 6: Commit & Signal",
      "## Hard rules",
    ]);
  });

  test.each<[step: string, words: readonly string[]]>([
    [
      "Step 1: Orient",
      ["progress.txt", "Codebase Patterns", "prd.md", "tasks.json", "git log", "git status"],
    ],
    [
      "Step 2: Select & Determine Mode",
      [
        '`reviewStatus: "changes_requested"`',
        '`reviewStatus: "needs_review"`',
        "`passes: false` and `reviewStatus: null`",
        "`dependsOn`",
        "`reviewFeedback`",
        "60 %",
        "is split",
        "change priorities and order",
        '"skipReview": true',
      ],
    ],
    [
      "Step 3, Implement mode",
      [
        "Read the code",
        "constraints of prd.md",
        "verifyCommands",
        "git diff",
        "each acceptance criterion",
        "TODO",
      ],
    ],
    [
      "Step 3, Review mode",
      [
        "You did not write this code in this session",
        "Add 1 to the story's `reviewCount`",
        "acceptance criteria",
        "git log --oneline -5",
        "git diff",
        "For EACH acceptance criterion",
        "edge cases and error paths",
        "verifyCommands",
        'set `reviewStatus: "approved"` AND `passes: true`',
        "Do NOT fix it",
        "[AUTO-APPROVED AT CAP]",
      ],
    ],
    [
      "Step 3, Review-Fix mode",
      [
        "`reviewFeedback`",
        "every point",
        "verifyCommands",
        "Review your own work",
        'Set `reviewFeedback: ""`',
      ],
    ],
    [
      "Step 4: Document Progress",
      ["Append", "What was done", "Files changed", "Verification", "Learnings", "mode"],
    ],
    [
      "Step 5: Consider Memory Updates",
      ["CLAUDE.md", ".claude/rules/", "beyond this loop", "skip this step"],
    ],
    [
      "Step 6: Commit & Signal",
      [
        "feat: [US-xxx] - [Title]",
        "review: [US-xxx] - approved",
        "review: [US-xxx] - changes requested",
        "fix: [US-xxx] - address review feedback",
        "NOT `passes: true`",
        "ALL stories",
        "<promise>COMPLETE</promise>",
      ],
    ],
  ])("%s says all that the spec asks of it", (step, words) => {
    const text = part(step);
    expect(words.filter((one) => !text.includes(one))).toEqual([]);
  });

  test("the order of the modes is review-fix, review, implement", () => {
    const text = part("Step 2");
    const at = ["**Review-Fix**", "**Review**", "**Implement**"].map((mode) => text.indexOf(mode));
    expect(at).toEqual(at.toSorted((one, other) => one - other));
    expect(at[0]).toBeGreaterThan(0);
  });

  test.each([
    "One story in one iteration",
    "NEVER set `passes: true`",
    "Never weaken a test",
    "When you are stuck",
    "You may add, split and reorder stories",
    "`prd.md` is read-only",
    "Reviews do not fix code",
    "address ALL of the feedback",
  ])("hard rule: %s", (rule) => {
    expect(part("Hard rules")).toContain(rule);
  });
});

describe("the requirements", () => {
  const PRD = FILLED["prd.md"];

  test("have every section of the spec, in its order", () => {
    expect(PRD.match(/^##+ .*/gm)).toEqual([
      "## 1. Summary",
      "## 2. Problem Statement",
      "## 3. Goals",
      "## 4. Non-Goals",
      "## 5. Background & Context",
      "## 6. Technical Design",
      "### 6a. Database Changes",
      "### 6b. API Contracts",
      "### 6c. Core Logic Changes",
      "### 6d. Frontend Changes",
      "### 6e. Infrastructure / Config Changes",
      "## 7. Constraints",
      "## 8. Edge Cases & Error Handling",
      "## 9. Risks & Mitigations",
      "## 10. Open Questions",
    ]);
  });

  test.each([
    ["1. Summary", "Required for S, M, L"],
    ["2. Problem Statement", "Required for S, M, L"],
    ["3. Goals", "Required for M and L, optional for S"],
    ["4. Non-Goals", "Required for M and L, recommended for S"],
    ["5. Background & Context", "Recommended for M and L"],
    ["6. Technical Design", "Required for S, M, L"],
    ["7. Constraints", "Recommended for M and L"],
    ["8. Edge Cases & Error Handling", "| Scenario | Trigger | Expected behavior | Error |"],
    ["9. Risks & Mitigations", "| Risk | Likelihood | Impact | Mitigation |"],
    ["10. Open Questions", "strike it through"],
  ])("%s says for which sizes it is, or how it is filled in: %s", (heading, words) => {
    const from = PRD.indexOf(`## ${heading}`);
    const to = PRD.indexOf("\n## ", from + 1);
    expect(flat(PRD.slice(from, to < 0 ? undefined : to))).toContain(words);
  });
});

test("the list has the fields of the spec's template, with the name and the branch filled in", () => {
  const parsed = parseJson(FILLED["tasks.json"]);
  expect(parsed.ok && parsed.value).toEqual({
    project: "Shop",
    branchName: "ralph/search",
    description: "",
    verifyCommands: [],
    userStories: [
      {
        id: "US-001",
        title: "",
        description: "",
        acceptanceCriteria: [],
        priority: 1,
        passes: false,
        reviewStatus: null,
        reviewCount: 0,
        reviewFeedback: "",
        notes: "",
        dependsOn: [],
      },
    ],
  });
});

test("the log begins with its date, its name and the patterns, and entries go below a line", () => {
  expect(FILLED["progress.txt"]).toMatch(
    /^# Ralph Progress Log\nStarted: 2026-01-02\nPRD: Shop\n\n## Codebase Patterns\n- \(.*\)\n\n---\n$/,
  );
});

test("a name that looks like a placeholder, or like a replacement of JavaScript, stays as it is", () => {
  const odd = "{{DATE}} $& $1";
  const { "progress.txt": log } = templates({ project: odd, date: "2026-01-02", dir: "r", branch: "b" });
  expect(log).toContain(`PRD: ${odd}\n`);
});
