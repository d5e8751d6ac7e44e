import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkList } from "../../src/tasks/check.ts";
import { layersOf } from "../../src/tasks/dependencies.ts";
import { DEFAULT_RULES } from "../../src/tasks/list.ts";
import { faultsAsTask, planFaults, planInstructions, planMode, planSkill } from "../../src/tasks/plan.ts";
import { EXAMPLE_LIST } from "../../src/tasks/plan-text.ts";
import { formatList } from "../../src/tasks/schema.ts";
import { templates } from "../../src/tasks/templates.ts";
import { approved, edited, listOf, story } from "./support.ts";

const prd = (project: string) =>
  templates({ project, date: "2026-01-01", dir: "ralph", branch: "ralph/x" })["prd.md"];

describe("planMode", () => {
  test.each([
    ["no file", undefined],
    ["an empty file", ""],
    ["white space", " \n\t\r\n"],
    ["the template", prd("Shop")],
    ["the template with Windows line ends", prd("Shop").replaceAll("\n", "\r\n")],
    ["the template without its comments", prd("Shop").replace(/<!--[\s\S]*?-->/g, "")],
    ["some of its headings", "# Shop\n\n## 1. Summary\n\n## 4. Non-Goals\n\n-\n"],
    ["empty bullets and rows", "- \n* \n| | |\n|---|:-:|\n"],
  ])("full planning: %s", (_what, text) => {
    expect(planMode(text)).toBe("full");
  });

  test.each([
    ["a sentence", "Search for products."],
    [
      "a sentence below the template's heading",
      prd("Shop").replace("## 3. Goals", "People search.\n\n## 3. Goals"),
    ],
    ["one bullet", prd("Shop").replace("\n-\n", "\n- fast\n")],
    ["one row", prd("Shop").replace("|  |  |  |  |", "| a | b | c | d |")],
    ["another alphabet", "検索"],
    ["text behind a comment on its line", "<!-- why --> because"],
    ["a comment that is never closed", "<!-- my notes"],
    ["a hashtag, which is no heading", "#search"],
  ])("task derivation: %s", (_what, text) => {
    expect(planMode(text)).toBe("derive");
  });

  test("whatever is written into the template is content, and names and comments are none", () => {
    const line = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9 .,:;()-]{0,30}$/);
    const lines = prd("Shop").split("\n");
    const outside = lines.flatMap((one, index) => (one.startsWith("## ") ? [index + 1] : []));
    fc.assert(
      fc.property(line, fc.constantFrom(...outside), (text, at) => {
        expect(planMode(lines.toSpliced(at, 0, text).join("\n"))).toBe("derive");
        expect(planMode(lines.toSpliced(at, 0, `<!-- ${text} -->`).join("\n"))).toBe("full");
        expect(planMode(prd(text))).toBe("full");
      }),
    );
  });

  test("a file full of open comments is read in no time", () => {
    expect(planMode(`${"<!--".repeat(1_000_000)}x`)).toBe("derive");
  });
});

