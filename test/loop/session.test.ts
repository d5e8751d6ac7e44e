import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { type LoopEvent, NO_USAGE, type Step } from "../../src/events.ts";
import { decide } from "../../src/loop/decide.ts";
import { evolve } from "../../src/loop/evolve.ts";
import { sessionStatus } from "../../src/loop/outcome.ts";
import { INITIAL, type LoopState } from "../../src/loop/state.ts";
import { summarise } from "../../src/loop/summary.ts";
import type { RunSpec, SessionSpec } from "../../src/spec.ts";

const SESSION: SessionSpec = {
  id: "s",
  agent: "claude",
  minToolCalls: 1,
  onNoWork: "reject",
  ultrawork: false,
  mostBlocks: 8,
};

function specOf(session: Partial<SessionSpec> = {}, more: Partial<RunSpec> = {}): RunSpec {
  return {
    kind: "session",
    project: "/project",
    agent: { kind: "claude", command: "claude", flags: [], autonomy: "full" },
    work: { kind: "prompt", text: "Mend it." },
    claim: { response: "", hint: true, done: false, promise: "DONE" },
    session: { ...SESSION, ...session },
    gates: [],
    limits: { iterations: 4, failures: 3, waits: 3, noProgress: 0 },
    taskDir: "/project",
    restart: { delayMs: 0, honoursWaits: false, childWaitMs: 0, pollMs: 1 },
    timeouts: { turnMs: 0, idleMs: 0, lingerMs: 0 },
    prompt: { includeIterationCount: false, outputTruncateChars: 5000, baselineFeedback: false },
    baseline: false,
    ...more,
  };
}

interface Turn {
  readonly promise: boolean;
  readonly toolCalls: number;
  readonly spoken?: boolean;
  readonly changed?: boolean;
}

const GATE = {
  kind: "guardrail",
  name: "g",
  command: "g",
  failAction: "APPEND",
  timeoutMs: 1,
  flaky: false,
} as const;

/** Plays turns of a session; gates pass from the given turn on. */
function play(spec: RunSpec, turns: readonly Turn[], greenFrom = 0) {
  const events: LoopEvent[] = [{ type: "run.started", at: 0, run: "r", journal: 1, ralph: "0", spec }];
  let state: LoopState = events.reduce(evolve, INITIAL);
  const happen = (event: LoopEvent) => {
    events.push(event);
    state = evolve(state, event);
  };
  const rest = [...turns];
  const judged: number[] = [];
  for (let n = 0; n < 200 && state.phase !== "ended"; n++) {
    const step: Step = decide(state);
    const moment = { at: 0, run: "r", iteration: "iteration" in step ? step.iteration : 0 };
    if (step.do === "start-iteration") {
      happen({ ...moment, type: "iteration.started", promptPath: "p", promptSha256: "s" });
    } else if (step.do === "run-agent") {
      const turn = rest.shift();
      if (turn === undefined) break;
      const { promise, ...told } = turn;
      happen({
        ...moment,
        type: "agent.exited",
        ending: { kind: "finished" },
        exitCode: null,
        claims: promise ? { promise } : {},
        usage: NO_USAGE,
        wallMs: 0,
        denials: 0,
        ...told,
      });
    } else if (step.do === "judge") {
      judged.push(step.iteration);
      const pass = step.iteration > greenFrom;
      const verdict = {
        pass,
        exitCode: pass ? 0 : 1,
        wallMs: 0,
        logPath: "l",
        output: "o",
        truncated: false,
      };
      happen({ ...moment, type: "gate.judged", round: step.round, gate: step.gate, name: "g", verdict });
    } else if (step.do === "end") {
      const sums = { iterations: state.iteration, usage: NO_USAGE, costUsd: 0, tokens: 0, wallMs: 0 };
      happen({ type: "run.ended", at: 0, run: "r", outcome: step.outcome, ...sums });
    } else throw new Error(`not expected in a session: ${step.do}`);
  }
  return { events, state, judged };
}

const no = { promise: false, toolCalls: 1 };
const yes = { promise: true, toolCalls: 1 };
const empty = { promise: true, toolCalls: 0 };

