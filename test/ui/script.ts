import type { AgentEnding, AgentEvent, LoopEvent, Outcome, Usage, Verdict } from "../../src/events.ts";
import type { RunSpec } from "../../src/spec.ts";
import type { PageSetup } from "../../src/ui/plain/page.ts";
import { createPlainReporter } from "../../src/ui/plain/reporter.ts";
import type { Reporter } from "../../src/ui/reporter.ts";
import type { ShowOptions } from "../../src/ui/style.ts";

/** Noon in whatever zone the tests run: everything that is shown is local time. */
export const NOON = new Date(2026, 2, 1, 12, 0, 0).getTime();
export const RUN = "run-7";
const stamp = { at: NOON, run: RUN };

export const OPTIONS: ShowOptions = {
  emoji: true,
  color: false,
  timestamps: false,
  maxOutputLines: 3,
  maxOutputChars: 200,
  verbose: false,
  streamAgentOutput: true,
};

/** What a scripted run printed on each stream, and on both as a terminal would show it. */
export interface Printed {
  readonly out: string;
  readonly err: string;
  readonly both: string;
}

/** Plays a script to a plain reporter and gives back what it printed. */
export function printed(
  options: Partial<ShowOptions>,
  script: (reporter: Reporter) => void,
  more: Partial<PageSetup> = {},
): Printed {
  const seen = { out: "", err: "", both: "" };
  const sink = (name: "out" | "err") => ({
    write(text: string) {
      seen[name] += text;
      seen.both += text;
    },
  });
  script(
    createPlainReporter({
      out: sink("out"),
      err: sink("err"),
      options: { ...OPTIONS, ...options },
      now: () => NOON,
      ...more,
    }),
  );
  return seen;
}

export const USAGE: Usage = {
  inputTokens: 350_000,
  outputTokens: 45_000,
  cacheReadTokens: 850_000,
  cacheWriteTokens: 0,
  costUsd: 5.76,
};

export const FREE: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costUsd: 0,
};

/** A description of a run with guardrails of these names. */
export function specOf(gates: readonly string[], more: Partial<RunSpec> = {}): RunSpec {
  return {
    kind: "run",
    project: "/project",
    agent: { kind: "claude", command: "claude", flags: [], autonomy: "full" },
    work: { kind: "prompt", text: "Fix the login." },
    claim: { response: "DONE", hint: true, done: false },
    gates: gates.map((name) => ({
      kind: "guardrail",
      name,
      command: name,
      failAction: "APPEND",
      timeoutMs: 600_000,
      flaky: false,
    })),
    limits: { iterations: 10, failures: 3, waits: 3, noProgress: 0 },
    taskDir: "/project",
    restart: { delayMs: 0, honoursWaits: false, childWaitMs: 0, pollMs: 1 },
    timeouts: { turnMs: 0, idleMs: 0, lingerMs: 0 },
    prompt: { includeIterationCount: false, outputTruncateChars: 5000, baselineFeedback: false },
    baseline: true,
    ...more,
  };
}

export function started(spec: RunSpec): LoopEvent {
  return { type: "run.started", ...stamp, journal: 1, ralph: "0.1.0", spec };
}

export function exited(
  ending: AgentEnding,
  more: Partial<Extract<LoopEvent, { type: "agent.exited" }>> = {},
): LoopEvent {
  return {
    type: "agent.exited",
    ...stamp,
    iteration: 1,
    exitCode: 0,
    ending,
    claims: {},
    usage: FREE,
    wallMs: 45_000,
    toolCalls: 2,
    denials: 0,
    ...more,
  };
}

/** The verdict of gate `gate` (from 0), passed unless told otherwise. */
export function judged(
  iteration: number,
  gate: number,
  name: string,
  verdict: Partial<Verdict> = {},
): LoopEvent {
  const logPath = `.ralph/guardrail_00${iteration}_${name.replaceAll(" ", "_")}.log`;
  const found = { pass: true, exitCode: 0, wallMs: 1234, logPath, output: "", truncated: false, ...verdict };
  return { type: "gate.judged", ...stamp, iteration, round: 1, gate, name, verdict: found };
}

export const FAILED = { pass: false, exitCode: 1 } as const;

export function ended(outcome: Outcome, more: { readonly iterations?: number } = {}): LoopEvent {
  const figures = { iterations: 3, usage: USAGE, costUsd: 0.12, tokens: 45_000, wallMs: 367_000, ...more };
  return { type: "run.ended", ...stamp, outcome, ...figures };
}

