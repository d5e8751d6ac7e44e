/** What a check of a project is for. */
export type CheckKind = "test" | "lint" | "build" | "type-check";

/** A command of the project's own that can say whether the work is good. */
export interface Check {
  readonly kind: CheckKind;
  /** A shell line. Only words of ours and names from a fixed list stand in it. */
  readonly command: string;
  /** The file that tells of it. */
  readonly from: string;
}
