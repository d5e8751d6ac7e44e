import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineCutter, LONGEST_LINE_BYTES } from "../../src/supervise/lines.ts";

type Said = string | { readonly head: string; readonly cutBytes: number };

/** What a cutter says about these chunks. */
function cut(chunks: readonly Buffer[], limitBytes?: number): Said[] {
  const said: Said[] = [];
  const sink = {
    line: (text: string) => void said.push(text),
    oversize: (head: string, cutBytes: number) => void said.push({ head, cutBytes }),
  };
  const cutter = limitBytes === undefined ? new LineCutter(sink) : new LineCutter(sink, limitBytes);
  for (const chunk of chunks) cutter.write(chunk);
  cutter.end();
  return said;
}

/** The same, worked out on the whole. */
function cutWhole(bytes: Buffer, limitBytes: number): Said[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  if (start < bytes.length) lines.push(bytes.subarray(start));
  return lines.map((line) => {
    if (line.length > limitBytes) {
      return { head: line.toString("utf8", 0, limitBytes), cutBytes: line.length - limitBytes };
    }
    return line.toString("utf8").replace(/\r$/, "");
  });
}

/** Bytes that are mostly lines of text, with what breaks careless cutters. */
const anyBytes = fc
  .array(
    fc.oneof(
      fc
        .constantFrom("\n", "\r\n", "\r", "\n\n", "é", "🙂", "\u2028", "{}", "\u0000", "abc")
        .map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes)),
    ),
    { maxLength: 40 },
  )
  .map((parts) => Buffer.concat(parts));

function chunksOf(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...cuts.map((place) => place % (bytes.length + 1)), 0, bytes.length].sort((a, b) => a - b);
  return places.slice(1).map((place, index) => Buffer.from(bytes.subarray(places[index], place)));
}

describe("lines", () => {
  it.each<[name: string, chunks: string[], lines: string[]]>([
    ["nothing", [], []],
    ["empty chunks", ["", ""], []],
    ["a last line without a newline", ["a\nb"], ["a", "b"]],
    ["a last line with one", ["a\nb\n"], ["a", "b"]],
    ["empty lines", ["\n\na\n\n"], ["", "", "a", ""]],
    ["a newline at the edge", ["a", "\n", "b"], ["a", "b"]],
    ["CRLF", ["a\r\nb\r\n"], ["a", "b"]],
    ["CRLF cut in two", ["a\r", "\nb"], ["a", "b"]],
    ["a CR in the middle, and two at the end", ["a\rb\r\r\n"], ["a\rb\r"]],
    ["a CR and nothing else", ["\r"], [""]],
    ["separators that are no newline", ["a\u2028b\u0085c\u000bd\n"], ["a\u2028b\u0085c\u000bd"]],
  ])("of %s", (_, chunks, lines) => {
    expect(cut(chunks.map((chunk) => Buffer.from(chunk)))).toEqual(lines);
  });

  it("never break a character at the edge of a chunk", () => {
    const text = "é🙂漢\n🙂";
    const bytes = Buffer.from(text);
    for (let place = 0; place <= bytes.length; place++) {
      expect(cut([bytes.subarray(0, place), bytes.subarray(place)])).toEqual(["é🙂漢", "🙂"]);
    }
    expect(cut([...bytes].map((byte) => Buffer.from([byte])))).toEqual(["é🙂漢", "🙂"]);
  });

  it("are the same however the bytes are cut into chunks", () => {
    fc.assert(
      fc.property(anyBytes, fc.array(fc.nat({ max: 300 }), { maxLength: 20 }), (bytes, cuts) => {
        expect(cut(chunksOf(bytes, cuts))).toEqual(cutWhole(bytes, LONGEST_LINE_BYTES));
      }),
      { numRuns: 1000 },
    );
  });

  it("are the same with a limit, and no byte goes uncounted", () => {
    const anyLimit = fc.integer({ min: 1, max: 12 });
    fc.assert(
      fc.property(
        anyBytes,
        fc.array(fc.nat({ max: 300 }), { maxLength: 20 }),
        anyLimit,
        (bytes, cuts, limit) => {
          expect(cut(chunksOf(bytes, cuts), limit)).toEqual(cutWhole(bytes, limit));
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe("a line over the limit", () => {
  it("gives 64 KiB of its head and how much was cut, and the next line is whole", () => {
    const long = LONGEST_LINE_BYTES + 1;
    const bytes = Buffer.concat([Buffer.alloc(long, "x"), Buffer.from("\nnext\n")]);
    const head = "x".repeat(64 * 1024);
    expect(cut([bytes])).toEqual([{ head, cutBytes: long - head.length }, "next"]);
    expect(cut(chunksOf(bytes, [1, 70_000, long]))).toEqual([{ head, cutBytes: long - head.length }, "next"]);
  });

  it("begins at the first byte too many", () => {
    const line = Buffer.alloc(LONGEST_LINE_BYTES, "x");
    expect(cut([line, Buffer.from("\n")]).map((one) => typeof one)).toEqual(["string"]);
    expect(cut([line, Buffer.from("x")]).map((one) => typeof one)).toEqual(["object"]);
  });
});

setFlagsFromString("--expose_gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Bytes that are held, once what nobody needs is gone. */
function heldBytes(): number {
  collectGarbage();
  collectGarbage(); // buffers go one round later than the objects that held them
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe("memory", () => {
  const MIB = 1024 * 1024;

  it("stays flat over one endless line of 200 MB", () => {
    let oversize = 0;
    const cutter = new LineCutter({
      line: () => {},
      oversize: (_, cutBytes) => {
        oversize = cutBytes;
      },
    });
    const before = heldBytes();
    let most = 0;
    for (let n = 0; n < 3200; n++) {
      cutter.write(Buffer.alloc(64 * 1024, "x"));
      if (n % 300 === 100) most = Math.max(most, heldBytes() - before);
    }
    cutter.end();
    expect(oversize).toBe(3200 * 64 * 1024 - 64 * 1024);
    // Up to the limit the line is held, twice while it grows; then only its head.
    expect(most).toBeLessThan(3 * LONGEST_LINE_BYTES);
    expect(heldBytes() - before).toBeLessThan(2 * MIB);
  });

  it("stays flat over a line that comes in crumbs", () => {
    const cutter = new LineCutter({ line: () => {}, oversize: () => {} });
    const before = heldBytes();
    for (let n = 0; n < MIB; n++) cutter.write(Buffer.from("x"));
    expect(heldBytes() - before).toBeLessThan(8 * MIB);
    cutter.end(); // it is still needed, and so is what it holds
  });

  it("is not held by the tails of large chunks", () => {
    const chunk = `${"y\n".repeat(32 * 1024)}tail`;
    const cutters = Array.from({ length: 100 }, () => new LineCutter({ line: () => {}, oversize: () => {} }));
    const before = heldBytes();
    for (const cutter of cutters) cutter.write(Buffer.from(chunk));
    expect(heldBytes() - before).toBeLessThan(2 * MIB);
    for (const cutter of cutters) cutter.end();
  });
});
