import { expect, test } from "vitest";
import { missingTests, namedTests, pageOf } from "./spec-page.ts";

const PAGE = pageOf("spec-002.md");

test("every test that docs/spec-002.md names exists", () => {
  expect(missingTests(PAGE)).toEqual([]);
  expect(namedTests(PAGE).length).toBeGreaterThan(70);
});

test("every row of docs/spec-002.md names a test, or says in bold or plainly that there is none", () => {
  const rows = PAGE.split("\n").filter(
    (line) => line.startsWith("| ") && !line.startsWith("| The spec says"),
  );
  const empty = rows.filter((row) => namedTests(row).length === 0 && !row.includes("not tested"));
  expect(empty).toEqual([]);
  expect(rows.length).toBeGreaterThan(60);
});

test("every case of the spec's Testing section is there", () => {
  const testing = PAGE.slice(PAGE.indexOf("## Testing"));
  for (const wanted of [
    "immediate success (exit 0)",
    "eventual success (after N restarts)",
    "max restarts exceeded",
    "DONE file detection",
    "context cancellation",
    "fatal error",
    "restart delay",
    "Real agent execution",
    "Process group cleanup",
    "Timeout handling",
  ]) {
    expect(testing).toContain(wanted);
  }
});

test("a title that no file has is found out", () => {
  expect(missingTests("| x | `e2e/spec-001` “no such title” |")).toHaveLength(1);
  expect(missingTests("| x | `e2e/nowhere` “x” |")).toHaveLength(1);
});
