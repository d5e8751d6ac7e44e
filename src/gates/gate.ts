import type { Verdict } from "../events.ts";
import type { GateSpec } from "../spec.ts";
import type { Means } from "../supervise/means.ts";

/** Why something could not be done, for people to read. */
export interface Fault {
  readonly fault: string;
}

/** What a tree holds at one path: git's mode, and the name of the content. */
interface Entry {
  readonly mode: string;
  readonly id: string;
}

/** A file that is not what it was when the run began. */
export interface FileChange {
  /** Relative to the project. */
  readonly path: string;
  readonly kind: "added" | "deleted" | "modified" | "type" | "mode";
  readonly from?: Entry;
  readonly to?: Entry;
}

/** A file that is to be put back: as it was when the run began, or with this text. */
export interface Mending {
  readonly change: FileChange;
  readonly text?: string;
}

/** What became of it. */
export interface PutBack {
  /** Where copies of what stood there are kept. */
  readonly kept: string;
  readonly left: readonly { readonly path: string; readonly why: string }[];
}

/** Sources of one moment and tests of another, in a folder outside the project. */
export interface ScratchWish {
  readonly sources: "base" | "now";
  readonly tests: "base" | "now";
  readonly isTest: (path: string) => boolean;
  /** Link the dependencies that are installed in the project. */
  readonly link: boolean;
}

/** The folder that was made for a wish. */
export interface Scratch {
  /** What is the project there. */
  readonly project: string;
  /** No repository is to be looked for from here on upwards. */
  readonly ceiling: string;
  dispose(): void;
}

/** The project as it was when the run began, and as it is now. */
export interface Trees {
  /** Set when there were no snapshots to begin with (no git, too large a folder): why. */
  readonly unavailable?: string;
  /**
   * Files that differ. Those that the patterns name without wildcards are looked at even when git ignores them, and what else
   * they mean when it is only ignored since the run began.
   */
  changes(patterns: readonly string[]): Promise<{ readonly changes: readonly FileChange[] } | Fault>;
  /** The files that were there when the run began. */
  files(): Promise<{ readonly paths: readonly string[] } | Fault>;
  /** A content, if it is text of a sane size. */
  text(id: string): Promise<string | undefined>;
  /** Keeps copies of what stands there, then puts the files back. Done twice it is as if done once. */
  putBack(files: readonly Mending[]): Promise<PutBack | Fault>;
  scratch(wish: ScratchWish): Promise<Scratch | Fault>;
}

/** What a gate is told about the moment it runs in. */
export interface GateMoment<Gate extends GateSpec = GateSpec> {
  readonly gate: Gate;
  readonly project: string;
  /** Where its whole output is kept, relative to the project. */
  readonly logPath: string;
  /** How much of its output the next prompt may quote. */
  readonly truncateChars: number;
  readonly env: NodeJS.ProcessEnv;
  /** What holds its processes together. */
  readonly means: Means;
  /** Aborted when the run must end at once. */
  readonly hardStop: AbortSignal;
  /** Who can be asked about an output. */
  readonly bench?: Bench;
  /** For gates that look back. */
  readonly trees?: Trees;
  /** Files that should be in a commit and are not, relative to the project. */
  readonly uncommitted?: () => Promise<readonly string[] | Fault>;
}

/** Where the judge sits. */
export interface Bench {
  /** The most of an output that it takes. */
  readonly maxChars: number;
  /** Never rejects for anything that the judge does. */
  judge(prompt: string, limitMs: number): Promise<Answer>;
}

/** What a judge said, or why it said nothing. */
export type Answer = { readonly text: string } | { readonly fault: string };

/** Runs a check. A gate that cannot be run, or that takes too long, has failed: that is a verdict, never an exception. */
export type Judge = (moment: GateMoment) => Promise<Verdict>;
