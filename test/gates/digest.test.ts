import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OutputDigest } from "../../src/gates/digest.ts";

function digestOf(...chunks: (string | Buffer)[]) {
  const digest = new OutputDigest();
  for (const chunk of chunks) digest.add(Buffer.from(chunk));
  return digest.whole();
}

describe("the digest of an output", () => {
  it("is of every byte, however it was cut on its way", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40_000 }), { maxLength: 6 }), (pieces) => {
        const chunks = pieces.map((piece) => Buffer.from(piece));
        const all = Buffer.concat(chunks);
        expect(digestOf(...chunks)).toEqual(digestOf(all));
        expect(digestOf(...chunks)).toMatchObject({
          bytes: all.length,
          sha256: createHash("sha256").update(all).digest("hex"),
        });
      }),
    );
  });

  it("keeps a short output whole, and of a long one its last whole lines", () => {
    expect(digestOf("one\ntwo").tail).toBe("one\ntwo");
    const lines = Array.from({ length: 5000 }, (_, at) => `line ${at}`).join("\n");
    const { tail } = digestOf(lines);
    expect(tail.length).toBeLessThanOrEqual(2000);
    expect(tail).toMatch(/^line \d+\n[\s\S]*line 4999$/);
  });

  it("hides secrets, also one that began before the lines that are kept", () => {
    const body = Array.from({ length: 60 }, (_, at) => `MIIabc${at}${"x".repeat(50)}`).join("\n");
    const pem = `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\nend\n`;
    expect(digestOf("start\n", pem).tail).not.toContain("MIIabc");
    expect(digestOf(`x\npassword=${"p".repeat(30_000)}`).tail).toBe("");
  });
});
