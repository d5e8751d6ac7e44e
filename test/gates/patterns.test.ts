import { expect, test } from "vitest";
import { namedFiles, readPatterns } from "../../src/gates/patterns.ts";

const PATTERNS = [
  "test/**",
  "conf",
  "./deep/*.json",
  "a\\#b",
  "package.json#scripts",
  "p.json#/a.b/c~1d",
  "!test/notes/",
];

test.each([
  ["test/a.js", "whole"],
  ["test", "whole"],
  ["test/.hidden/x", "whole"],
  ["test/a\nb.js", "whole"],
  ["test/\udc80", "whole"],
  ["conf", "whole"],
  ["conf/below/it", "whole"],
  ["deep/a.json", "whole"],
  ["deep/a.json/in/its/place", "whole"],
  ["a#b", "whole"],
  ["package.json", [["scripts"]]],
  ["p.json", [["a.b", "c/d"]]],
  ["test/notes", undefined],
  ["test/notes/mine.md", undefined],
  ["testing/a.js", undefined],
  ["sub/test/a.js", undefined],
  ["deep/er/a.json", undefined],
  ["Conf", undefined],
])("%j", (path, wanted) => {
  expect(readPatterns(PATTERNS)(path)).toEqual(wanted);
});

test("a file of which a key and all is meant is meant whole", () => {
  expect(readPatterns(["package.json#scripts", "*.json"])("package.json")).toBe("whole");
  expect(readPatterns(["package.json#a", "package.json#b.c"])("package.json")).toEqual([["a"], ["b", "c"]]);
});

test("files are named by patterns without wildcards", () => {
  expect(namedFiles([...PATTERNS, "odd \\(1\\)\\*.sh"])).toEqual([
    "conf",
    "a#b",
    "package.json",
    "p.json",
    "odd (1)*.sh",
  ]);
});
