/** What agents say and how their turns end: produced by the adapters' parsers, and by nothing else. Imports nothing. */

/** What one turn or one run used. A figure that the agent does not tell is 0. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly costUsd: number;
}

export const NO_USAGE: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costUsd: 0,
};

/** Why an agent could not go on for now. `overload` and `offline` name no fault of the user or of the agent. */
export type LimitScope = "rate" | "quota" | "context" | "overload" | "offline";

export interface Todo {
  readonly text: string;
  readonly state: "pending" | "active" | "done";
}

/**
 * What an agent program said, whichever it was. Stream parsers produce these; nothing else does.
 * `sub` is set (to the tool call that started it) on everything that a subagent said.
 */
export type AgentEvent =
  /** The agent told its session id and model. */
  | {
      readonly type: "session";
      readonly sessionId: string;
      readonly model?: string;
      readonly version?: string;
    }
  /** The agent said something to the user. */
  | { readonly type: "text"; readonly text: string; readonly sub?: string }
  /** The agent thought aloud. Never a claim. */
  | { readonly type: "thinking"; readonly text: string; readonly sub?: string }
  /** A tool call began. `summary` is its most telling argument, on one line. */
  | {
      readonly type: "tool.started";
      readonly callId: string;
      readonly name: string;
      readonly summary: string;
      readonly sub?: string;
    }
  /** A tool call ended. `output` holds at most the first 16 KiB; `lines` and `chars` count the whole. */
  | {
      readonly type: "tool.ended";
      readonly callId: string;
      readonly ok: boolean;
      readonly output: string;
      readonly lines: number;
      readonly chars: number;
      readonly denied?: boolean;
      readonly sub?: string;
    }
  /** The agent's own list of things to do, whole. */
  | { readonly type: "todos"; readonly items: readonly Todo[] }
  /** Tokens and cost so far in this turn: cumulative, the last one counts. */
  | { readonly type: "usage"; readonly usage: Usage }
  /** The model's service held the agent back. `final` when the agent gave up on it, otherwise it is trying again. */
  | {
      readonly type: "limited";
      readonly scope: LimitScope;
      readonly message: string;
      readonly final: boolean;
      readonly retryAtMs?: number;
    }
  /** The agent program said something about itself: a retry, a warning, a status. Never a failure of the turn. */
  | {
      readonly type: "notice";
      readonly level: "debug" | "info" | "warning";
      readonly text: string;
      /** Its log-in was refused, and it tries again all the same. */
      readonly refused?: boolean;
    }
  /** The turn's result. There can be several in one stream; the last one counts. */
  | {
      readonly type: "result";
      readonly ok: boolean;
      /** The final text of the main agent: the only place where a claim is looked for. */
      readonly text: string;
      readonly error?: string;
      readonly usage?: Usage;
      readonly turns?: number;
      readonly denials?: number;
    }
  /** A line that no parser knows. Kept, counted, never fatal. `cutBytes` tells how much of an oversize line was cut. */
  | { readonly type: "unrecognised"; readonly line: string; readonly cutBytes?: number };

/** How one turn of the agent ended. Exit codes and "success" lie: each adapter classifies from all it saw. */
export type AgentEnding =
  | { readonly kind: "finished" }
  /** The agent failed in a way that another try may mend. */
  | { readonly kind: "error"; readonly message: string }
  /** Held back by its service; the turn is not charged. */
  | {
      readonly kind: "limited";
      readonly scope: LimitScope;
      readonly message: string;
      readonly retryAtMs?: number;
    }
  /** The key or the log-in was refused: nothing will get better by trying again. */
  | { readonly kind: "unauthorised"; readonly message: string }
  | {
      readonly kind: "killed";
      readonly why: "idle" | "timeout" | "stopped" | "limit" | "signal";
      readonly signal?: string;
    }
  | { readonly kind: "not-started"; readonly message: string };