/** A turn in which the agent does a little of everything. */
export const TURN: readonly AgentEvent[] = [
  { type: "session", sessionId: "s-1", model: "opus" },
  { type: "thinking", text: "The test is red.\nRead first." },
  { type: "text", text: "I look at the file first." },
  { type: "tool.started", callId: "1", name: "Read", summary: "/path/to/file.go" },
  {
    type: "tool.ended",
    callId: "1",
    ok: true,
    output: 'package main\n\nimport "fmt"\n\nfunc main() {',
    lines: 45,
    chars: 1234,
  },
  {
    type: "todos",
    items: [
      { text: "Read the file", state: "done" },
      { text: "Edit the code", state: "active" },
      { text: "Run tests", state: "pending" },
    ],
  },
  { type: "tool.started", callId: "2", name: "Task", summary: "find the callers" },
  { type: "text", text: "Looking.\nTwo places.", sub: "2" },
  { type: "tool.started", callId: "3", name: "Bash", summary: "grep -rn login .", sub: "2" },
  { type: "tool.ended", callId: "3", ok: false, output: "grep: no\n", lines: 1, chars: 9, sub: "2" },
  { type: "tool.ended", callId: "2", ok: true, output: "", lines: 0, chars: 0 },
  { type: "tool.started", callId: "4", name: "Bash", summary: "rm -rf /" },
  { type: "tool.ended", callId: "4", ok: false, denied: true, output: "Not allowed", lines: 1, chars: 11 },
  { type: "limited", scope: "overload", message: "529", final: false },
  { type: "notice", level: "debug", text: "compacting" },
  { type: "notice", level: "warning", text: "a server is down" },
  { type: "unrecognised", line: '{"type":"new"}' },
  { type: "usage", usage: USAGE },
  { type: "text", text: "Fixed.\n\n<response>DONE</response>\n" },
  { type: "result", ok: true, text: "Fixed.\n\n<response>DONE</response>", usage: USAGE },
];

/** A whole run: red baseline, a turn, a failed guardrail, a second turn, a second round, a commit, proof. */
export function wholeRun(reporter: Reporter): void {
  const gates = ["npm test", "npm run lint"];
  const judge = (iteration: number, round: number, gate: number, verdict: Partial<Verdict> = {}) => {
    reporter.doing({ do: "judge", iteration, round, gate });
    reporter.happened(judged(iteration, gate, gates[gate] ?? "", verdict));
  };
  reporter.happened(started(specOf(gates)));
  judge(0, 1, 0, FAILED);
  judge(0, 1, 1);

  reporter.doing({ do: "start-iteration", iteration: 1 });
  reporter.happened({
    type: "iteration.started",
    ...stamp,
    iteration: 1,
    promptPath: "p",
    promptSha256: "0",
  });
  reporter.doing({ do: "run-agent", iteration: 1 });
  for (const event of TURN) reporter.said(1, event);
  reporter.happened(
    exited({ kind: "finished" }, { usage: USAGE, wallMs: 367_000, toolCalls: 58, denials: 1 }),
  );
  judge(1, 1, 0);
  judge(1, 1, 1, FAILED);

  reporter.doing({ do: "start-iteration", iteration: 2 });
  reporter.said(2, { type: "text", text: "Now the lint.\n<response>DONE</response>" });
  reporter.happened(exited({ kind: "finished" }, { iteration: 2 }));
  judge(2, 1, 0);
  judge(2, 1, 1, { passedOnRetry: true });
  judge(2, 2, 0);
  judge(2, 2, 1);
  reporter.doing({ do: "word-commit", iteration: 2 });
  reporter.said(2, { type: "text", text: "Fix the login" });
  reporter.happened({
    type: "commit.intended",
    ...stamp,
    iteration: 2,
    message: "Fix the login",
    usage: FREE,
  });
  reporter.doing({ do: "commit", iteration: 2, message: "Fix the login" });
  reporter.happened({ type: "committed", ...stamp, iteration: 2, commit: "1a2b3c4d5e6f7a8b9c0d" });
  const outcome: Outcome = {
    kind: "verified",
    reason: "2 gates passed, claimed <response>DONE</response>",
  };
  reporter.doing({ do: "end", outcome });
  reporter.happened(ended(outcome));
}
