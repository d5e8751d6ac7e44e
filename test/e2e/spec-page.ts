import { existsSync, readFileSync } from "node:fs";

const ROOT = new URL("../../", import.meta.url);

/** The tests that a page about a specification names: a file in backquotes, then titles in quotation marks. */
export function namedTests(page: string): { file: string; title: string }[] {
  const all: { file: string; title: string }[] = [];
  const cells = page.split("\n").flatMap((line) => (line.startsWith("| ") ? line.split("|").slice(2) : []));
  for (const cell of cells) {
    let file = "";
    for (const [, path, title] of cell.matchAll(
      /`((?:e2e|cli|config|guard|sandbox|supervise|loop|gates|snapshot|receipt|ui|tasks|scm|claims|hooks|real-agents)\/[\w.-]+)`|“([^”]+)”/g,
    )) {
      if (path !== undefined) file = `test/${path}.test.ts`;
      // Words in quotation marks before any file are the page's own.
      if (title !== undefined && file !== "") all.push({ file, title });
    }
  }
  return all;
}

/** Those of them that do not exist. */
export function missingTests(page: string): { file: string; title: string }[] {
  return namedTests(page).filter(({ file, title }) => {
    const path = new URL(file, ROOT);
    return !existsSync(path) || !readFileSync(path, "utf8").includes(title);
  });
}

/** The text of a page in `docs/`. */
export function pageOf(name: string): string {
  return readFileSync(new URL(`docs/${name}`, ROOT), "utf8");
}
