/** What was found about one thing that a receipt says. */
export interface Finding {
  readonly what: string;
  /** A note is for the reader to judge: it can have an honest cause. */
  readonly found: "same" | "different" | "missing" | "note" | "not checked";
  /** How it differs, or what is the same. */
  readonly how: string;
  /** It is about a gate. */
  readonly gate?: boolean;
  /** The last lines of what a gate said, where it did not pass. */
  readonly tail?: string;
}
