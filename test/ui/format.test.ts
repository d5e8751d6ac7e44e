import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  count,
  formatClock,
  formatCountdown,
  formatDuration,
  formatMoment,
  formatMoney,
  formatTokens,
} from "../../src/ui/format.ts";

test.each([
  [0, "0"],
  [950, "950"],
  [999, "999"],
  [1000, "1K"],
  [1234, "1.2K"],
  [9949, "9.9K"],
  [9950, "10K"],
  [45_000, "45K"],
  [850_000, "850K"],
  [999_499, "999K"],
  [999_500, "1M"],
  [1_200_000, "1.2M"],
  [3_400_000_000, "3.4B"],
  [5e18, "5000000T"],
])("%d tokens are %s", (tokens, text) => expect(formatTokens(tokens)).toBe(text));

test.each([
  [0, "0ms"],
  [850, "850ms"],
  [999.7, "1s"],
  [1234, "1.2s"],
  [9960, "10s"],
  [45_000, "45s"],
  [59_700, "1m0s"],
  [367_000, "6m7s"],
  [3_599_600, "1h00m"],
  [3_720_000, "1h02m"],
  [93_900_000, "26h05m"],
])("%d ms are %s", (ms, text) => expect(formatDuration(ms)).toBe(text));

test.each([
  [0, "$0.00"],
  [0.00001, "<$0.0001"],
  [0.0042, "$0.0042"],
  [0.00997, "$0.01"],
  [0.0235, "$0.02"],
  [5.764, "$5.76"],
])("%d dollars are %s", (usd, text) => expect(formatMoney(usd)).toBe(text));

test("counts, times of day and moments", () => {
  const noon = new Date(2026, 2, 1, 12, 5, 9).getTime();
  expect([count(0, "gate"), count(1, "gate"), count(2, "gate")]).toEqual(["0 gates", "1 gate", "2 gates"]);
  expect(formatClock(noon)).toBe("12:05:09");
  expect(formatClock(Number.NaN)).toBe("--:--:--");
  expect(formatMoment(noon, noon)).toBe("12:05:09");
  expect(formatMoment(noon + 86_400_000, noon)).toBe("2026-03-02 12:05:09");
  expect(formatMoment(1e300, noon)).toBe("an unknown time");
});

/** The number that a reader takes from the text: what is more must never read as less. */
function readTokens(text: string): number {
  const scale = { "": 1, K: 1e3, M: 1e6, B: 1e9, T: 1e12 }[/[A-Z]?$/.exec(text)?.[0] ?? ""] ?? Number.NaN;
  return Number.parseFloat(text) * scale;
}

function readDuration(text: string): number {
  const scale: Record<string, number> = { ms: 1, s: 1e3, m: 6e4, h: 36e5 };
  const parts = [...text.matchAll(/([\d.]+)(ms|s|m|h)/g)];
  return parts.reduce((sum, [, number, unit]) => sum + Number(number) * (scale[unit ?? ""] ?? Number.NaN), 0);
}

describe("whatever the number", () => {
  const anything = fc.oneof(
    fc.double(),
    fc.integer(),
    fc.double({ min: 0, max: 1e9 }),
    fc.double({ min: 0, max: 1 }),
  );

  test("the texts have their shape and are never NaN", () => {
    fc.assert(
      fc.property(anything, (value) => {
        expect(formatTokens(value)).toMatch(/^\d+(?:\.\d)?[KMBT]?$|^[\d.]+e\+\d+T$/);
        expect(formatDuration(value)).toMatch(/^(?:\d+ms|\d(?:\.\d)?s|\d+s|\d+m\d+s|[\d.e+]+h\d\dm)$/);
        expect(formatMoney(value)).toMatch(/^<?\$[\d.e+]+$/);
      }),
    );
  });

  const amount = fc.oneof(
    fc.double({ min: 0, max: 1e13, noNaN: true }),
    fc.double({ min: 0, max: 1e5, noNaN: true }),
  );

  test("more never reads as less, and is never far off", () => {
    fc.assert(
      fc.property(amount, amount, (a, b) => {
        const [less, more] = a < b ? [a, b] : [b, a];
        expect(readTokens(formatTokens(less))).toBeLessThanOrEqual(readTokens(formatTokens(more)));
        expect(readDuration(formatDuration(less))).toBeLessThanOrEqual(readDuration(formatDuration(more)));
        expect(Math.abs(readTokens(formatTokens(less)) - less)).toBeLessThanOrEqual(0.5 + less * 0.05);
        expect(Math.abs(readDuration(formatDuration(less)) - less)).toBeLessThanOrEqual(0.5 + less * 0.05);
      }),
    );
  });

  test("money never reads as less either", () => {
    const read = (text: string) => (text.startsWith("<") ? 0.00005 : Number(text.slice(1)));
    const dollars = fc.oneof(
      fc.double({ min: 0, max: 1000, noNaN: true }),
      fc.double({ min: 0, max: 0.02, noNaN: true }),
    );
    fc.assert(
      fc.property(dollars, dollars, (a, b) => {
        expect(read(formatMoney(Math.min(a, b)))).toBeLessThanOrEqual(read(formatMoney(Math.max(a, b))));
      }),
    );
  });
});

test.each([
  [-5, "0s"],
  [Number.NaN, "0s"],
  [1, "1s"],
  [45_000, "45s"],
  [59_001, "1m 00s"],
  [723_000, "12m 03s"],
  [3_723_000, "1h 02m 03s"],
  [93_900_000, "26h 05m 00s"],
])("%d ms left are %s", (ms, text) => expect(formatCountdown(ms)).toBe(text));
