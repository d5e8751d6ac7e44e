import { describe, expect, test } from "vitest";
import { checkList } from "../../src/tasks/check.ts";
import { mermaid, summaryPage } from "../../src/tasks/describe.ts";
import { addStories, fromIssues, fromMarkdown, fromPrd, fromText } from "../../src/tasks/import.ts";
import { DEFAULT_RULES } from "../../src/tasks/list.ts";
import { formatList, isUnfilled, parseJson } from "../../src/tasks/schema.ts";
import { slugOf, templates } from "../../src/tasks/templates.ts";
import { approved, listOf, story } from "./support.ts";

describe("other people's lists", () => {
  const PRD = {
    project: "MyApp",
    branchName: "ralph/task-priority",
    description: "Task priorities",
    userStories: [
      {
        id: "US-001",
        title: "Add priority field",
        description: "As a developer…",
        acceptanceCriteria: ["Column exists", "Typecheck passes"],
        priority: 1,
        passes: true,
        notes: "",
      },
      { id: "US-002", title: "Show it", priority: 2, passes: false, notes: "n", dependsOn: ["US-001"] },
      { id: "US-003", title: "Filter by it", priority: 3, passes: false, dependsOn: ["US-002"] },
      { id: 4, title: "" },
      "junk",
    ],
  };

  test("a prd.json: what is done stays out, and nothing waits for it", () => {
    const imported = fromText(JSON.stringify(PRD));
    if (imported === undefined) throw new Error("it is one");
    expect(imported.done).toBe(1);
    const list = addStories(listOf(), imported, true);
    expect(list).toMatchObject({ branchName: "ralph/task-priority", description: "Task priorities" });
    expect(list.userStories).toMatchObject([
      { id: "US-002", acceptanceCriteria: ["Show it"], dependsOn: [], notes: "n", passes: false },
      { id: "US-003", dependsOn: ["US-002"], priority: 3 },
    ]);
    expect(checkList(formatList(list), DEFAULT_RULES).faults).toEqual([]);
  });

  test("ids that are taken get new ones, and dependencies follow", () => {
    const imported = fromPrd(PRD);
    if (imported === undefined) throw new Error("it is one");
    const list = addStories(listOf(story("US-001"), story("US-002", { priority: 7 })), imported, false);
    expect(list.userStories.map(({ id, dependsOn, priority }) => [id, dependsOn, priority])).toEqual([
      ["US-001", [], 1],
      ["US-002", [], 7],
      ["US-003", [], 9],
      ["US-004", ["US-003"], 10],
    ]);
    expect(list.branchName).toBe("ralph/p");
  });

  test("a Markdown checklist: boxes are stories, what is indented below them are criteria", () => {
    const text = "# Plan\n\n- [ ] One\n  - a\n  - [x] b\n\ttext\n* [X] old\n- no box\n1. [ ] Two\r\n";
    expect(fromMarkdown(text)).toMatchObject({
      done: 1,
      description: "Plan",
      stories: [
        { title: "One", acceptanceCriteria: ["a", "b"] },
        { title: "Two", acceptanceCriteria: [] },
      ],
    });
    expect(fromText("just words")).toBeUndefined();
    expect(fromText("[1, 2]")).toBeUndefined();
  });

  test("GitHub issues: oldest first, boxes in the body are criteria", () => {
    const imported = fromIssues([
      { number: 9, title: "Later", body: null },
      { number: 2, title: "First", body: "Please:\n- [ ] a\n- [ ] b" },
      { number: "x", title: "junk" },
    ]);
    expect(imported?.stories).toMatchObject([
      { id: "GH-2", title: "First", acceptanceCriteria: ["a", "b"] },
      { id: "GH-9", title: "Later", acceptanceCriteria: [] },
    ]);
    expect(fromIssues({})).toBeUndefined();
  });

  test("a line of a million spaces is read in no time", () => {
    expect(
      fromMarkdown(`- [ ] x\n${" ".repeat(1_000_000)}\n-${" ".repeat(1_000_000)}`)?.stories,
    ).toHaveLength(1);
  });
});

