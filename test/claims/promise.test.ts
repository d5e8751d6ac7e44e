import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { promiseHint, promiseIn, promiseMarker } from "../../src/claims/promise.ts";

const line = { promise: "DONE", promiseLine: true };

describe("a promise on a line of its own", () => {
  it.each([
    ["<promise>DONE</promise>", true],
    ["text\n  <promise>DONE</promise>  \nmore", true],
    ["text\r\n<promise>DONE</promise>\r\nmore", true],
    ["**<promise>DONE</promise>**", true],
    ["`<promise>DONE</promise>`", true],
    ["I will not say <promise>DONE</promise> yet", false],
    ["> <promise>DONE</promise>", false],
    ["- <promise>DONE</promise>", false],
    ["<promise>DONE</promise>.", false],
    ["<promise>DONE</promise><promise>DONE</promise>", false],
    ["<promise>\nDONE\n</promise>", false],
  ])("%j: %s", (text, found) => {
    expect(promiseIn(text, line)).toBe(found);
  });
});

const words = fc.string({ minLength: 1, maxLength: 12 }).filter((one) => !/[\r\n]/.test(one));

test("is found wherever it stands, whatever characters it is made of", () => {
  fc.assert(
    fc.property(words, fc.string(), fc.string(), (promise, before, after) => {
      expect(promiseIn(before + promiseMarker(promise) + after, { promise })).toBe(true);
      expect(
        promiseIn(`${before}\n${promiseMarker(promise)}\n${after}`, { promise, promiseLine: true }),
      ).toBe(true);
    }),
  );
});

test("is not found in a text that does not hold it letter for letter", () => {
  fc.assert(
    fc.property(words, words, (promise, other) => {
      fc.pre(promise !== other);
      expect(promiseIn(promiseMarker(other), { promise })).toBe(false);
      expect(promiseIn(promise, { promise })).toBe(false);
      expect(promiseIn(`<promise> ${promise}</promise>`, { promise })).toBe(promise === ` ${promise}`);
    }),
  );
});

test("on a line of its own is one that is there", () => {
  fc.assert(
    fc.property(words, fc.string(), (promise, text) => {
      if (promiseIn(text, { promise, promiseLine: true })) expect(promiseIn(text, { promise })).toBe(true);
    }),
  );
});

test("that is empty is never found, and is nothing to tell about", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(promiseIn(`${text}<promise></promise>`, { promise: "" })).toBe(false);
      expect(promiseIn(text, {})).toBe(false);
      expect(promiseHint({ promise: "" }, text)).toBeUndefined();
    }),
  );
});

test("an agent is told how to promise, unless its prompt says so", () => {
  expect(promiseHint({ promise: "DONE" }, "Fix it")).toContain("<promise>DONE</promise>");
  expect(promiseHint({ promise: "DONE" }, "End with <promise>DONE</promise>")).toBeUndefined();
  expect(promiseHint(line, "Fix it")).toContain("line of its own");
});
