import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { claimHint, readClaims, withoutEcho } from "../../src/claims/tags.ts";
import { messageIn } from "../../src/scm/message.ts";
import { costOf } from "../cost.ts";

describe("readClaims", () => {
  it.each<[name: string, text: string, response: string | undefined]>([
    ["a plain tag", "All good. <response>DONE</response>", "DONE"],
    ["the first of several", "<response>NOT YET</response> later <response>DONE</response>", "NOT YET"],
    ["a tag in odd case", "<ReSpOnSe>done</RESPONSE>", "done"],
    ["several lines", "<response>\nDONE\nreally\n</response>", "DONE\nreally"],
    ["white space around", "<response> \t\r\n DONE \n</response>", "DONE"],
    ["nothing inside", "<response></response>", ""],
    ["white space inside", "<response> \n </response>", ""],
    ["empty first, full second", "<response></response><response>DONE</response>", ""],
    ["one inside another", "<response><response>DONE</response></response>", "<response>DONE"],
    ["an unclosed tag", "<response>DONE", undefined],
    ["a close without an opening", "DONE</response>", undefined],
    ["a close before the opening", "</response>DONE<response>", undefined],
    ["an unclosed tag before a whole one", "<response>a <response>DONE</response>", "a <response>DONE"],
    ["a tag with attributes", '<response kind="x">DONE</response>', undefined],
    ["a tag with spaces", "< response >DONE</ response >", undefined],
    ["another tag", "<responses>DONE</responses>", undefined],
    ["no tag", "DONE", undefined],
    ["nothing", "", undefined],
    ["letters that grow in lower case", "İİİ<response>DONE</response>İ", "DONE"],
    ["letters that only look like the tag", "<reſponse>DONE</reſponse>", undefined],
    ["as much as a claim may hold", `<response>${"x".repeat(4096)}</response>`, "x".repeat(4096)],
    ["more than a claim may hold", `<response>${"x".repeat(4097)}</response>`, undefined],
  ])("takes %s", (_, text, response) => {
    expect(readClaims(text)).toEqual(response === undefined ? {} : { response });
  });

  it("takes what a person must do, unless nothing is named", () => {
    expect(readClaims("<blocked> an API key \n</blocked>")).toEqual({ blocked: "an API key" });
    expect(readClaims("<blocked> \n</blocked>")).toEqual({});
    expect(readClaims("<blocked>a key</blocked><response>DONE</response>")).toEqual({
      response: "DONE",
      blocked: "a key",
    });
  });

  it("finds the first tag in any text around it", () => {
    const noise = fc.string({ unit: fc.constantFrom("<", ">", "/", "response", "İ", "\n", "a", "🙂", " ") });
    fc.assert(
      fc.property(noise, noise, fc.stringMatching(/^[a-z ]{0,20}$/), (before, after, word) => {
        fc.pre(!before.includes("<response>"));
        expect(readClaims(`${before}<Response>${word}</response>${after}`)).toEqual({
          response: word.trim(),
        });
      }),
    );
  });
});

/** What a call costs; over the limit it is given two more tries. */
function leastCostOf(call: () => unknown, limitMs: number): number {
  let bestMs = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 3 && bestMs >= limitMs; tries++) bestMs = Math.min(bestMs, costOf(call));
  return bestMs;
}

describe("hostile text", () => {
  const floods: [name: string, piece: string][] = [
    ["opened and never closed", "<response>"],
    ["closed and never opened", "</response>"],
    ["half-open tags", "<respons<blocked"],
    ["white space", " \n"],
    ["fences", "```\n"],
  ];
  const readers: [name: string, read: (text: string) => unknown][] = [
    ["readClaims", readClaims],
    ["messageIn", messageIn],
    ["withoutEcho", (text) => withoutEcho(text, "say <response>DONE</response>")],
  ];
  const cases = floods.flatMap(([what, piece]) =>
    readers.map(([name, read]) => ({ what, piece, name, read })),
  );

  it.each(cases)("of 5 MB, $what, costs $name no more than its share", ({ piece, read }) => {
    // Five times the text is five times the work, or twenty-five when it is quadratic. The floor keeps tiny times from
    // being divided, and the small sizes come first so that quadratic fails in a second instead of in an hour.
    let limitMs = 120;
    for (const size of [200_000, 1_000_000, 5_000_000]) {
      const text = piece.repeat(size / piece.length);
      const tookMs = leastCostOf(() => read(text), limitMs);
      expect(tookMs).toBeLessThan(limitMs);
      limitMs = Math.max(10, tookMs) * 12;
    }
  });
});

describe("withoutEcho", () => {
  const prompt = "Do it.\nThen, and only then, say <response>DONE</response>.\n";

  it.each<[name: string, output: string, response: string | undefined]>([
    ["an answer without a claim", "working\n", undefined],
    ["an echo of the whole prompt", `$ agent\n${prompt}I cannot.`, undefined],
    ["an echo on a line of its own making", `You asked: ${prompt}`, undefined],
    ["an echo that came twice", `${prompt}${prompt}end`, undefined],
    [
      "an echo that is quoted line by line",
      "> Do it.\n> Then, and only then, say <response>DONE</response>.\n",
      undefined,
    ],
    [
      "one line of the prompt that says more than the tag",
      "| Then, and only then, say <response>DONE</response>.",
      undefined,
    ],
    ["an echo and an honest claim", `${prompt}<response>DONE</response>`, "DONE"],
    [
      "an echo, quoted, and an honest claim",
      `> Do it.\n> Then, and only then, say <response>DONE</response>.\nAll done: <response>DONE</response>`,
      "DONE",
    ],
    ["an echo that is folded", "Do it. Then, and only\nthen, say\n<response>DONE</response>.\n", undefined],
    ["an echo in capitals", prompt.toUpperCase(), undefined],
    ["an honest claim alone", "All is well. <response>DONE</response>", "DONE"],
  ])("takes %s for what it is", (_, output, response) => {
    expect(readClaims(withoutEcho(output, prompt))).toEqual(response === undefined ? {} : { response });
  });

  it("leaves the very line that the prompt asked for", () => {
    const asked = "Mend it. When done, say on a line of its own:\n<response>DONE</response>";
    expect(readClaims(withoutEcho("<response>DONE</response>", asked))).toEqual({ response: "DONE" });
    expect(readClaims(withoutEcho(asked, asked))).toEqual({});
    expect(readClaims(withoutEcho(asked.replace(/^/gm, "> "), asked))).toEqual({});
  });

  it("changes nothing for a prompt that says nothing", () => {
    expect(withoutEcho("a b", " \n")).toBe("a b");
  });
});

describe("claimHint", () => {
  it("names the word", () => {
    expect(claimHint("FERTIG", "Mend it.")).toContain("<response>FERTIG</response>");
  });

  it.each([
    ["", "Mend it."],
    ["  ", "Mend it."],
    ["DONE", "Say <RESPONSE>DONE</RESPONSE>."],
  ])("is silent for the word %j and the prompt %j", (word, prompt) => {
    expect(claimHint(word, prompt)).toBeUndefined();
  });
});