describe("planInstructions", () => {
  const full = planInstructions({ mode: "full", dir: "ralph" });
  const derive = planInstructions({ mode: "derive", dir: "ralph" });

  test("mode 1 asks without a limit, writes prd.md, derives tasks.json, presents both", () => {
    for (const words of [
      "as many as it takes",
      "the problem and the goal",
      "the core functionality",
      "the scope",
      "the technical context",
      "constraints",
      "success",
      "Write `ralph/prd.md`",
      "Derive `ralph/tasks.json`",
      "Show the user both files",
      ...(prd("x").match(/^## .*$/gm) ?? []),
    ]) {
      expect(full).toContain(words);
    }
  });

  test("mode 2 reads the requirements, asks only where needed, leaves them alone, presents the stories", () => {
    for (const words of [
      "Read `ralph/prd.md`",
      "only where the requirements are ambiguous or incomplete",
      "do NOT write it anew",
      "Derive `ralph/tasks.json`",
      "Show the user the stories",
    ]) {
      expect(derive).toContain(words);
    }
    expect(derive).not.toContain("Write `ralph/prd.md`");
  });

  test.each([
    ["full", full],
    ["derive", derive],
  ])("%s: the rules of task derivation, the shape, and the check", (_mode, text) => {
    for (const words of [
      "two or three sentences",
      "schema and database, then backend logic, then API routes, then frontend components, then",
      "The filter dropdown has the options: All, Active, Done",
      "`dependsOn`",
      "`verifyCommands` are the project's own commands",
      '`passes: false`, `reviewStatus: null`, `reviewCount: 0`, `reviewFeedback: ""`',
      formatList(EXAMPLE_LIST).trimEnd(),
      "`ralph tasks check`",
    ]) {
      expect(text).toContain(words);
    }
  });

  test("another folder is named everywhere, and on the command line as one word", () => {
    for (const mode of ["full", "derive"] as const) {
      const text = planInstructions({ mode, dir: "my docs/loop" });
      expect(text).toContain("ralph tasks check --ralph-dir 'my docs/loop'");
      expect(text).not.toContain("`ralph/");
    }
  });

  test("it fits into one argument, and no agent takes its beginning for a command", () => {
    for (const text of [full, derive, faultsAsTask(["x"])]) {
      expect(Buffer.byteLength(text)).toBeLessThan(32 * 1024);
      expect(text).toMatch(/^[A-Z]/);
    }
  });

  test("the example is a valid list of fresh, ordered stories", () => {
    expect(checkList(formatList(EXAMPLE_LIST), DEFAULT_RULES).faults).toEqual([]);
    expect(planFaults(undefined, EXAMPLE_LIST)).toEqual([]);
    expect(layersOf(EXAMPLE_LIST.userStories)).toHaveLength(2);
  });
});

describe("faultsAsTask", () => {
  test("names every fault", () => {
    const text = faultsAsTask(["ralph/tasks.json userStories[0].id: is required", "ralph/prd.md: is empty"]);
    expect(text).toContain("\n- ralph/tasks.json userStories[0].id: is required\n- ralph/prd.md: is empty\n");
  });

  test("stays small and clean, whatever a list says", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary", maxLength: 2_000 }), { maxLength: 200 }), (faults) => {
        const text = faultsAsTask(faults);
        expect(Buffer.byteLength(text)).toBeLessThan(80 * 1024);
        expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
        expect(text.match(/^- /gm)?.length ?? 0).toBe(Math.min(faults.length, 51));
      }),
      { numRuns: 50 },
    );
  });
});

describe("planFaults", () => {
  test.each([
    ["passes", approved("A")],
    ["was handed in", story("A", { reviewStatus: "needs_review" })],
    ["has reviews", story("A", { reviewCount: 1 })],
    ["has feedback", story("A", { reviewFeedback: "no" })],
  ])("a new story that %s is a fault", (_what, one) => {
    for (const before of [undefined, "{", formatList(listOf()), formatList(listOf(story("A")))]) {
      expect(planFaults(before, listOf(story("B"), one))).toMatchObject([
        { path: "userStories[1]", message: expect.stringContaining("(story A)") },
      ]);
    }
  });

  test("stories that were worked on may stay, be reworded, be reset or go; their criteria may not change under a verdict", () => {
    const before = listOf(approved("A"), story("B", { reviewStatus: "needs_review" }));
    const text = formatList(before);
    expect(planFaults(text, before)).toEqual([]);
    expect(planFaults(text, edited(before, "A", { title: "Other", priority: 9 }))).toEqual([]);
    expect(planFaults(text, listOf(story("A"), story("C")))).toEqual([]);
    expect(planFaults(text, edited(before, "A", { acceptanceCriteria: ["else"] }))).toHaveLength(1);
  });
});

// When this fails because the words were changed on purpose: npx vitest run test/tasks/plan.test.ts -u
test("the skill says what ralph plan says", async () => {
  await expect(planSkill()).toMatchFileSnapshot("../../plugin/skills/ralph-plan/SKILL.md");
});

describe("the skill", () => {
  const skill = planSkill();
  test("has a name and every trigger phrase of the spec in its description", () => {
    const [, front = ""] = /^---\n([\s\S]*?)\n---\n/.exec(skill) ?? [];
    expect(front.split("\n").map((line) => line.split(":")[0])).toEqual(["name", "description"]);
    expect(front).toContain("name: ralph-plan");
    for (const phrase of [
      "/ralph-plan",
      '"plan this feature for ralph"',
      '"create a ralph prd"',
      '"generate tasks for ralph"',
    ]) {
      expect(front).toContain(phrase);
    }
    // A plain YAML scalar ends at these.
    expect(front.split("description: ")[1]).not.toMatch(/: | #/);
  });

  test("works in both modes, needs the folder, and ends with the check", () => {
    for (const words of ["ralph init --tasks", "Mode 1", "Mode 2", "ralph tasks check"]) {
      expect(skill).toContain(words);
    }
    for (const mode of ["full", "derive"] as const) {
      for (const part of planInstructions({ mode, dir: "ralph" }).split(/^## .*$/m)) {
        expect(skill).toContain(part.trim());
      }
    }
  });
});
