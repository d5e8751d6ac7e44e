import { expect, test } from "vitest";
import { colorWanted, createPaint } from "../../src/ui/style.ts";

test.each([
  ["always", { NO_COLOR: "1", TERM: "dumb" }, false, true],
  ["never", { FORCE_COLOR: "1" }, true, false],
  ["auto", {}, true, true],
  ["auto", {}, false, false],
  ["auto", { NO_COLOR: "1", FORCE_COLOR: "1" }, true, false],
  ["auto", { NO_COLOR: "" }, true, true],
  ["auto", { FORCE_COLOR: "1", TERM: "dumb" }, false, true],
  ["auto", { FORCE_COLOR: "0" }, true, false],
  ["auto", { TERM: "dumb" }, true, false],
] as const)("colour %s with %o on a terminal: %s", (choice, env, isTTY, wanted) => {
  expect(colorWanted(choice, env, isTTY)).toBe(wanted);
});

test("paint is undone at the end, and there is none without colour", () => {
  expect(createPaint(true).good("ok")).toBe("\u001b[32mok\u001b[39m");
  expect(createPaint(true).good("")).toBe("");
  expect(createPaint(false).good("ok")).toBe("ok");
});
