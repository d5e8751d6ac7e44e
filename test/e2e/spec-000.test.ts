import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { missingTests, namedTests, pageOf } from "./spec-page.ts";

const PAGE = pageOf("spec-000.md");
const ROWS = PAGE.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| The spec says"));

test("every test that docs/spec-000.md names exists", () => {
  expect(missingTests(PAGE)).toEqual([]);
  expect(namedTests(PAGE).length).toBeGreaterThan(70);
});

test("every row of docs/spec-000.md names a test", () => {
  expect(ROWS.filter((row) => namedTests(row).length === 0)).toEqual([]);
  expect(ROWS.length).toBeGreaterThan(45);
});

test("every page that docs/spec-000.md links to exists", () => {
  const links = Array.from(PAGE.matchAll(/\]\(([^)]*)\)/g), (match) => match[1] ?? "");
  expect(links.filter((link) => !existsSync(new URL(`../../docs/${link}`, import.meta.url)))).toEqual([]);
  expect(links.length).toBeGreaterThan(0);
});

/** What the spec names, in its own words. */
const NAMED = [
  "test_pass build_success lint_clean type_check custom",
  "maxIterations maxDurationMs noProgressThreshold max_iterations max_duration no_progress",
  "SuccessJudgment success reason suggestions?",
  "id sessionId task criteria status iterations noProgressCount startedAt endedAt? snapshotPath lastOutput?",
  "observation.loopRunId observation.iteration",
].flatMap((names) => names.split(" "));

const COMMANDS = ["start <task>", "start <task> --criteria <type>", "stop", "status", "rollback"];

test("every criterion, stop condition, field and command of the spec is there", () => {
  const told = ROWS.map((row) => row.split("|")[1] ?? "").join("\n");
  const wanted = NAMED.concat(COMMANDS.map((command) => `/ralph ${command}`));
  expect(wanted.filter((name) => !told.includes(`\`${name}\``))).toEqual([]);
});
