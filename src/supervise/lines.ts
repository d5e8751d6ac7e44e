/** A line longer than this is cut: it is kept as a truncated event, and the run goes on. */
export const LONGEST_LINE_BYTES = 8 * 1024 * 1024;

/** How much of an oversize line is handed on. The raw stream on disk has all of it. */
const OVERSIZE_HEAD_BYTES = 64 * 1024;

export interface LineSink {
  line(text: string): void;
  /** A line over the limit: its head, and how many bytes were cut. */
  oversize(head: string, cutBytes: number): void;
}

/** Cuts bytes into lines on the buffer, so that no character is broken at the edge of a chunk. Memory stays bounded. */
export class LineCutter {
  readonly #sink: LineSink;
  readonly #limit: number;
  #parts: Buffer[] = [];
  #held = 0;
  /** Bytes of an oversize line that were passed over. */
  #skipped = 0;

  constructor(sink: LineSink, limitBytes: number = LONGEST_LINE_BYTES) {
    this.#sink = sink;
    this.#limit = limitBytes;
  }

  write(chunk: Buffer): void {
    let start = 0;
    while (start < chunk.length) {
      const newline = chunk.indexOf(0x0a, start);
      this.#hold(chunk.subarray(start, newline < 0 ? chunk.length : newline));
      if (newline < 0) return;
      this.#emit();
      start = newline + 1;
    }
  }

  /** The stream is over: what is left is the last line. */
  end(): void {
    if (this.#held > 0 || this.#skipped > 0) this.#emit();
  }

  #hold(part: Buffer): void {
    if (part.length === 0) return;
    if (this.#skipped > 0) {
      this.#skipped += part.length;
      return;
    }
    this.#parts.push(part);
    this.#held += part.length;
    if (this.#held <= this.#limit) return;
    const head = Buffer.concat(this.#parts).subarray(0, Math.min(OVERSIZE_HEAD_BYTES, this.#limit));
    this.#skipped = this.#held - head.length;
    this.#held = head.length;
    this.#parts = [Buffer.from(head)]; // a copy, so that the large buffer can go
  }

  #emit(): void {
    const only = this.#parts.length === 1 ? this.#parts[0] : undefined;
    const bytes = only ?? Buffer.concat(this.#parts);
    const skipped = this.#skipped;
    this.#parts = [];
    this.#held = 0;
    this.#skipped = 0;
    if (skipped > 0) {
      this.#sink.oversize(bytes.toString("utf8"), skipped);
      return;
    }
    const end = bytes.at(-1) === 0x0d ? bytes.length - 1 : bytes.length;
    this.#sink.line(bytes.toString("utf8", 0, end));
  }
}
