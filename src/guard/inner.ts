import type { Call, Verdict } from "./call.ts";

/** What a call would start in its turn. */
export type Inner =
  | { readonly kind: "words"; readonly words: readonly string[]; readonly isInContainer?: boolean }
  /** A line for a shell. */
  | {
      readonly kind: "script";
      readonly text: string;
      readonly args?: readonly string[];
      readonly isRemote?: boolean;
    }
  /** A text for another interpreter. */
  | { readonly kind: "code"; readonly text: string }
  /** A file that is run, by a shell or by another interpreter. */
  | {
      readonly kind: "file";
      readonly path: string;
      readonly args: readonly string[];
      readonly isShell: boolean;
    }
  | { readonly kind: "verdict"; readonly verdict: Verdict };

/** Finds it. */
export type Unwrap = (call: Call) => readonly Inner[];

/** A program and its words; nothing when there are none. */
export const words = (list: readonly string[]): readonly Inner[] =>
  list.length === 0 ? [] : [{ kind: "words", words: list }];
/** A line for a shell. */
export const script = (text: string, more: { args?: readonly string[]; isRemote?: boolean } = {}): Inner => ({
  kind: "script",
  text,
  ...more,
});
