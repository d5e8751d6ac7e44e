/** A line longer than this is cut: it is kept as a truncated event, and the run goes on. */
export const LONGEST_LINE_BYTES = 8 * 1024 * 1024;

/** How much of an oversize line is handed on. The raw stream on disk has all of it. */
const OVERSIZE_HEAD_BYTES = 64 * 1024;

export interface LineSink {
  line(text: string): void;
  /** A line over the limit: its head, and how many bytes were cut. */
  oversize(head: string, cutBytes: number): void;
}

const NOTHING = Buffer.alloc(0);

/** Cuts bytes into lines on the buffer, so that no character is broken at the edge of a chunk. Memory stays bounded. */
export class LineCutter {
  readonly #sink: LineSink;
  readonly #limit: number;
  /**
   * A line that is not over yet: the first `#length` bytes. Copied, and grown by doubling: neither crumbs of a byte
   * each nor the large chunk that a short tail came in stay in memory.
   */
  #held: Buffer = NOTHING;
  #length = 0;
  /** Bytes of an oversize line that were passed over. */
  #skipped = 0;

  constructor(sink: LineSink, limitBytes: number = LONGEST_LINE_BYTES) {
    this.#sink = sink;
    this.#limit = limitBytes;
  }

  write(chunk: Buffer): void {
    let start = 0;
    for (;;) {
      const newline = chunk.indexOf(0x0a, start);
      if (newline < 0) break;
      this.#emit(chunk.subarray(start, newline));
      start = newline + 1;
    }
    this.#hold(chunk.subarray(start));
  }

  /** The stream is over: what is left is the last line. */
  end(): void {
    if (this.#length > 0 || this.#skipped > 0) this.#emit(NOTHING);
  }

  #hold(part: Buffer): void {
    if (this.#skipped > 0) {
      this.#skipped += part.length;
      return;
    }
    const length = this.#length + part.length;
    if (length > this.#limit) {
      const head = Buffer.alloc(Math.min(OVERSIZE_HEAD_BYTES, this.#limit));
      const kept = this.#held.copy(head, 0, 0, this.#length);
      part.copy(head, kept);
      this.#held = head;
      this.#length = head.length;
      this.#skipped = length - head.length;
      return;
    }
    if (length > this.#held.length) {
      const grown = Buffer.alloc(Math.max(length, Math.min(2 * this.#held.length, this.#limit)));
      this.#held.copy(grown, 0, 0, this.#length);
      this.#held = grown;
    }
    part.copy(this.#held, this.#length);
    this.#length = length;
  }

  #emit(rest: Buffer): void {
    const isWhole = this.#length === 0 && this.#skipped === 0 && rest.length <= this.#limit;
    if (!isWhole) this.#hold(rest);
    const bytes = isWhole ? rest : this.#held.subarray(0, this.#length);
    const skipped = this.#skipped;
    this.#held = NOTHING;
    this.#length = 0;
    this.#skipped = 0;
    if (skipped > 0) {
      this.#sink.oversize(bytes.toString("utf8"), skipped);
      return;
    }
    const end = bytes.at(-1) === 0x0d ? bytes.length - 1 : bytes.length;
    this.#sink.line(bytes.toString("utf8", 0, end));
  }
}
