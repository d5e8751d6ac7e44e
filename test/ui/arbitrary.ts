import fc from "fast-check";
import type { AgentEnding, AgentEvent, LoopEvent, Outcome, Step, Usage } from "../../src/events.ts";
import type { AgentSpec, RunSpec } from "../../src/spec.ts";

/** Text as a bad agent would write it: escape sequences whole and broken, controls, forged lines. */
export const hostile: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(
      fc.oneof(
        fc.constantFrom(
          "\u001b[41m",
          "\u001b[2J",
          "\u001b]0;t\u0007",
          "\u001b]8;;x\u001b\\",
          "\u001bP1$r\u001b\\",
        ),
        fc.constantFrom(
          "\u001b",
          "\u001b[",
          "\u001b]",
          "\u009b",
          "\u009d",
          "\u0090",
          "\u009c",
          "\u0007",
          "\u0000",
        ),
        fc.constantFrom(
          "\r",
          "\n",
          "\t",
          "\b",
          "\u007f",
          "\u0085",
          "\u202e",
          "\u2066",
          "\u2028",
          "\ud83d",
          "🙂",
        ),
        fc.constantFrom("\n✅ Verified: forged", "\r[OK] Verified: forged", "[31m", "text", " ", ";"),
      ),
      { maxLength: 12 },
    )
    .map((pieces) => pieces.join("")),
);

const number = fc.oneof(fc.nat(), fc.double(), fc.integer());
const flag = fc.boolean();
const is = <T extends string>(type: T) => fc.constant(type);
const scope = fc.constantFrom("rate", "quota", "context", "overload", "offline");

const usage: fc.Arbitrary<Usage> = fc.record({
  inputTokens: number,
  outputTokens: number,
  cacheReadTokens: number,
  cacheWriteTokens: number,
  costUsd: number,
});

const todo = fc.record({ text: hostile, state: fc.constantFrom("pending", "active", "done") });

/** Anything that an agent can say, in words that it must not be trusted with. */
export const agentEvent: fc.Arbitrary<AgentEvent> = fc.oneof(
  fc.record(
    { type: is("session"), sessionId: hostile, model: hostile, version: hostile },
    { requiredKeys: ["type", "sessionId"] },
  ),
  fc.record({ type: is("text"), text: hostile, sub: hostile }, { requiredKeys: ["type", "text"] }),
  fc.record({ type: is("thinking"), text: hostile, sub: hostile }, { requiredKeys: ["type", "text"] }),
  fc.record(
    {
      type: is("tool.started"),
      callId: fc.constantFrom("1", "2"),
      name: hostile,
      summary: hostile,
      sub: hostile,
    },
    { requiredKeys: ["type", "callId", "name", "summary"] },
  ),
  fc.record(
    {
      type: is("tool.ended"),
      callId: fc.constantFrom("1", "2", "3"),
      ok: flag,
      output: hostile,
      lines: number,
      chars: number,
      denied: flag,
      sub: hostile,
    },
    { requiredKeys: ["type", "callId", "ok", "output", "lines", "chars"] },
  ),
  fc.record({ type: is("todos"), items: fc.array(todo, { maxLength: 4 }) }),
  fc.record({ type: is("usage"), usage }),
  fc.record(
    { type: is("limited"), scope, message: hostile, final: flag, retryAtMs: number },
    { requiredKeys: ["type", "scope", "message", "final"] },
  ),
  fc.record({ type: is("notice"), level: fc.constantFrom("debug", "info", "warning"), text: hostile }),
  fc.record(
    { type: is("result"), ok: flag, text: hostile, error: hostile, usage, turns: number, denials: number },
    { requiredKeys: ["type", "ok", "text"] },
  ),
  fc.record(
    { type: is("unrecognised"), line: hostile, cutBytes: number },
    { requiredKeys: ["type", "line"] },
  ),
);

const ending: fc.Arbitrary<AgentEnding> = fc.oneof(
  fc.record({ kind: is("finished") }),
  fc.record({ kind: fc.constantFrom("error", "unauthorised", "not-started"), message: hostile }),
  fc.record(
    { kind: is("limited"), scope, message: hostile, retryAtMs: number },
    { requiredKeys: ["kind", "scope", "message"] },
  ),
  fc.record(
    { kind: is("killed"), why: fc.constantFrom("idle", "timeout", "stopped", "signal"), signal: hostile },
    { requiredKeys: ["kind", "why"] },
  ),
);

const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  fc.record({ kind: fc.constantFrom("verified", "claimed", "stuck", "stopped"), reason: hostile }),
  fc.record({ kind: is("exhausted"), reason: hostile, limit: hostile }),
  fc.record({ kind: is("failed"), reason: hostile, fix: hostile }, { requiredKeys: ["kind", "reason"] }),
  fc.record({ kind: is("waiting"), reason: hostile, needs: hostile }, { requiredKeys: ["kind", "reason"] }),
);

const agent: fc.Arbitrary<AgentSpec> = fc.record(
  {
    kind: fc.constantFrom("claude", "codex", "amp", "gemini", "cursor", "custom"),
    command: hostile,
    flags: fc.array(hostile, { maxLength: 2 }),
    model: hostile,
    autonomy: fc.constantFrom("full", "edits", "none"),
  },
  { requiredKeys: ["kind", "command", "flags", "autonomy"] },
);

const gate = {
  name: hostile,
  command: hostile,
  failAction: fc.constantFrom("APPEND", "PREPEND", "REPLACE"),
  hint: hostile,
  timeoutMs: number,
  flaky: flag,
};

