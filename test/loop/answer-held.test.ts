import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LoopEvent, NO_USAGE, type Verdict } from "../../src/events.ts";
import { decide } from "../../src/loop/decide.ts";
import { evolve } from "../../src/loop/evolve.ts";
import { INITIAL } from "../../src/loop/state.ts";
import { summarise } from "../../src/loop/summary.ts";
import type { RunSpec } from "../../src/spec.ts";
import { specOf } from "../ui/script.ts";

const AT = 1_750_000_000_000;
const RESET = AT + 600_000;
const WAITS = 3;

const moment = (at: number) => ({ at, run: "r", iteration: 1 });
const verdict = (pass: boolean): Verdict => ({
  pass,
  exitCode: pass ? 0 : 1,
  wallMs: 1,
  logPath: "log",
  output: "",
  truncated: false,
});
const judged = (gate: number, pass = true, at = AT): LoopEvent => ({
  ...moment(at),
  type: "gate.judged",
  round: 1,
  gate,
  name: "smoke",
  verdict: verdict(pass),
});
const held = (at: number, retryAtMs?: number, scope: "quota" | "offline" = "quota"): LoopEvent => ({
  ...moment(at),
  type: "answer.held",
  from: "judge",
  ending: { kind: "limited", scope, message: "used up", ...(retryAtMs === undefined ? {} : { retryAtMs }) },
  usage: { ...NO_USAGE, costUsd: 1 },
});
const resumed = (at: number): LoopEvent => ({ type: "run.resumed", at, run: "r", ralph: "0" });
const ended = (outcome: "stopped" | "waiting", at: number): LoopEvent => ({
  type: "run.ended",
  at,
  run: "r",
  outcome: { kind: outcome, reason: "" },
  iterations: 1,
  usage: NO_USAGE,
  costUsd: 0,
  tokens: 0,
  wallMs: 0,
});

/** A turn is over, the first of two gates has passed, and the judge of the second is to be asked. */
const worked: readonly LoopEvent[] = [
  {
    type: "run.started",
    at: AT,
    run: "r",
    journal: 1,
    ralph: "0",
    spec: specOf(["lint", "smoke"], { baseline: false }),
  },
  { ...moment(AT), type: "iteration.started", promptPath: "p", promptSha256: "s" },
  {
    ...moment(AT),
    type: "agent.exited",
    ending: { kind: "finished" },
    exitCode: 0,
    claims: { response: "DONE" },
    usage: NO_USAGE,
    wallMs: 1,
    toolCalls: 1,
    denials: 0,
  },
  judged(0),
];

const state = (...events: LoopEvent[]) => [...worked, ...events].reduce(evolve, INITIAL);
const next = (...events: LoopEvent[]) => decide(state(...events));
const ASK_AGAIN = { do: "judge", iteration: 1, round: 1, gate: 1 };

