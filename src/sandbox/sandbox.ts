import type { RunSpec, SandboxKind } from "../spec.ts";
import type { Means } from "../supervise/means.ts";
import type { PrivateHome } from "./home.ts";
import type { Policy, Role } from "./policy.ts";

/** One thing that a probe tried, and whether the fence held. */
export interface Finding {
  /** What was tried, for people: "read a secret in the home". */
  readonly what: string;
  readonly held: boolean;
  readonly detail?: string;
}

/** What became of really trying a kind of sandbox on this machine. */
export interface Probe {
  readonly kind: SandboxKind;
  /** Does all of it hold? */
  readonly works: boolean;
  /** Why not, or with which version of what. */
  readonly words: string;
  /** How to mend it. */
  readonly fix?: string;
  readonly findings: readonly Finding[];
}

/** A decision about a connection. */
export interface Connection {
  readonly at: number;
  readonly host: string;
  readonly port: number;
  readonly allowed: boolean;
  readonly why: string;
  /** It is on the list, and was not reached. */
  readonly failed?: true;
}

/** Where a sandbox keeps what it needs while a run lasts, and whom it tells. */
export interface Place {
  /** A private folder that is removed when the run is over. */
  readonly folder: string;
  /** A private folder that stays, for what outlives the run. Absent: nothing does, this is only a try. */
  readonly lasting?: string;
  /** A folder that an agent may write an answer to; seen inside under the same path. */
  readonly exchange: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onConnection: (connection: Connection) => void;
}

/** An open sandbox: what agents and checks are started with. */
export interface Sandbox {
  readonly policy: Policy;
  /** The same for people. */
  readonly words: string;
  /** The Node inside, where it is another than the one that runs us. */
  readonly node?: string;
  means(role: Role): Means;
  /** The home that agents have inside, where it is a folder of this machine. */
  readonly home?: PrivateHome;
  /** How long what an agent wrote takes to arrive, where files are copied. */
  readonly settleMs?: number;
  /** Lets the inside see what was changed outside, where it does not see it by itself. Before each turn. */
  refresh?(): Promise<void>;
  close(): Promise<void>;
}

/** One kind of sandbox. */
export interface Backend {
  readonly kind: Exclude<SandboxKind, "none">;
  /** Could it be here at all? Quick, starts nothing heavy. Undefined: yes. */
  missing(env: NodeJS.ProcessEnv): { readonly words: string; readonly fix: string } | undefined;
  /** Opens it for a policy. Whether it holds is for the probe to say. Throws a UserError when it cannot be opened. */
  open(policy: Policy, place: Place): Promise<Sandbox>;
}

/** What a run without a fence says of itself. */
export const UNFENCED = "not isolated: the agent can read, change and reach what you can";

/** Is a run kept inside a fence, as far as its description says? */
export function isFenced(spec: Pick<RunSpec, "sandbox">): boolean {
  return spec.sandbox !== undefined && spec.sandbox.kind !== "none";
}
