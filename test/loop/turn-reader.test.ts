import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { adapterFor } from "../../src/agents/registry.ts";
import { TurnReader } from "../../src/loop/turn-reader.ts";

const EXIT = { exitCode: 0, signal: null, nowMs: 0 };

describe("plain output", () => {
  test("is whole, whatever the chunks, as long as it is not too large", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.array(fc.integer({ min: 1, max: 5 })),
        (text, sizes) => {
          const reader = new TurnReader(adapterFor("custom"));
          const bytes = Buffer.from(text);
          let at = 0;
          for (const size of sizes) {
            reader.stdout(bytes.subarray(at, at + size));
            at += size;
          }
          reader.stdout(bytes.subarray(at));
          expect(reader.facts(EXIT).finalText).toBe(bytes.toString("utf8"));
        },
      ),
    );
  });

  test("keeps its beginning and its end when it is too large, in bounded memory", () => {
    const reader = new TurnReader(adapterFor("custom"));
    reader.stdout(Buffer.from("<response>FIRST</response>"));
    for (let n = 0; n < 400; n++) reader.stdout(Buffer.alloc(65_536, "x"));
    reader.stdout(Buffer.from("the end"));
    const { finalText } = reader.facts(EXIT);
    expect(finalText.startsWith("<response>FIRST</response>")).toBe(true);
    expect(finalText.endsWith("the end")).toBe(true);
    expect(finalText).toContain("[…]");
    expect(finalText.length).toBeLessThan(10 * 1024 * 1024);
  });

  test("is forgotten once the agent has spoken in its own format", () => {
    const reader = new TurnReader(adapterFor("claude"));
    reader.stdout(Buffer.from("<response>DONE</response>"));
    reader.add({ type: "result", ok: true, text: "not yet" });
    expect(reader.facts(EXIT).finalText).toBe("not yet");
  });
});

test("a limit that the agent gave up on is not undone by one that it tries again", () => {
  const reader = new TurnReader(adapterFor("claude"));
  reader.add({ type: "limited", scope: "quota", message: "used up", final: true });
  reader.add({ type: "limited", scope: "rate", message: "again", final: false });
  expect(reader.facts(EXIT).limited?.scope).toBe("quota");
});