describe("a judge that its service holds back", () => {
  it("is waited for, and then the same gate is run again; no turn is begun", () => {
    const step = next(held(AT, RESET));
    expect(step).toMatchObject({ do: "wait", iteration: 1, why: "the judge: used up" });
    if (step.do !== "wait") throw new Error(step.do);
    expect(step.untilMs).toBeGreaterThanOrEqual(RESET);
    const waited: LoopEvent = { ...moment(step.untilMs), type: "waited", untilMs: step.untilMs };
    expect(next(held(AT, RESET), waited)).toEqual(ASK_AGAIN);
    expect(next(held(AT, RESET), waited, judged(1))).toMatchObject({
      do: "end",
      outcome: { kind: "verified" },
    });
  });

  it("costs what it said that it used, and is forgotten once it has answered", () => {
    const after = state(held(AT, RESET), judged(1, false));
    expect(after.usage.costUsd).toBe(1);
    expect(after.answerHeld).toBeUndefined();
  });

  it("is waited for without a connection, too", () => {
    expect(next(held(AT, undefined, "offline"))).toMatchObject({ do: "wait", offline: true });
  });

  it("is waited for at most so often in a row, and longer each time; then the run says that it waits", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 100_000 }), { maxLength: 6 }), (late) => {
        const events: LoopEvent[] = [];
        let at = AT;
        let longest = 0;
        for (const ms of late) {
          events.push(held(at));
          const step = next(...events);
          if (events.filter(({ type }) => type === "answer.held").length > WAITS) {
            expect(step).toMatchObject({ do: "end", outcome: { kind: "waiting" } });
            return;
          }
          if (step.do !== "wait") throw new Error(step.do);
          expect(step.untilMs - at).toBeGreaterThan(longest);
          longest = step.untilMs - at;
          at = step.untilMs + ms;
          events.push({ ...moment(at), type: "waited", untilMs: step.untilMs });
          expect(next(...events)).toEqual(ASK_AGAIN);
        }
      }),
    );
  });

  it("is waited for until the same moment by a run that is resumed after a crash, or after Ctrl-C", () => {
    const step = next(held(AT, RESET));
    expect(next(held(AT, RESET), resumed(AT + 1000))).toEqual(step);
    expect(next(held(AT, RESET), resumed(RESET * 2))).toEqual(ASK_AGAIN);
    const stop: LoopEvent = { type: "stop.requested", at: AT + 5, run: "r", by: "SIGINT" };
    expect(next(held(AT, RESET), stop, ended("stopped", AT + 5), resumed(AT + 1000))).toEqual(step);
  });

  it("is asked anew, with no turn of the agent's before, by a run that is resumed after it gave up", () => {
    const often = Array.from({ length: WAITS + 1 }, () => held(AT));
    const after = state(...often, ended("waiting", AT), resumed(AT + 5));
    expect(decide(after)).toEqual(ASK_AGAIN);
    expect(after.answerHeld).toBeUndefined();
  });

  it("is forgotten with the iteration of a task list, which is looked at anew after Ctrl-C", () => {
    const [begun, ...rest] = worked;
    if (begun?.type !== "run.started") throw new Error("no beginning");
    const budget = { stories: 2, open: 2, iterations: 4 };
    const work: RunSpec["work"] = {
      kind: "tasks",
      dir: ".ralph",
      skipReview: false,
      reviewCap: 3,
      branch: "b",
      budget,
    };
    const list: LoopEvent[] = [{ ...begun, spec: { ...begun.spec, work } }, ...rest];
    const stop: LoopEvent = { type: "stop.requested", at: AT + 5, run: "r", by: "SIGINT" };
    const again = [...list, held(AT, RESET), stop, ended("stopped", AT + 5), resumed(AT + 1000)];
    const after = again.reduce(evolve, INITIAL);
    expect(decide(after)).toMatchObject({ do: "start-iteration", iteration: 2 });
    expect(after.answerHeld).toBeUndefined();
  });

  it("is named where people look: in the step, and in the summary of the run", () => {
    expect(next(held(AT, RESET))).toMatchObject({ do: "wait", whom: "judge" });
    expect(summarise([...worked, held(AT, RESET)], true)).toMatchObject({ waitsFor: "judge" });
    expect(summarise([...worked, held(AT, RESET), judged(1)], true)).not.toHaveProperty("waitsFor");
  });
});

describe("an agent that its service holds back when it is asked for a commit message", () => {
  const scm = { command: "git", tasks: ["commit"] };
  const [begun, ...rest] = worked;
  const passed: LoopEvent[] = [
    begun?.type === "run.started" ? { ...begun, spec: { ...begun.spec, scm } } : judged(0),
    ...rest,
    judged(1),
  ];
  const asked: LoopEvent = {
    ...moment(AT),
    type: "answer.held",
    from: "agent",
    ending: { kind: "limited", scope: "quota", message: "used up", retryAtMs: RESET },
    usage: NO_USAGE,
  };
  const then = (...events: LoopEvent[]) => decide([...passed, ...events].reduce(evolve, INITIAL));

  it("is waited for and asked again, and what was judged is committed", () => {
    expect(then()).toEqual({ do: "word-commit", iteration: 1 });
    const step = then(asked);
    expect(step).toMatchObject({ do: "wait", iteration: 1, why: "used up" });
    if (step.do !== "wait") throw new Error(step.do);
    const waited: LoopEvent = { ...moment(step.untilMs), type: "waited", untilMs: step.untilMs };
    expect(then(asked, waited)).toEqual({ do: "word-commit", iteration: 1 });
    const worded: LoopEvent = {
      ...moment(step.untilMs),
      type: "commit.intended",
      message: "Add it",
      usage: NO_USAGE,
    };
    expect(then(asked, waited, worded)).toEqual({ do: "commit", iteration: 1, message: "Add it" });
  });
});
