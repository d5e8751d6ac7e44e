import { describe, expect, it } from "vitest";
import { type AgentEnding, type LoopEvent, NO_USAGE } from "../../src/events.ts";
import { decide } from "../../src/loop/decide.ts";
import { evolve } from "../../src/loop/evolve.ts";
import { INITIAL } from "../../src/loop/state.ts";
import { summarise } from "../../src/loop/summary.ts";
import type { RunSpec } from "../../src/spec.ts";
import { specOf } from "../ui/script.ts";

const AT = 1_750_000_000_000;
const RESET = AT + 600_000;

const begun = (spec: Partial<RunSpec> = {}): LoopEvent => ({
  type: "run.started",
  at: AT,
  run: "r",
  journal: 1,
  ralph: "0",
  spec: specOf([], { baseline: false, ...spec }),
});

const turn = (at: number, ending: AgentEnding, agent?: number): LoopEvent[] => {
  const moment = { at, run: "r", iteration: 1, ...(agent === undefined ? {} : { agent }) };
  const figures = { exitCode: 1, claims: {}, usage: { ...NO_USAGE, costUsd: 1 }, wallMs: 1 };
  return [
    { ...moment, type: "iteration.started", promptPath: "p", promptSha256: "s" },
    { ...moment, type: "agent.exited", ending, ...figures, toolCalls: 0, denials: 0 },
  ];
};

const held = (retryAtMs?: number): AgentEnding => ({
  kind: "limited",
  scope: "quota",
  message: "used up",
  ...(retryAtMs === undefined ? {} : { retryAtMs }),
});
const resumed = (at: number): LoopEvent => ({ type: "run.resumed", at, run: "r", ralph: "0" });
const next = (...events: LoopEvent[]) => decide(events.reduce(evolve, INITIAL));

describe("a run that is resumed while it waits", () => {
  const waiting = [begun(), ...turn(AT, held(RESET))];

  it("waits for the same moment", () => {
    const step = next(...waiting);
    expect(step).toMatchObject({ do: "wait", iteration: 1, why: "used up" });
    expect(next(...waiting, resumed(AT + 1000))).toEqual(step);
  });

  it("waits no longer than the whole when the clock was set back since", () => {
    const step = next(...waiting);
    if (step.do !== "wait") throw new Error(step.do);
    const hours = 5 * 60 * 60_000;
    expect(next(...waiting, resumed(AT - hours))).toEqual({ ...step, untilMs: step.untilMs - hours });
  });

  it("goes on at once when that has passed, with the same iteration", () => {
    expect(next(...waiting, resumed(RESET + 60_000))).toEqual({ do: "start-iteration", iteration: 1 });
  });

  it("goes on counting: the next wait is longer, and the limit is the run's", () => {
    const again = [...waiting, resumed(RESET + 60_000), ...turn(RESET + 60_000, held())];
    const step = next(...again);
    if (step.do !== "wait") throw new Error(step.do);
    expect(step.untilMs - RESET - 60_000).toBeGreaterThanOrEqual(60_000);
    const impatient = begun({ limits: { iterations: 3, failures: 3, waits: 1, noProgress: 0 } });
    expect(next(impatient, ...again.slice(1))).toMatchObject({ do: "end", outcome: { kind: "waiting" } });
  });

  it("waits for the rest after Ctrl-C too, which cut the wait short", () => {
    const step = next(...waiting);
    const stopped: LoopEvent[] = [
      { type: "stop.requested", at: AT + 5, run: "r", by: "SIGINT" },
      { type: "waited", at: AT + 5, run: "r", iteration: 1, untilMs: RESET },
    ];
    const outcome = { kind: "stopped", reason: "" } as const;
    const sums = { iterations: 0, usage: NO_USAGE, costUsd: 0, tokens: 0, wallMs: 0 };
    const ended: LoopEvent = { type: "run.ended", at: AT + 5, run: "r", outcome, ...sums };
    expect(next(...waiting, ...stopped, ended, resumed(AT + 1000))).toEqual(step);
  });

  it("starts with a clean slate after it had given up, and has charged nothing", () => {
    const events = [
      begun({ limits: { iterations: 1, failures: 3, waits: 0, noProgress: 0 } }),
      ...turn(AT, held(RESET)),
    ];
    const end = next(...events);
    if (end.do !== "end") throw new Error(end.do);
    const sums = { iterations: 0, usage: NO_USAGE, costUsd: 0, tokens: 0, wallMs: 0 };
    events.push({ type: "run.ended", at: AT, run: "r", outcome: end.outcome, ...sums });
    expect(summarise(events, false)).toMatchObject({ iterations: 0, outcome: { kind: "waiting" } });
    expect(next(...events, resumed(AT + 1))).toEqual({ do: "start-iteration", iteration: 1 });
  });
});

describe("a fallback agent", () => {
  const codex = { kind: "codex", command: "codex", flags: [], autonomy: "full" } as const;
  const handed = [begun({ fallback: [codex] }), ...turn(AT, held(RESET))];

  it("has the turn while the main agent is held back, and until when that is is said", () => {
    const step = next(...handed);
    expect(step).toMatchObject({ do: "start-iteration", iteration: 1, agent: 1 });
    expect(step.do === "start-iteration" && step.heldUntilMs).toBeGreaterThanOrEqual(RESET);
    const run = summarise(handed, true);
    expect(run).toMatchObject({ agent: "claude", fallback: ["codex"], turnOf: "claude", iterations: 0 });
    expect(run?.heldBack).toMatchObject([{ agent: "claude", why: "used up" }]);
    expect(run).not.toHaveProperty("waitsUntil");
  });

  it("gives the turn back when the time of the main agent is over; both are paid for", () => {
    const worked = [...handed, ...turn(AT + 60_000, { kind: "finished" }, 1)];
    expect(next(...worked)).toMatchObject({ do: "start-iteration", iteration: 2, agent: 1 });
    const later = [...handed, ...turn(RESET + 60_000, { kind: "finished" }, 1)];
    expect(next(...later)).toEqual({ do: "start-iteration", iteration: 2 });
    expect(summarise(later, true)).toMatchObject({ costUsd: 2, turnOf: "codex" });
  });

  it("is waited for when it will be free before the main agent", () => {
    const both = [...handed, ...turn(AT + 1000, held(AT + 61_000), 1)];
    const step = next(...both);
    if (step.do !== "wait") throw new Error(step.do);
    expect(step.untilMs).toBeGreaterThanOrEqual(AT + 61_000);
    expect(step.untilMs).toBeLessThan(RESET);
    expect(summarise(both, true)?.waitsUntil).toBe(step.untilMs);
    const waited: LoopEvent = {
      type: "waited",
      at: step.untilMs,
      run: "r",
      iteration: 1,
      untilMs: step.untilMs,
    };
    expect(next(...both, waited)).toMatchObject({ do: "start-iteration", iteration: 1, agent: 1 });
  });

  it("gets no further without a connection, so that is waited for", () => {
    const offline: AgentEnding = { kind: "limited", scope: "offline", message: "ENOTFOUND" };
    const lost = [begun({ fallback: [codex] }), ...turn(AT, offline)];
    expect(next(...lost)).toMatchObject({ do: "wait", iteration: 1, offline: true });
  });

  it("that is refused its log-in is done without: the main agent is waited for", () => {
    const refused = [...handed, ...turn(AT + 1000, { kind: "unauthorised", message: "401" }, 1)];
    expect(next(...refused)).toMatchObject({ do: "wait", iteration: 1, why: "used up" });
  });
});
