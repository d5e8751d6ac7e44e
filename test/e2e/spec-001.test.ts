import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const ROOT = new URL("../../", import.meta.url);
const PAGE = readFileSync(new URL("docs/spec-001.md", ROOT), "utf8");

/** The tests that the page names: a file in backquotes, then titles in quotation marks. */
function named(): { file: string; title: string }[] {
  const all: { file: string; title: string }[] = [];
  for (const cell of PAGE.split("\n").flatMap((line) => (line.startsWith("| ") ? line.split("|") : []))) {
    let file = "";
    for (const [, path, title] of cell.matchAll(/`((?:e2e|cli)\/[\w-]+)`|“([^”]+)”/g)) {
      if (path !== undefined) file = `test/${path}.test.ts`;
      if (title !== undefined) all.push({ file, title });
    }
  }
  return all;
}

test("every test that docs/spec-001.md names exists", () => {
  const missing = named().filter(({ file, title }) => {
    const path = new URL(file, ROOT);
    return file === "" || !existsSync(path) || !readFileSync(path, "utf8").includes(title);
  });
  expect(missing).toEqual([]);
  expect(named().length).toBeGreaterThan(80);
});

test("every decision that docs/spec-001.md names exists", () => {
  const links = Array.from(PAGE.matchAll(/\]\((decisions\/[^)]*)\)/g), (match) => match[1] ?? "");
  expect(links.filter((link) => !existsSync(new URL(`docs/${link}`, ROOT)))).toEqual([]);
  expect(links.length).toBeGreaterThan(8);
});
