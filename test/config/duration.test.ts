import fc from "fast-check";
import { expect, test } from "vitest";
import { formatDuration, parseDuration } from "../../src/config/duration.ts";

test.each([
  ["500ms", 500],
  ["5s", 5000],
  ["1.5s", 1500],
  ["0.001s", 1],
  ["10m", 600_000],
  ["2h", 7_200_000],
  ["1h30m", 5_400_000],
  ["1h2m3s4ms", 3_723_004],
])("%s is %d ms", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each([
  "",
  "5",
  "s",
  "0s",
  "0h0m",
  "-5s",
  "5 s",
  "5S",
  "5d",
  "1m1h",
  "100h",
  "1e3s",
  ".5s",
  "5s\n",
  "1.5ms",
])("%j is no duration", (text) => {
  expect(parseDuration(text)).toBeUndefined();
});

test.each([
  [1, "1ms"],
  [1500, "1.5s"],
  [60_000, "1m"],
  [600_000, "10m"],
  [5_400_000, "1h30m"],
  [3_661_001, "1h1m1.001s"],
])("%d ms is written %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test("what is written can be read back", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 * 3_600_000 - 1 }), (ms) => {
      expect(parseDuration(formatDuration(ms))).toBe(ms);
    }),
  );
});

test("no duration is longer than a timer can wait", () => {
  expect(parseDuration("99.999h9999.999m999999.999s99999999ms")).toBeLessThan(2 ** 31);
});
