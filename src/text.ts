/** Keeps the first `limit` characters and says so, only when something was cut. Never splits a surrogate pair. */
export function truncate(text: string, limit: number): { text: string; truncated: boolean } {
  if (text.length <= limit) return { text, truncated: false };
  const last = text.charCodeAt(limit - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit;
  return { text: `${text.slice(0, end)}... [truncated]`, truncated: true };
}

/**
 * What stands in the first pair of these tags, whatever their case; undefined when there is none. Two searches and not
 * one lazy pattern: an opening tag that never closes, said a million times, must not cost a million looks to the end.
 */
export function inFirstTag(text: string, tag: "response" | "blocked"): string | undefined {
  const open = text.search(new RegExp(`<${tag}>`, "i"));
  if (open < 0) return undefined;
  const rest = text.slice(open + tag.length + 2);
  const close = rest.search(new RegExp(`</${tag}>`, "i"));
  return close < 0 ? undefined : rest.slice(0, close);
}

const MOST_PIECES = 1024;

/** Keeps the beginning and the end of a stream, and forgets the middle when it grows too large. */
export class HeadAndTail {
  readonly #half: number;
  #head = Buffer.alloc(0);
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #cut = false;

  constructor(halfBytes: number) {
    this.#half = halfBytes;
  }

  add(chunk: Buffer): void {
    this.#tail.push(chunk);
    this.#tailBytes += chunk.length;
    // Crumbs are joined now and then: a small piece keeps the whole chunk that it was cut from in memory.
    if (this.#tailBytes > 3 * this.#half || this.#tail.length >= MOST_PIECES) this.#settle();
  }

  text(): string {
    this.#settle();
    const gap = this.#cut ? [Buffer.from("\n[…]\n")] : [];
    return Buffer.concat([this.#head, ...gap, ...this.#tail]).toString("utf8");
  }

  #settle(): void {
    let rest = Buffer.concat(this.#tail);
    const room = this.#half - this.#head.length;
    if (room > 0) {
      this.#head = Buffer.concat([this.#head, rest.subarray(0, room)]);
      rest = rest.subarray(room);
    }
    if (rest.length > 2 * this.#half) {
      rest = rest.subarray(-this.#half);
      this.#cut = true;
    }
    this.#tail = rest.length === 0 ? [] : [Buffer.from(rest)];
    this.#tailBytes = rest.length;
  }
}

/** At most `limit` characters of a text: its beginning and its end, and between them what `mark` says of the cut. */
export function withoutMiddle(text: string, limit: number, mark: (cut: number) => string): string {
  if (text.length <= limit) return text;
  const half = Math.floor(limit / 2);
  const head = text.slice(0, half).replace(/[\ud800-\udbff]$/, "");
  const tail = half === 0 ? "" : text.slice(-half).replace(/^[\udc00-\udfff]/, "");
  return head + mark(text.length - head.length - tail.length) + tail;
}
