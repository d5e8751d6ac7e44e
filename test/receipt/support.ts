import type { Claims, LoopEvent, Usage, Verdict } from "../../src/events.ts";
import type { Facts } from "../../src/receipt/compose.ts";
import type { RunSpec } from "../../src/spec.ts";

const RUN = "20260102-030405-abcdef";
const USAGE: Usage = {
  inputTokens: 1,
  outputTokens: 2,
  cacheReadTokens: 3,
  cacheWriteTokens: 4,
  costUsd: 0.5,
};

/** A tree, or any other name of 40 digits. */
export const id = (digit: string): string => digit.repeat(40);

export const FACTS: Facts = { journal: { sha256: "a".repeat(64), bytes: 10, events: 3 } };

export function spec(change: Partial<RunSpec> = {}): RunSpec {
  return {
    kind: "run",
    project: "/home/somebody/project",
    agent: { kind: "claude", command: "claude", flags: [], autonomy: "full" },
    work: { kind: "prompt", text: "do it" },
    claim: { response: "DONE", hint: true, done: false },
    taskDir: "/home/somebody/project",
    restart: { delayMs: 0, honoursWaits: false, childWaitMs: 0, pollMs: 1 },
    gates: [gate("one"), gate("two")],
    limits: { iterations: 9, failures: 3, waits: 1, noProgress: 0 },
    timeouts: { turnMs: 0, idleMs: 0, lingerMs: 0 },
    prompt: { includeIterationCount: false, outputTruncateChars: 10, baselineFeedback: false },
    baseline: true,
    ...change,
  };
}

export function gate(command: string): RunSpec["gates"][number] {
  return { kind: "guardrail", name: command, command, failAction: "APPEND", timeoutMs: 1000, flaky: false };
}

/** Builds the events of a run, one call an event. */
export function story(of: RunSpec = spec()) {
  const events: LoopEvent[] = [];
  const at = () => ({ at: 1_000_000 + events.length, run: RUN });
  const add = (event: LoopEvent) => {
    events.push(event);
    return tell;
  };
  const tell = {
    events,
    begin: () => add({ ...at(), type: "run.started", journal: 1, ralph: "1.2.3", spec: of }),
    turn: (iteration: number, more: { tree?: string; head?: string; agent?: number } = {}) =>
      add({
        ...at(),
        type: "iteration.started",
        iteration,
        promptPath: "p",
        promptSha256: "b".repeat(64),
        ...more,
      }),
    exited: (
      iteration: number,
      claims: Claims,
      more: { agent?: number; model?: string; version?: string } = {},
    ) =>
      add({
        ...at(),
        type: "agent.exited",
        iteration,
        ending: { kind: "finished" },
        exitCode: 0,
        claims,
        usage: USAGE,
        wallMs: 5,
        toolCalls: 0,
        denials: 0,
        ...more,
      }),
    judged: (
      iteration: number,
      number: number,
      pass: boolean,
      more: Partial<Verdict> & { tree?: string } = {},
    ) => {
      const { tree, ...verdict } = more;
      return add({
        ...at(),
        type: "gate.judged",
        iteration,
        round: 1,
        gate: number,
        name: of.gates[number]?.name ?? "",
        verdict: {
          pass,
          exitCode: pass ? 0 : 1,
          wallMs: 7,
          logPath: "l",
          output: "",
          truncated: false,
          ...verdict,
        },
        ...(tree === undefined ? {} : { treeBefore: tree }),
      });
    },
    committed: (iteration: number, commit: string) => add({ ...at(), type: "committed", iteration, commit }),
    resumed: () => add({ ...at(), type: "run.resumed", ralph: "1.2.3" }),
    found: (iteration: number) => add({ ...at(), type: "done.found", iteration }),
    end: (kind: "verified" | "claimed" = "verified") =>
      add({
        ...at(),
        type: "run.ended",
        outcome: { kind, reason: "because" },
        iterations: 2,
        usage: USAGE,
        costUsd: 0.5,
        tokens: 10,
        wallMs: 99,
      }),
  };
  return tell;
}