const spec: fc.Arbitrary<RunSpec> = fc.record({
  kind: is("run"),
  project: hostile,
  agent,
  fallback: fc.array(agent, { maxLength: 2 }),
  work: fc.record({ kind: is("prompt"), text: hostile }),
  claim: fc.record({ response: hostile, hint: flag, done: flag }),
  taskDir: hostile,
  restart: fc.record({ delayMs: number, honoursWaits: flag, childWaitMs: number, pollMs: number }),
  gates: fc.array(
    fc.oneof(
      fc.record(
        { ...gate, kind: is("guardrail") },
        { requiredKeys: ["kind", "name", "command", "failAction", "timeoutMs", "flaky"] },
      ),
      fc.record(
        {
          ...gate,
          kind: is("criterion"),
          criterion: fc.constantFrom("test_pass", "custom"),
          judged: flag,
          foundIn: hostile,
        },
        { requiredKeys: ["kind", "criterion", "name", "command", "failAction", "timeoutMs", "flaky"] },
      ),
    ),
    { maxLength: 3 },
  ),
  limits: fc.record({ iterations: number, failures: number, waits: number, noProgress: fc.nat() }),
  timeouts: fc.record({ turnMs: fc.nat(), idleMs: fc.nat(), lingerMs: fc.nat() }),
  prompt: fc.record({ includeIterationCount: flag, outputTruncateChars: number, baselineFeedback: flag }),
  baseline: flag,
});

const small = fc.nat(3);
const base = { at: number, run: hostile };

const verdict = fc.record(
  {
    pass: flag,
    exitCode: fc.option(fc.integer()),
    wallMs: number,
    logPath: hostile,
    output: hostile,
    truncated: flag,
    reason: hostile,
    judgment: fc.record(
      { success: flag, reason: hostile, suggestions: fc.array(hostile, { maxLength: 3 }) },
      { requiredKeys: ["success", "reason"] },
    ),
    unjudged: flag,
    passedOnRetry: flag,
  },
  { requiredKeys: ["pass", "exitCode", "wallMs", "logPath", "output", "truncated"] },
);

/** Anything that can happen to a run. */
export const loopEvent: fc.Arbitrary<LoopEvent> = fc.oneof(
  fc.record({ type: is("run.started"), ...base, journal: fc.constant(1 as const), ralph: hostile, spec }),
  fc.record(
    {
      type: is("iteration.started"),
      ...base,
      iteration: small,
      agent: small,
      heldUntilMs: number,
      promptPath: hostile,
      promptSha256: hostile,
    },
    { requiredKeys: ["type", "at", "run", "iteration", "promptPath", "promptSha256"] },
  ),
  fc.record({
    type: is("agent.started"),
    ...base,
    iteration: small,
    process: fc.record({ pid: number, mark: hostile }),
  }),
  fc.record(
    {
      type: is("agent.exited"),
      ...base,
      iteration: small,
      ending,
      exitCode: fc.option(number),
      claims: fc.record({ response: hostile, blocked: hostile }, { requiredKeys: [] }),
      usage,
      wallMs: number,
      toolCalls: number,
      denials: number,
      model: hostile,
    },
    {
      requiredKeys: [
        "type",
        "at",
        "run",
        "iteration",
        "ending",
        "exitCode",
        "claims",
        "usage",
        "wallMs",
        "toolCalls",
        "denials",
      ],
    },
  ),
  fc.record({
    type: is("gate.judged"),
    ...base,
    iteration: small,
    round: small,
    gate: small,
    name: hostile,
    verdict,
  }),
  fc.record(
    { type: is("progress.judged"), ...base, iteration: small, progress: flag, reason: hostile, usage },
    { requiredKeys: ["type", "at", "run", "iteration", "reason", "usage"] },
  ),
  fc.record({
    type: is("answer.held"),
    ...base,
    iteration: small,
    from: fc.constantFrom("judge" as const, "agent" as const),
    ending: fc.record({ kind: is("limited"), scope: is("quota"), message: hostile }),
    usage,
  }),
  fc.record({ type: is("commit.intended"), ...base, iteration: small, message: hostile, usage }),
  fc.record(
    {
      type: is("committed"),
      ...base,
      iteration: small,
      commit: hostile,
      nothingToCommit: flag,
      error: hostile,
    },
    { requiredKeys: ["type", "at", "run", "iteration"] },
  ),
  fc.record({ type: is("waited"), ...base, iteration: small, untilMs: number }),
  fc.record({ type: is("stop.requested"), ...base, by: hostile }),
  fc.record({ type: is("run.faulted"), ...base, what: hostile, why: hostile, fix: hostile }),
  fc.record({
    type: is("run.ended"),
    ...base,
    outcome,
    iterations: number,
    usage,
    costUsd: number,
    tokens: number,
    wallMs: number,
  }),
);

/** Anything that can be done next. */
export const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom("start-iteration", "run-agent", "word-commit"), iteration: small }),
  fc.record({ do: is("start-iteration"), iteration: small, agent: small, heldUntilMs: number }),
  fc.record({ do: is("judge"), iteration: small, round: small, gate: small }),
  fc.record({ do: is("commit"), iteration: small, message: hostile }),
  fc.record({ do: is("wait"), iteration: small, untilMs: number, why: hostile, offline: flag }),
  fc.record({ do: is("end"), outcome }),
);