describe("the templates", () => {
  const filling = { project: "Shop {{DATE}}", date: "2026-01-02", dir: "ralph", branch: "ralph/search" };
  const made = templates(filling);

  test("every placeholder is filled, once", () => {
    for (const [name, text] of Object.entries(made)) {
      expect(text.replaceAll("Shop {{DATE}}", ""), name).not.toMatch(/\{\{/);
    }
    expect(made["progress.txt"]).toBe(
      "# Ralph Progress Log\nStarted: 2026-01-02\nPRD: Shop {{DATE}}\n\n## Codebase Patterns\n- (Patterns of this codebase that later iterations can use again)\n\n---\n",
    );
  });

  test("tasks.json has every field of the spec, and is known to be unfilled", () => {
    const value = parseJson(made["tasks.json"]);
    expect(value.ok && isUnfilled(value.value)).toBe(true);
    expect(value.ok && value.value).toEqual({
      ...listOf(story("US-001", { title: "", acceptanceCriteria: [] })),
      project: "Shop {{DATE}}",
      branchName: "ralph/search",
      verifyCommands: [],
    });
  });

  test("prd.md has every section of the spec", () => {
    for (const section of [
      "1. Summary",
      "2. Problem Statement",
      "3. Goals",
      "4. Non-Goals",
      "5. Background & Context",
      "6. Technical Design",
      "6a. Database Changes",
      "6b. API Contracts",
      "6c. Core Logic Changes",
      "6d. Frontend Changes",
      "6e. Infrastructure / Config Changes",
      "7. Constraints",
      "8. Edge Cases & Error Handling",
      "9. Risks & Mitigations",
      "10. Open Questions",
    ]) {
      expect(made["prd.md"]).toMatch(new RegExp(`^##+ ${section}$`, "m"));
    }
  });

  test("prompt.md names every step, mode, message and rule of the spec", () => {
    for (const words of [
      "iteration $RALPH_ITERATION of $RALPH_MAX_ITERATIONS",
      "Step 1: Orient",
      "Step 2: Select & Determine Mode",
      "Step 3, Implement mode",
      "Step 3, Review mode",
      "Step 3, Review-Fix mode",
      "Step 4: Document Progress",
      "Step 5: Consider Memory Updates",
      "Step 6: Commit & Signal",
      "feat: [US-xxx] - [Title]",
      "review: [US-xxx] - approved",
      "review: [US-xxx] - changes requested",
      "fix: [US-xxx] - address review feedback",
      "<promise>COMPLETE</promise>",
      "[AUTO-APPROVED AT CAP]",
      "skipReview",
      "NEVER set `passes: true`",
      "Never weaken a test",
      "`prd.md` is read-only",
      "Reviews do not fix code",
    ]) {
      expect(made["prompt.md"]).toContain(words);
    }
  });

  test.each([
    ["My Feature!", "my-feature"],
    ["../../etc", "etc"],
    ["-x.lock", "x-lock"],
    ["Größe", "größe"],
    ["!!!", ""],
  ])("%j is called %j in a branch", (name, slug) => expect(slugOf(name)).toBe(slug));
});

describe("pages made of anybody's words", () => {
  const nasty = 'x"]; click s0 "javascript:1" | `<img>`\n# y';

  test("a title cannot break out of a Mermaid label", () => {
    const text = mermaid(listOf(approved("A", { title: nasty }), story("B", { dependsOn: ["A"] })));
    expect(text.split("\n")).toHaveLength(5);
    expect(text).toContain("  s0 --> s1");
    expect(text.split("\n")[1]).toMatch(/^ {2}s0\["[^"[\]<>`]*"\]:::done$/);
  });

  test("a title cannot break out of a row of the summary", () => {
    const list = listOf(approved("A", { title: nasty }), story("B"));
    const page = summaryPage(list, DEFAULT_RULES, { from: "2026-01-01", to: "2026-01-09" });
    const row = page.split("\n").find((line) => line.startsWith("| A "));
    expect(row?.split("|")).toHaveLength(7);
    expect(row).not.toContain("<");
    expect(page).toContain("Stories completed: 1 of 2");
    expect(page).toContain("Dates: 2026-01-01 to 2026-01-09");
  });
});
