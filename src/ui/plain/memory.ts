import type { Claims } from "../../events.ts";
import type { RunSpec } from "../../spec.ts";

/** What the reporter has to remember, because the events that it shows do not say it again. */
export interface Memory {
  /** Absent until `run.started` was seen. */
  spec: RunSpec | undefined;
  /** The iteration whose banner stands last on the page. */
  bannered: number | undefined;
  /** The number of the agent that has the turn. */
  agent: number;
  /** The names of this turn's tools by call id. */
  readonly tools: Map<string, string>;
  toolErrors: number;
  /** What the service said when it last held the agent back, if that was shown. */
  toldLimit: string | undefined;
  /** The agent is wording a commit message: what it says is not part of the work. */
  wording: boolean;
  /** The last round of gates that was announced. */
  round: { readonly iteration: number; readonly round: number } | undefined;
  /** Gates of the latest round that failed, with their logs. */
  failing: readonly { readonly name: string; readonly logPath: string }[];
  claims: Claims;
  /** The work was done before a turn began: what is judged in iteration 0 is no baseline. */
  found: boolean;
  /** A fault was shown in full already. */
  faulted: boolean;
  /** The snapshot before the first iteration. */
  snapshot: string | undefined;
  /** It was said that there are no snapshots. */
  toldUnkept: boolean;
}

/** A memory of nothing. */
export function freshMemory(): Memory {
  return {
    spec: undefined,
    bannered: undefined,
    agent: 0,
    tools: new Map(),
    toolErrors: 0,
    toldLimit: undefined,
    wording: false,
    round: undefined,
    failing: [],
    claims: {},
    found: false,
    faulted: false,
    snapshot: undefined,
    toldUnkept: false,
  };
}

/** Forgets what belongs to one turn of the agent. */
export function forgetTurn(memory: Memory): void {
  memory.tools.clear();
  memory.toolErrors = 0;
  memory.toldLimit = undefined;
}
