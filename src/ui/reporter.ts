import type { AgentEvent, LoopEvent, Step } from "../events.ts";

/** Who shows a run. Reporters only read: whatever they do, the run goes on; they must not throw. */
export interface Reporter {
  /** A step is about to be performed. */
  doing(step: Step): void;
  /** An event is on disk. */
  happened(event: LoopEvent): void;
  /** The agent said something. */
  said(iteration: number, event: AgentEvent): void;
  /** Set while nobody takes what was said: resolves when there is room again. Until then the agent is not read. */
  full?(): Promise<void> | undefined;
  /** A line for those who asked for `--verbose`, already free of secrets. */
  detail(line: string): void;
}
