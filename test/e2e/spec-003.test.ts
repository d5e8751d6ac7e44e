import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { missingTests, namedTests, pageOf } from "./spec-page.ts";

const PAGE = pageOf("spec-003.md");
const ROWS = PAGE.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| The spec says"));

test("every test that docs/spec-003.md names exists", () => {
  expect(missingTests(PAGE)).toEqual([]);
  expect(namedTests(PAGE).length).toBeGreaterThan(140);
});

test("every row of docs/spec-003.md names a test", () => {
  const empty = ROWS.filter((row) => namedTests(row).length === 0);
  expect(empty).toEqual([]);
  expect(ROWS.length).toBeGreaterThan(110);
});

test("every page and every source file that docs/spec-003.md names exists", () => {
  const links = Array.from(PAGE.matchAll(/\]\(([^)]*)\)/g), (match) => `docs/${match[1]}`);
  const sources = Array.from(PAGE.matchAll(/`((?:src|plugin)\/[\w./-]+)`/g), (match) => match[1] ?? "");
  const named = [...links, ...sources];
  expect(named.filter((path) => !existsSync(new URL(`../../${path}`, import.meta.url)))).toEqual([]);
  expect(links.length).toBeGreaterThan(1);
  expect(sources.length).toBeGreaterThan(20);
});

test("every component and every item of the spec's verification plan is there", () => {
  const headings = (PAGE.match(/^## .*/gm) ?? []).join("\n");
  for (const number of ["1 and 2.", "3.", "4.", "5a.", "5b.", "6.", "7.", "8.", "9.", "10.", "11."]) {
    expect(headings).toContain(`## ${number} `);
  }
  const plan = PAGE.slice(PAGE.indexOf("## Verification plan"), PAGE.indexOf("## Open questions"));
  const items = Array.from(plan.matchAll(/^\| (\d+)\. /gm), (match) => Number(match[1]));
  expect([...new Set(items)]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  // The third item alone has three kinds of hook tests, eight of integrity and fourteen of transitions.
  expect(items.filter((item) => item === 3).length).toBeGreaterThanOrEqual(3 + 6 + 14);
});

test("a title that no file has is found out", () => {
  expect(missingTests("| x | `tasks/cycle` “no such title” |")).toHaveLength(1);
  expect(missingTests("| x | `scm/nowhere` “x” |")).toHaveLength(1);
});
