import { expect, test } from "vitest";
import { didYouMean } from "../../src/config/did-you-mean.ts";

const KNOWN = ["maximumIterations", "maximumFailures", "agent", "guardrails", "scm"];

test.each([
  ["maximumIteration", "maximumIterations"],
  ["maxIterations", "maximumIterations"],
  ["iterations", "maximumIterations"],
  ["AGENT", "agent"],
  ["agnet", "agent"],
  ["guardRail", "guardrails"],
  ["smc", "scm"],
  ["sxx", undefined],
  ["a", undefined],
  ["colour", undefined],
  ["", undefined],
])("%j suggests %j", (word, near) => {
  expect(didYouMean(word, KNOWN)).toBe(near);
});

test("a word of a megabyte is refused at once", () => {
  expect(didYouMean("a".repeat(1 << 20), KNOWN)).toBeUndefined();
});
