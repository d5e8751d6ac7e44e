/** `ralph-proof`: run a loop from your own program. */

export type { RunRequest } from "./config/describe.ts";
export { UserError } from "./errors.ts";
export type {
  AgentEnding,
  AgentEvent,
  Claims,
  LimitScope,
  LoopEvent,
  Outcome,
  OutcomeKind,
  ProcessMark,
  SuccessJudgment,
  Todo,
  Usage,
  Verdict,
} from "./events.ts";
export type { Run, RunEvent, RunOptions } from "./library.ts";
export { run } from "./library.ts";
export { EXIT_CODES } from "./loop/outcome.ts";
export type {
  AgentKind,
  AgentSpec,
  Autonomy,
  Criterion,
  CriterionType,
  FailAction,
  GateSpec,
  JudgeSpec,
  Limits,
  RunSpec,
  ScmSpec,
} from "./spec.ts";
export { VERSION } from "./version.ts";
