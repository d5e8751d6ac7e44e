import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseMessages } from "../../src/bus/bus.ts";
import { compose } from "../../src/bus/compose.ts";
import { READ_MOST } from "../../src/bus/message.ts";
import { parseBytes } from "../../src/bus/parse.ts";
import { costOf } from "../cost.ts";
import { bodies, newMessages } from "./arbitrary.ts";
import { contentOf, NOW } from "./support.ts";

/** What was read, without the places. */
const contents = (text: string) => parseMessages(text).map(contentOf);
const typesAndBodies = (text: string) => parseMessages(text).map(({ type, body }) => [type, body]);

describe("a message as ralph writes it", () => {
  it("is readable by people", () => {
    const { text, message } = compose({
      type: "Wait_Without_Restart",
      body: "Waiting for the user's input.",
      run: "20261115-190000-ab12cd",
      from: "agent",
      nowMs: NOW,
    });
    expect(message.id).toMatch(/^20261115T190000\.123Z-[0-9a-f]{6}$/);
    expect(text).toBe(
      `---
id: ${message.id}
at: 2026-11-15T19:00:00.123Z
type: wait_without_restart
run: 20261115-190000-ab12cd
from: agent
size: 29
---
Waiting for the user's input.

`,
    );
    expect(contents(text)).toEqual([message]);
  });

  it("comes back as it was, whatever it says and whatever stands around it", () => {
    fc.assert(
      fc.property(fc.array(newMessages, { maxLength: 8 }), (list) => {
        const composed = list.map(compose);
        const text = composed.map((one) => one.text).join("");
        expect(contents(text)).toEqual(composed.map((one) => one.message));
      }),
      { numRuns: 1000 },
    );
  });

  it("comes back also without its size, as an editor may leave it", () => {
    fc.assert(
      fc.property(fc.array(newMessages, { maxLength: 8 }), (list) => {
        const composed = list.map(compose);
        const text = composed.map((one) => one.text.replace(/^size: \d+\n/m, "")).join("");
        expect(contents(text)).toEqual(composed.map((one) => one.message));
      }),
      { numRuns: 300 },
    );
  });

  it("is the same when it is read from the end of any message before it", () => {
    fc.assert(
      fc.property(fc.array(newMessages, { minLength: 1, maxLength: 6 }), (list) => {
        const bytes = Buffer.from(list.map((one) => compose(one).text).join(""));
        const { messages } = parseBytes(bytes, 0, true);
        for (const [index, { end }] of messages.entries()) {
          expect(parseBytes(bytes.subarray(end), end, true).messages).toEqual(messages.slice(index + 1));
        }
      }),
      { numRuns: 100 },
    );
  });

  it("has values on one line and of bounded length", () => {
    const { message } = compose({ type: "note", body: "", run: "a\nb\r\n---\n", from: " \n ", nowMs: NOW });
    expect(message.run).toBe("a b ---");
    expect(message).not.toHaveProperty("from");
    const long = compose({ type: "note", body: "", run: "🙂".repeat(500), nowMs: NOW });
    expect(long.message.run).toBe("🙂".repeat(100));
  });
});

describe("a message written by hand", () => {
  it("needs no more than a type", () => {
    expect(parseMessages("---\ntype: ASK\n---\nWhich port?\n")).toEqual([
      { id: "@0", type: "ask", body: "Which port?", start: 0, end: 30 },
    ]);
  });

  it("may be sloppy: no space, no newline at the end, carriage returns, a byte order mark, no body", () => {
    expect(typesAndBodies("---\ntype:done\n---")).toEqual([["done", ""]]);
    expect(typesAndBodies("---\ntype: done\n---\nall of it")).toEqual([["done", "all of it"]]);
    expect(typesAndBodies("\ufeff---\r\nType : Done\r\n---\r\na\r\nb\r\n\r\n")).toEqual([["done", "a\r\nb"]]);
    expect(typesAndBodies("---  \ntype: a\n--- \t\nx\n---\ntype: b\n---\ny\n")).toEqual([
      ["a", "x"],
      ["b", "y"],
    ]);
  });

  it("keeps what it says of itself", () => {
    const text = "---\nid: mine\nat: 2026-11-15T20:00:00+01:00\ntype: fact\nfrom: é à\nmood: good\n---\nx\n";
    expect(contents(text)).toEqual([
      { id: "mine", at: "2026-11-15T19:00:00.000Z", type: "fact", from: "é à", body: "x" },
    ]);
    expect(contents("---\nat: yesterday\ntype: fact\nrun:\n---\nx\n")).toEqual([
      { id: "@0", type: "fact", body: "x" },
    ]);
  });

  it("may have rules and headings of Markdown in its body", () => {
    const body = "# Title\n\n---\n\nTwo\n---\nThree: not a front matter\n\n---";
    expect(typesAndBodies(`---\ntype: fact\n---\n${body}\n`)).toEqual([["fact", body.slice(0, -5)]]);
    expect(typesAndBodies(`---\ntype: fact\n---\n${body}\n\n---\ntype: ask\n---\nb`)).toEqual([
      ["fact", body],
      ["ask", "b"],
    ]);
  });

  it("may end with a fence of its own", () => {
    const one = "---\ntype: fact\n---\nStatus: ok\n---\n";
    expect(typesAndBodies(`${one}${one}`).map(([type]) => type)).toEqual(["fact", "fact"]);
  });
});

