import { createHash } from "node:crypto";
import type { WholeOutput } from "../events.ts";
import { redact } from "../redact.ts";

/** So much of the end is looked at for secrets: one that spans many lines, a private key, is hidden whole. */
const WINDOW_BYTES = 16 * 1024;
const TAIL_CHARS = 2_000;

/** Hashes an output as it comes, and keeps its last lines. */
export class OutputDigest {
  readonly #hash = createHash("sha256");
  #bytes = 0;
  #window = Buffer.alloc(0);

  add(chunk: Buffer): void {
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
    const joined = chunk.length >= WINDOW_BYTES ? chunk : Buffer.concat([this.#window, chunk]);
    this.#window = Buffer.from(joined.subarray(-WINDOW_BYTES));
  }

  whole(): WholeOutput {
    const isCut = this.#bytes > this.#window.length;
    return { sha256: this.#hash.digest("hex"), bytes: this.#bytes, tail: tailOf(this.#window, isCut) };
  }
}

/** Whole lines only: half of one could show a secret without the name that tells that it is one. */
function tailOf(window: Buffer, isCut: boolean): string {
  const text = window.toString("utf8");
  const shown = redact(isCut ? afterLineBreak(text) : text);
  return shown.length <= TAIL_CHARS ? shown : afterLineBreak(shown.slice(-TAIL_CHARS));
}

function afterLineBreak(text: string): string {
  const at = text.indexOf("\n");
  return at < 0 ? "" : text.slice(at + 1);
}
