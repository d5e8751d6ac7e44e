import fc from "fast-check";
import { expect, test } from "vitest";
import { clean, cleanLine, cut } from "../../src/ui/clean.ts";
import { costOf } from "../cost.ts";
import { hostile } from "./arbitrary.ts";

test.each([
  ["plain text\twith a tab\n", "plain text\twith a tab\n"],
  ["\u001b[1;31mred\u001b[0m", "red"],
  ["\u001b[2J\u001b[Hgone", "gone"],
  ["\u009b31mred", "red"],
  ["\u001b]0;title\u0007text", "text"],
  ["\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\", "link"],
  ["\u001bPq#0\u001b\\text", "text"],
  ["\u009dtitle\u009ctext", "text"],
  ["\u001bcreset", "reset"],
  ["\u001b(Bascii", "ascii"],
  ["one\rtwo\r\nthree", "one\ntwo\nthree"],
  ["abc\b\b\u0007\u0000\u007f\u0085", "abc"],
  ["a\u202eb\u2066c\u2069", "abc"],
  ["never ended \u001b]0;title", "never ended 0;title"],
  ["ends in \u001b", "ends in "],
  ["👩‍💻 naïve العربية", "👩‍💻 naïve العربية"],
])("%j becomes %j", (text, safe) => expect(clean(text)).toBe(safe));

test("one line, within its length, without half a character", () => {
  expect(cleanLine("  a\n\tb \u001b[31mc  ", 10, "…")).toBe("a b c");
  expect(cleanLine("abcdef", 3, "…")).toBe("abc…");
  expect(cleanLine(`a${" ".repeat(100)}b`, 3, "…")).toBe("a…");
  expect(cut("ab🙂", 3)).toBe("ab");
});

test("whatever the text: no control is left, cleaning again changes nothing", () => {
  fc.assert(
    fc.property(hostile, fc.nat(50), (text, max) => {
      expect(clean(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      expect(clean(clean(text))).toBe(clean(text));
      const line = cleanLine(text, max, "…");
      expect(line).not.toMatch(/[\n\t]/);
      expect(line.length).toBeLessThanOrEqual(max + 1);
    }),
  );
});

test("megabytes of unfinished sequences take no time", () => {
  const pieces = ["\u001b]", "\u009d", "\u001b[", "\u009b1;", "\u001bP\u001b", "\u001b(((", "\r"];
  const clear = () => {
    for (const piece of pieces) {
      clean(piece.repeat(300_000));
      clean(piece + "1;".repeat(500_000));
    }
  };
  expect(costOf(clear)).toBeLessThan(5000);
});
