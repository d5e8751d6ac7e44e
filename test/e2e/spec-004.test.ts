import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { missingTests, namedTests, pageOf } from "./spec-page.ts";

const PAGE = pageOf("spec-004.md");
const ROWS = PAGE.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| The spec says"));

test("every test that docs/spec-004.md names exists", () => {
  expect(missingTests(PAGE)).toEqual([]);
  expect(namedTests(PAGE).length).toBeGreaterThan(80);
});

test("every row of docs/spec-004.md names a test", () => {
  expect(ROWS.filter((row) => namedTests(row).length === 0)).toEqual([]);
  expect(ROWS.length).toBeGreaterThan(45);
});

test("every page and every source file that docs/spec-004.md names exists", () => {
  const links = Array.from(PAGE.matchAll(/\]\(([^)#]*)[^)]*\)/g), (match) => `docs/${match[1]}`);
  const sources = Array.from(PAGE.matchAll(/`((?:src|plugin)\/[\w./-]+)`/g), (match) => match[1] ?? "");
  const named = [...links, ...sources];
  expect(named.filter((path) => !existsSync(new URL(`../../${path}`, import.meta.url)))).toEqual([]);
  expect(links.length).toBeGreaterThan(1);
  expect(sources.length).toBeGreaterThan(10);
});

test("each of the five acceptance tests is shown with the hooks alone and with the real agents", () => {
  const section = PAGE.slice(PAGE.indexOf("## Acceptance tests"), PAGE.indexOf("## Minimal"));
  const rows = section.split("\n").filter((line) => /^\| \d\. /.test(line));
  expect(rows.map((row) => row[2])).toEqual(["1", "2", "3", "4", "5"]);
  for (const row of rows)
    expect(namedTests(row).map(({ file }) => file)).toEqual([
      "test/hooks/loop.test.ts",
      "test/real-agents/plugin.test.ts",
    ]);
});
