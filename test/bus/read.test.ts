import { once } from "node:events";
import { appendFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lastMessages, messagesFrom, parseMessages, post, readFrom } from "../../src/bus/bus.ts";
import { compose } from "../../src/bus/compose.ts";
import { READ_MOST } from "../../src/bus/message.ts";
import { costOf } from "../cost.ts";
import { bodies } from "./arbitrary.ts";
import { bodiesOf, contentOf, freshBus, saying } from "./support.ts";

describe("reading", () => {
  it("a bus that nobody has written to gives nothing", () => {
    const nothing = { messages: [], next: 0, more: false, restarted: false, skipped: 0 };
    expect(readFrom(freshBus(), 0)).toEqual(nothing);
  });

  it("goes on where the last read ended, message by message or all at once", () => {
    const path = freshBus();
    post(path, saying("one"));
    post(path, saying("two"));
    const { messages, next } = readFrom(path, 0);
    expect(bodiesOf(messages)).toEqual(["one", "two"]);
    expect(next).toBe(statSync(path).size);
    expect(bodiesOf(readFrom(path, messages[0]?.end ?? 0).messages)).toEqual(["two"]);
    expect(readFrom(path, next)).toMatchObject({ messages: [], next });
    post(path, saying("three"));
    expect(bodiesOf(readFrom(path, next).messages)).toEqual(["three"]);
  });

  it("leaves a message whose front matter is not closed for the next read", () => {
    const path = freshBus();
    post(path, saying("one"));
    appendFileSync(path, "---\ntype: ask\nfr");
    const first = readFrom(path, 0);
    expect(bodiesOf(first.messages)).toEqual(["one"]);
    appendFileSync(path, "om: me\n---\nWhich?\n");
    expect(readFrom(path, first.next).messages).toMatchObject([{ type: "ask", from: "me", body: "Which?" }]);
  });

  it("takes a body that was written by hand as it is at the end; what is added to it later is a note", () => {
    const path = freshBus();
    writeFileSync(path, "---\ntype: fact\n---\nfirst\n");
    const { messages, next } = readFrom(path, 0);
    expect(messages).toMatchObject([{ type: "fact", body: "first" }]);
    appendFileSync(path, "second\n");
    expect(readFrom(path, next).messages).toMatchObject([{ type: "note", body: "second", id: `@${next}` }]);
    expect(bodiesOf(readFrom(path, 0).messages)).toEqual(["first\nsecond"]);
  });

  it("does not hang on a message that its writer never finished", () => {
    const path = freshBus();
    post(path, saying("it was killed here, and not there", "ask"));
    truncateSync(path, statSync(path).size - 16);
    expect(readFrom(path, 0).messages).toMatchObject([{ type: "ask", body: "it was killed here," }]);
  });

  it.each([-1, Number.NaN, 0.5, Infinity])("from %d is reading from the beginning", (offset) => {
    const path = freshBus();
    post(path, saying("one"));
    expect(bodiesOf(readFrom(path, offset).messages)).toEqual(["one"]);
  });
});

describe("a message of which the system shows only the first pages yet", () => {
  it.each([0.2, 0.5, 0.9])("is waited for: %f of it are there", async (part) => {
    const path = freshBus();
    const whole = compose(saying("- one\n".repeat(8000), "ask"));
    const cut = Math.round(whole.text.length * part);
    // Another thread, since reading holds this one until the rest is there.
    const worker = new Worker(
      `const { workerData: [path, rest], parentPort } = require("node:worker_threads");
       parentPort.once("message", () => {
         Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30);
         require("node:fs").appendFileSync(path, rest);
       });
       parentPort.postMessage("ready");`,
      { eval: true, workerData: [path, whole.text.slice(cut)] },
    );
    await once(worker, "message");
    writeFileSync(path, whole.text.slice(0, cut));
    worker.postMessage("go");
    const { messages, next } = readFrom(path, 0);
    expect(messages.map(contentOf)).toEqual([whole.message]);
    expect(next).toBe(whole.text.length);
    await once(worker, "exit");
  });
});

