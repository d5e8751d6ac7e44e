import { expect, test } from "vitest";
import { describeRun } from "../../src/config/describe.ts";
import { type LoopEvent, NO_USAGE } from "../../src/events.ts";
import { decide } from "../../src/loop/decide.ts";
import { evolve } from "../../src/loop/evolve.ts";
import { INITIAL } from "../../src/loop/state.ts";
import type { RunSpec } from "../../src/spec.ts";

const MINUTE = 60_000;
const IN = { run: "r", iteration: 1 };
const base = describeRun({ project: "/project", agent: "agent", prompt: "x" }, () => "custom");
const spec: RunSpec = { ...base, limits: { ...base.limits, durationMs: 30 * MINUTE } };

const begin: LoopEvent = { type: "run.started", at: 0, run: "r", journal: 1, ralph: "0", spec };
const turn = (at: number): LoopEvent[] => [
  { ...IN, at, type: "iteration.started", promptPath: "p", promptSha256: "s" },
  {
    ...IN,
    at,
    type: "agent.exited",
    ending: { kind: "finished" },
    exitCode: 0,
    claims: {},
    usage: NO_USAGE,
    wallMs: 1,
    toolCalls: 0,
    denials: 0,
  },
];
const next = (events: readonly LoopEvent[]) => decide(events.reduce(evolve, INITIAL));

test("a run whose time is up is exhausted, and says so", () => {
  expect(next([begin, ...turn(30 * MINUTE - 1)])).toMatchObject({ do: "start-iteration" });
  expect(next([begin, ...turn(30 * MINUTE)])).toEqual({
    do: "end",
    outcome: {
      kind: "exhausted",
      limit: "duration",
      reason: "its time is up (30 minutes) and the work is not proven done",
    },
  });
});

test("time in which nobody worked does not count: waits, pauses, and what lay between a crash and the resume", () => {
  const idle = (from: number): LoopEvent[] => [
    { ...IN, at: from + 100 * MINUTE, type: "waited", untilMs: from + 100 * MINUTE },
    { run: "r", at: from + 300 * MINUTE, type: "run.resumed", ralph: "0" },
  ];
  const early = [begin, ...turn(20 * MINUTE), ...idle(20 * MINUTE)];
  expect(next([...early, ...turn(329 * MINUTE)])).toMatchObject({ do: "start-iteration" });
  expect(next([...early, ...turn(330 * MINUTE)])).toMatchObject({ outcome: { limit: "duration" } });
});

test("whoever resumes a run that had ended gives it the whole time again", () => {
  const over = [begin, ...turn(31 * MINUTE)];
  const outcome = { kind: "exhausted", limit: "duration", reason: "" } as const;
  const sums = { iterations: 1, usage: NO_USAGE, costUsd: 0, tokens: 0, wallMs: 0 };
  const resumed: LoopEvent[] = [
    ...over,
    { type: "run.ended", at: 31 * MINUTE, run: "r", outcome, ...sums },
    { type: "run.resumed", at: 50 * MINUTE, run: "r", ralph: "0" },
  ];
  expect(next(resumed)).toMatchObject({ do: "start-iteration" });
  expect(next([...resumed, ...turn(80 * MINUTE)])).toMatchObject({ outcome: { limit: "duration" } });
});
