import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MESSAGE_PROMPT, messageIn } from "../../src/scm/message.ts";

describe("the message in an answer", () => {
  it.each<[name: string, answer: string, message: string | undefined]>([
    ["a single line", "Mend the parser", "Mend the parser"],
    ["a line and its newline", "Mend the parser\n", "Mend the parser"],
    ["the first line that says something", "\n \t\r\n  Mend it  \r\nMore words", "Mend it"],
    ["a tag", "Here:\n<response>Mend it</response>\nbye", "Mend it"],
    ["a tag in odd case over several lines", "<Response>\nSubject\n\nBody\n</RESPONSE>", "Subject\n\nBody"],
    ["the first of several tags", "<response>one</response><response>two</response>", "one"],
    ["an empty tag", "words <response> \n </response> words", undefined],
    ["an unclosed tag", "<response>Mend it", "<response>Mend it"],
    ["a fence", "```\nMend it\n```", "Mend it"],
    ["a fence with a language", "```text\nMend it\n```", "Mend it"],
    ["a fence in a tag", "<response>```\nMend it\n```</response>", "Mend it"],
    ["nothing", "", undefined],
    ["white space", " \n\t\n", undefined],
    ["fences alone", "```\n```", undefined],
    ["control characters", "Me\u0000nd\u0007 \u001bit\u009b\u007f\u0085", "Mend it"],
    ["a line of control characters first", "\u0000\u0007\nMend it", "Mend it"],
    ["control characters alone", "\u0000\u0007\n\u001b", undefined],
    ["a carriage return in the middle", "Mend\rit", "Mendit"],
    ["a tab", "Mend\tit", "Mend\tit"],
    ["no ASCII", "Größe 🙂", "Größe 🙂"],
  ])("of %s", (_, answer, message) => {
    expect(messageIn(answer)).toBe(message);
  });

  it("is bounded, and not cut through a character", () => {
    expect(messageIn("x".repeat(10_000))).toBe("x".repeat(2000));
    expect(messageIn(`x${"🙂".repeat(5000)}`)).toBe(`x${"🙂".repeat(999)}`);
  });

  it("never throws, is never blank, and has no control characters, whatever the answer", () => {
    const piece = fc.oneof(
      fc.constantFrom("<response>", "</response>", "```", "\n", "\r\n", " ", "word", "🙂", "\ud83d"),
      fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)),
      fc.nat({ max: 0xa0 }).map((code) => String.fromCharCode(code)),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const message = messageIn(pieces.join(""));
        if (message === undefined) return;
        expect(message).not.toMatch(/[^\P{Cc}\n\t]/u);
        expect(message.trim()).toBe(message);
        expect(message).not.toBe("");
        expect(message.length).toBeLessThanOrEqual(2000);
      }),
      { numRuns: 2000 },
    );
  });

  it("is found whenever a line has a word", () => {
    const noise = fc.array(fc.constantFrom("", " ", "\t", "\u0000", "```", "```sh"), { maxLength: 6 });
    fc.assert(
      fc.property(noise, noise, (before, after) => {
        expect(messageIn([...before, "Mend it", ...after].join("\n"))).toBe("Mend it");
      }),
    );
  });
});

describe("the question", () => {
  it("has the words of the specification", () => {
    expect(MESSAGE_PROMPT).toBe(
      "Provide a short imperative commit message for the changes. Output only the message, no explanation.",
    );
  });
});
