/** Calls when nothing was heard for so long. Timers stand still while the machine sleeps, so a nap is no silence. */
export class Silence<Why extends string> {
  readonly #onSilent: (why: Why) => void;
  #timer: NodeJS.Timeout | undefined;
  #ms = -1;
  #why: Why;
  #isOver = false;

  constructor(why: Why, ms: number, onSilent: (why: Why) => void) {
    this.#onSilent = onSilent;
    this.#why = why;
    this.watch(why, ms);
  }

  /** Watches for a silence of another length, from now on. 0 is no limit. */
  watch(why: Why, ms: number): void {
    if (this.#isOver || (why === this.#why && ms === this.#ms)) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#why = why;
    this.#ms = ms;
    if (ms > 0) this.#timer = setTimeout(() => this.#onSilent(this.#why), ms);
  }

  /** Something was heard. */
  heard(): void {
    if (this.#ms > 0) this.#timer?.refresh();
  }

  /** Stops listening for a while: it is we who do not read. */
  hold(): void {
    clearTimeout(this.#timer);
  }

  /** Listens again, from now. */
  release(): void {
    if (!this.#isOver) this.heard();
  }

  /** What is heard after this starts no watch again: output can arrive when the program has gone. */
  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }
}