describe("a loop inside a session", () => {
  it("ends on a promise after work", () => {
    expect(play(specOf(), [no, yes]).state.outcome).toMatchObject({
      kind: "claimed",
      reason: "promised <promise>DONE</promise>; nothing was checked",
    });
  });

  it("takes a promise without work as its policy says", () => {
    expect(play(specOf(), [empty]).state.outcome).toBeUndefined();
    expect(play(specOf({ onNoWork: "warn" }), [empty]).state.outcome?.reason).toContain("with 0 tool calls");
    expect(play(specOf({ onNoWork: "accept" }), [empty]).state.outcome?.kind).toBe("claimed");
  });

  it("takes a changed tree for work only where tool calls cannot be counted", () => {
    const changed = { ...empty, changed: true };
    expect(play(specOf(), [changed]).state.outcome).toBeUndefined();
    expect(play(specOf({ uncounted: true }), [changed]).state.outcome?.kind).toBe("claimed");
    expect(play(specOf({ uncounted: true }), [empty]).state.outcome).toBeUndefined();
  });

  it("runs its gates for a promise that stands, and for no other", () => {
    const { state, judged } = play(specOf({}, { gates: [GATE] }), [empty, no, yes, yes], 3);
    expect(judged).toEqual([3, 4]);
    expect(state.outcome).toMatchObject({ kind: "verified" });
  });

  it("without a promise ends when its gates pass, or when its turns are used", () => {
    const none = { response: "", hint: true, done: false, promise: "", needed: false };
    expect(play(specOf({}, { claim: none, gates: [GATE] }), [no, no], 1).state.outcome?.kind).toBe(
      "verified",
    );
    expect(play(specOf({}, { claim: none }), [yes, yes, yes, yes]).state.outcome).toMatchObject({
      kind: "exhausted",
      reason: "told to go on 3 times, and the work is not done",
    });
  });

  it("that was resumed without its session has no cap, and is nobody's in a session", () => {
    const idle = { promise: false, toolCalls: 0 };
    const { events, state } = play(specOf({ mostBlocks: 1 }), [idle, idle]);
    expect(state.outcome).toMatchObject({ kind: "waiting" });
    const resumed = evolve(state, { type: "run.resumed", at: 1, run: "r", ralph: "0" });
    expect(resumed).toMatchObject({ inSession: false, sentBack: 0, phase: "ready" });
    expect(decide(resumed)).toEqual({ do: "start-iteration", iteration: 3 });
    expect(summarise(events, false)).toMatchObject({ sessionId: "s", session: { status: "WAITING" } });
  });

  it.each([
    ["verified", "PROMISE_ACCEPTED"],
    ["claimed", "PROMISE_ACCEPTED"],
    ["exhausted", "MAX_ITERATIONS_REACHED"],
    ["stopped", "CANCELLED"],
    ["waiting", "WAITING"],
  ] as const)("that ended as %s is %s", (kind, status) => {
    const outcome = kind === "exhausted" ? { kind, reason: "", limit: "iterations" } : { kind, reason: "" };
    expect(sessionStatus(outcome)).toBe(status);
  });
});

const anyTurn: fc.Arbitrary<Turn> = fc.record(
  { promise: fc.boolean(), toolCalls: fc.nat({ max: 2 }), spoken: fc.boolean() },
  { requiredKeys: ["promise", "toolCalls"] },
);

test("never ends before a promise after work, sends back at most so often, and never past the program's cap", () => {
  fc.assert(
    fc.property(
      fc.array(anyTurn, { maxLength: 12 }),
      fc.nat({ max: 3 }),
      fc.nat({ max: 3 }),
      (turns, minToolCalls, mostBlocks) => {
        const spec = specOf({ minToolCalls, mostBlocks });
        const { events, state } = play(spec, turns);
        const exits = events.filter((event) => event.type === "agent.exited");
        const sent = events.filter((event) => event.type === "iteration.started").length - 1;
        expect(sent).toBeLessThanOrEqual(spec.limits.iterations - 1);
        let used = 0;
        const good = exits.findIndex((event) => {
          used += event.toolCalls;
          return event.claims.promise === true && used >= minToolCalls;
        });
        if (state.outcome?.kind === "claimed") expect(good).toBe(exits.length - 1);
        else expect(good).toBe(-1);
        let inARow = 0;
        for (const [n, event] of exits.entries()) {
          inARow = event.toolCalls > 0 || event.spoken === true ? 0 : inARow;
          if (n < sent) inARow++;
          if (mostBlocks > 0) expect(inARow).toBeLessThanOrEqual(mostBlocks);
        }
      },
    ),
  );
});
