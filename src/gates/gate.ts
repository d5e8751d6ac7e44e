import type { Verdict } from "../events.ts";
import type { GateSpec } from "../spec.ts";
import type { Means } from "../supervise/means.ts";

/** What a gate is told about the moment it runs in. */
export interface GateMoment {
  readonly gate: GateSpec;
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
