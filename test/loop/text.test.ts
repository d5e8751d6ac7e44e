import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { truncate } from "../../src/text.ts";

const MARKER = "... [truncated]";

describe("truncate", () => {
  it.each([
    ["", 0, ""],
    ["", 5, ""],
    ["abc", 3, "abc"],
    ["abc", 4, "abc"],
    ["abcd", 3, `abc${MARKER}`],
    ["abc", 0, MARKER],
    ["a🙂b", 3, `a🙂${MARKER}`],
    ["a🙂b", 2, `a${MARKER}`],
    ["🙂", 1, MARKER],
    ["🙂", 2, "🙂"],
  ])("of %j to %i is %j", (text, limit, expected) => {
    expect(truncate(text, limit)).toEqual({ text: expected, truncated: expected.endsWith(MARKER) });
  });

  it("marks exactly what it cut, keeps a true beginning, and never splits a character", () => {
    const anyText = fc.oneof(
      fc.string({ unit: fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)) }),
      fc.string({ unit: fc.constantFrom("a", "🙂", "é") }),
    );
    fc.assert(
      fc.property(anyText, fc.nat({ max: 30 }), (text, limit) => {
        const cut = truncate(text, limit);
        expect(cut.truncated).toBe(text.length > limit);
        if (!cut.truncated) {
          expect(cut.text).toBe(text);
          return;
        }
        expect(cut.text.endsWith(MARKER)).toBe(true);
        const kept = cut.text.slice(0, -MARKER.length);
        expect(text.startsWith(kept)).toBe(true);
        expect(kept.length).toBeLessThanOrEqual(limit);
        expect(kept.length).toBeGreaterThanOrEqual(limit - 1);
        // The string's own reading of characters: none of them is half of one.
        expect(Array.from(text).slice(0, Array.from(kept).length).join("")).toBe(kept);
      }),
      { numRuns: 1000 },
    );
  });
});