describe("text that is no message", () => {
  it("is a note, before the first message and after one that says its size", () => {
    const { text } = compose({ type: "done", body: "yes", nowMs: NOW });
    expect(typesAndBodies(`\n# The bus\nHello.\n\n${text}\nby the way\n\n${text}`)).toEqual([
      ["note", "# The bus\nHello."],
      ["done", "yes"],
      ["note", "by the way"],
      ["done", "yes"],
    ]);
  });

  it.each([
    ["no type", "---\nid: x\n---\nhello\n"],
    ["a type that is none", "---\ntype: wait for me\n---\nhello\n"],
    ["no key", "---\nhello\n---\n"],
    ["a blank line inside", "---\ntype: ask\n\n---\nhello\n"],
    ["no end", `---\ntype: ask\n${"a: b\n".repeat(10_000)}---\nhello\n`],
  ])("includes a front matter with %s", (_, text) => {
    expect(parseMessages(text).map(({ type }) => type)).toEqual(["note"]);
  });

  it("is nothing when it is blank or a fence", () => {
    const { text } = compose({ type: "done", body: "yes", nowMs: NOW });
    for (const nothing of ["", "\n", " \r\n\t\n", "\n---\n\n"]) {
      expect(typesAndBodies(`${nothing}${text}${nothing}${text}`)).toEqual([
        ["done", "yes"],
        ["done", "yes"],
      ]);
    }
  });
});

describe("a message under way", () => {
  it("is left alone until its front matter is closed", () => {
    const whole = Buffer.from("---\ntype: ask\nfrom: a\n---\n");
    for (let cut = 1; cut <= whole.length; cut++) {
      const { messages, consumed } = parseBytes(whole.subarray(0, cut), 0, true);
      const isClosed = cut >= whole.length - 1; // the newline after the last fence may be missing
      expect(messages).toHaveLength(isClosed ? 1 : 0);
      expect(consumed).toBe(isClosed ? cut : 0);
    }
  });

  it("of ours is known to be short at any byte before its end, and never after it", () => {
    fc.assert(
      fc.property(newMessages, fc.nat(), (message, place) => {
        const bytes = Buffer.from(compose(message).text);
        const cut = place % bytes.length;
        const { messages, consumed, isShort } = parseBytes(bytes.subarray(0, cut), 0, true);
        expect(isShort || (messages.length === 0 && consumed === 0)).toBe(true);
        expect(parseBytes(bytes, 0, true)).toMatchObject({ consumed: bytes.length, isShort: false });
      }),
      { numRuns: 1000 },
    );
  });
});

describe("any bytes", () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 500 }).map((one) => Buffer.from(one)),
    fc
      .array(fc.oneof(bodies, fc.constantFrom("---\n", "type: ask\n", "size: 4\n", "\xff", "\n")), {
        maxLength: 20,
      })
      .map((parts) => Buffer.from(parts.join(""), "latin1")),
  );

  it("give messages in order that never overlap, within what was consumed", () => {
    fc.assert(
      fc.property(bytes, fc.boolean(), fc.nat({ max: 2 ** 40 }), (some, atEnd, base) => {
        const { messages, consumed } = parseBytes(some, base, atEnd);
        let at = base;
        for (const { start, end, id, type } of messages) {
          expect(start).toBeGreaterThanOrEqual(at);
          expect(end).toBeGreaterThan(start);
          expect(id).not.toBe("");
          expect(type).toBe(type.toLowerCase());
          at = end;
        }
        expect(base + consumed).toBeGreaterThanOrEqual(at);
        expect(consumed).toBeLessThanOrEqual(some.length);
        if (!atEnd && some.length > 100_000) expect(consumed).toBeGreaterThan(0);
      }),
      { numRuns: 2000 },
    );
  });

  it("never make it slow", () => {
    const mebibytes = (text: string) => text.repeat(Math.ceil((2 * 1024 * 1024) / text.length));
    const traps = [
      "---\n",
      "---\na: b\n",
      "---\ntype: a\n---\n",
      "-",
      "\\",
      " ",
      "\n",
      "--- ",
      "---\t\r\n",
      "a:\n",
    ];
    for (const trap of traps) {
      for (const text of [
        mebibytes(trap),
        `---\n${mebibytes(trap)}`,
        `---\ntype: a\n---\n${mebibytes(trap)}`,
      ]) {
        expect(
          costOf(() => parseMessages(text)),
          JSON.stringify(trap),
        ).toBeLessThan(3000);
      }
    }
  });

  it("too many for one message are cut, at a whole character, and it says so", () => {
    const [message] = parseMessages(`---\ntype: fact\n---\nx${"é".repeat(READ_MOST)}\n`);
    expect(message).toMatchObject({ type: "fact", truncated: true });
    expect(message?.body).toBe(`x${"é".repeat(READ_MOST / 2 - 1)}`);
  });
});