describe("a bus that was replaced", () => {
  it("by a shorter file is read from its beginning, and that is told", () => {
    const path = freshBus();
    post(path, saying("a long message"));
    const { next } = readFrom(path, 0);
    writeFileSync(path, "");
    expect(readFrom(path, next)).toMatchObject({ messages: [], next: 0, restarted: true });
    post(path, saying("new"));
    const again = readFrom(path, next);
    expect(again.restarted).toBe(true);
    expect(bodiesOf(again.messages)).toEqual(["new"]);
    expect(readFrom(path, again.next).restarted).toBe(false);
  });

  it("by nothing is told too", () => {
    const path = freshBus();
    post(path, saying("x"));
    rmSync(path);
    expect(readFrom(path, 10)).toMatchObject({ messages: [], next: 0, restarted: true });
  });
});

describe("hostile bytes", () => {
  it("never throw, and are all read in the end", () => {
    const path = freshBus();
    const parts = fc.oneof(bodies, fc.constantFrom("---\n", "type: ask\n", "size: 4\n", "\xff", "\n"));
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 20 }), fc.nat({ max: 300 }), (some, offset) => {
        writeFileSync(path, Buffer.from(some.join("").replace(/size: 4/g, "site: 4"), "latin1"));
        const { next, more } = readFrom(path, offset);
        expect(next).toBeLessThanOrEqual(statSync(path).size);
        expect(more).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  it("of more than one piece are read in pieces, with the same result", () => {
    const path = freshBus();
    const message = (n: number) => `---\ntype: fact\n---\n${n} ${"xyz é\n".repeat(10_000)}\n`;
    const text = Array.from({ length: 100 }, (_, n) => message(n)).join("");
    writeFileSync(path, text);
    expect(readFrom(path, 0)).toMatchObject({ more: true, skipped: 0 });
    expect([...messagesFrom(path, 0)]).toEqual(parseMessages(text));
  });

  it("without end in one message are cut and marked, and what comes after them is found", () => {
    const path = freshBus();
    writeFileSync(path, "---\ntype: fact\n---\n");
    for (let n = 0; n < 5; n++) appendFileSync(path, "spam ".repeat(300_000));
    post(path, saying("still here", "ask"));
    const all = [...messagesFrom(path, 0)];
    expect(all[0]).toMatchObject({ type: "fact", truncated: true });
    expect(all[0]?.body.length).toBe(READ_MOST);
    expect(all.at(-1)).toMatchObject({ type: "ask", body: "still here" });
    expect(all.slice(1, -1).every(({ type }) => type === "note")).toBe(true);
  });

  it("by the terabyte are passed over, all but the last", () => {
    const path = freshBus();
    post(path, saying("lost"));
    truncateSync(path, 2 ** 40); // a hole: takes no room
    post(path, saying("last words", "ask"));
    const read = () => {
      expect(readFrom(path, 0).skipped).toBeGreaterThan(2 ** 39);
      expect(lastMessages(path, 1, () => true).messages).toMatchObject([{ type: "ask", body: "last words" }]);
    };
    expect(costOf(read)).toBeLessThan(20_000);
  });

  it("that lie about their size are believed only where it fits", () => {
    const path = freshBus();
    writeFileSync(
      path,
      "---\ntype: ask\nsize: 3\n---\nlonger than that\n\n---\ntype: done\nsize: 90000\n---\nx\n",
    );
    expect(bodiesOf(readFrom(path, 0).messages)).toEqual(["longer than that", "x"]);
  });
});

describe("the last messages", () => {
  it("are the last of those that are wanted", () => {
    const path = freshBus();
    for (let n = 0; n < 500; n++) post(path, saying(String(n), n % 2 === 0 ? "fact" : "note"));
    const isFact = ({ type }: { type: string }) => type === "fact";
    const { messages, next } = lastMessages(path, 3, isFact);
    expect(bodiesOf(messages)).toEqual(["494", "496", "498"]);
    expect(next).toBe(statSync(path).size);
    expect(lastMessages(path, 0, isFact).messages).toEqual([]);
    expect(lastMessages(path, 1000, isFact).messages).toHaveLength(250);
  });
});
