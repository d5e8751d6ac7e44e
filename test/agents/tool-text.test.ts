import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { oneLine, outputHead, summaryOf } from "../../src/agents/tool-text.ts";

describe("the summary of a tool call", () => {
  it.each<[unknown, string]>([
    [{ command: "ls -l", description: "list" }, "ls -l"],
    [{ file_path: "/a/b.ts", content: "long" }, "/a/b.ts"],
    [{ pattern: "TODO", path: "" }, "TODO"],
    [{ description: "look", prompt: "look at it" }, "look"],
    [{ command: "one\n\ttwo\u001b[31m three" }, "one two [31m three"],
    [{ command: "" }, "command="],
    [{ taskId: "3", done: true, n: 4, deep: { x: 1 }, list: [1, 2] }, "taskId=3 done=true n=4 list (2)"],
    ["bare words", "bare words"],
    [null, ""],
    [["a"], ""],
    [{}, ""],
  ])("%j: %j", (input, summary) => {
    expect(summaryOf(input)).toBe(summary);
  });

  it("is one line of at most 200 characters, whatever the arguments", () => {
    fc.assert(
      fc.property(fc.anything(), (input) => {
        const summary = summaryOf(input);
        expect(summary.length).toBeLessThanOrEqual(200);
        expect(summary).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
      }),
    );
  });

  it("shows that it was cut, and cuts no character in two", () => {
    expect(oneLine("x".repeat(201))).toBe(`${"x".repeat(199)}…`);
    expect(oneLine("x".repeat(200))).toBe("x".repeat(200));
    const cut = oneLine(`${"x".repeat(198)}\u{1f600}\u{1f600}`);
    expect(cut).toBe(`${"x".repeat(198)}…`);
    expect(oneLine(" ".repeat(5000))).toBe("…");
  });
});

describe("the head of an output", () => {
  it.each<[string, number, number]>([
    ["", 0, 0],
    ["a", 1, 1],
    ["a\n", 1, 2],
    ["a\nb", 2, 3],
    ["\n\n", 2, 2],
  ])("%j has %d lines and %d characters", (text, lines, chars) => {
    expect(outputHead(text)).toEqual({ output: text, lines, chars });
  });

  it("keeps 16 KiB at most and counts the whole", () => {
    const text = "äöü\n".repeat(10_000);
    const head = outputHead(text);
    expect(Buffer.byteLength(head.output)).toBeLessThanOrEqual(16 * 1024);
    expect(Buffer.byteLength(head.output)).toBeGreaterThan(16 * 1024 - 4);
    expect(text.startsWith(head.output)).toBe(true);
    expect(head).toMatchObject({ lines: 10_000, chars: 40_000 });
  });

  it("is always the beginning of the text", () => {
    const long = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 8 })
      .map((word) => word.repeat(9000 / word.length));
    fc.assert(
      fc.property(long, (text) => {
        const head = outputHead(text);
        return text.startsWith(head.output) && Buffer.byteLength(head.output) <= 16 * 1024;
      }),
    );
  });
});
