import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LoopEvent } from "../../src/events.ts";
import { decide } from "../../src/loop/decide.ts";
import { evolve } from "../../src/loop/evolve.ts";
import { waitUntil } from "../../src/loop/limits.ts";
import { INITIAL } from "../../src/loop/state.ts";
import type { AgentSpec } from "../../src/spec.ts";
import { gaveUpAsking, isHeld, isRefused, isStopped, only, outcomeOf, triesOf } from "./history.ts";
import { anyWorld, mostSteps, type Played, play } from "./world.ts";

const standIn: AgentSpec = { kind: "custom", command: "other", flags: [], autonomy: "full" };

/** Every run of the hostile world, with one stand-in or two. */
const anyRun: fc.Arbitrary<Played> = fc
  .tuple(anyWorld, fc.constantFrom([standIn], [standIn, standIn]))
  .map(([{ spec, answers }, fallback]) => play({ spec: { ...spec, fallback }, answers }));

function always(holds: (run: Played) => void): void {
  fc.assert(fc.property(anyRun, holds), { numRuns: 400 });
}

interface Held {
  untilMs: number;
  offline: boolean;
  /** Held back more often in a row than is allowed, or refused. */
  gone: boolean;
  times: number;
}

/** Who is held back after these events, worked out from the events alone. */
function heldIn(events: readonly LoopEvent[], waits: number): Map<number, Held> {
  const held = new Map<number, Held>();
  let agent = 0;
  for (const event of events) {
    if (event.type === "iteration.started") agent = event.agent ?? 0;
    if (event.type !== "agent.exited") continue;
    const { ending, at: atMs, run } = event;
    if (ending.kind === "killed" && ending.why === "stopped") continue;
    const earlier = held.get(agent)?.times ?? 0;
    held.delete(agent);
    if (isRefused(ending)) held.set(agent, { untilMs: atMs, offline: false, gone: true, times: 0 });
    if (!isHeld(ending)) continue;
    const untilMs = waitUntil({ atMs, retryAtMs: ending.retryAtMs, earlier, seed: `${run} ${agent}` });
    const times = earlier + 1;
    held.set(agent, { untilMs, offline: ending.scope === "offline", gone: times > waits, times });
  }
  return held;
}

/** Each choice between a turn and a wait, with what is known when it is made. */
function choices({ spec, events, steps }: Played) {
  return steps.flatMap(({ step, after }) => {
    if (step.do !== "start-iteration" && step.do !== "wait") return [];
    const before = events.slice(0, after);
    if (before.at(-1)?.type === "answer.held") return []; // nobody's turn is waited for
    const nowMs = before.at(-1)?.at ?? 0;
    const held = heldIn(before, spec.limits.waits);
    const holds = [0, ...(spec.fallback ?? []).map((_, n) => n + 1)].map((agent) => held.get(agent));
    const isFree = (hold: Held | undefined) => hold === undefined || (!hold.gone && hold.untilMs <= nowMs);
    const offline = holds.find((hold) => hold?.offline === true && hold.untilMs > nowMs);
    return [{ step, nowMs, holds, isFree, offline }];
  });
}

describe("a run with fallback agents", () => {
  it("meets a world that is hostile enough", () => {
    const met = { stoodIn: 0, second: 0, back: 0, waited: 0, offline: 0, gaveUp: 0, dropped: 0 };
    for (const run of fc.sample(anyRun, { numRuns: 2000, seed: 7 })) {
      const turns = only(run.events, "iteration.started").map((event) => event.agent ?? 0);
      if (turns.includes(1)) met.stoodIn++;
      if (turns.includes(2)) met.second++;
      if (turns.some((agent, n) => agent === 0 && (turns[n - 1] ?? 0) > 0)) met.back++;
      if (run.steps.some(({ step }) => step.do === "wait")) met.waited++;
      if (run.steps.some(({ step }) => step.do === "wait" && step.offline === true)) met.offline++;
      const outcome = outcomeOf(run.events);
      if (outcome?.kind === "waiting" && outcome.needs === undefined) met.gaveUp++;
      const refused = triesOf(run.events).findIndex((one) => one.exit && isRefused(one.exit.ending));
      if (refused >= 0 && turns.length > refused + 1) met.dropped++;
    }
    expect(Object.entries(met).filter(([, times]) => times < 4)).toEqual([]);
  });

  it("ends within the steps that its limits allow", () => {
    always(({ spec, steps, endless }) => {
      expect(endless).toBe(false);
      expect(steps.length).toBeLessThanOrEqual(mostSteps(spec));
    });
  });

  it("takes the same next step when it is resumed from any prefix of its journal", () => {
    always(({ events, steps }) => {
      for (const { step, after } of steps) {
        const kept = JSON.parse(JSON.stringify(events.slice(0, after))) as LoopEvent[];
        expect(decide(kept.reduce(evolve, INITIAL))).toEqual(step);
      }
    });
  });

  it("never runs an agent that is held back, and takes the first in order that is not", () => {
    always((run) => {
      for (const { step, holds, isFree, offline } of choices(run)) {
        if (step.do !== "start-iteration") continue;
        expect(offline).toBeUndefined();
        expect(step.agent ?? 0).toBe(holds.findIndex(isFree));
      }
    });
  });

  it("never waits while somebody is free, and then for the first who will be", () => {
    always((run) => {
      for (const { step, nowMs, holds, isFree, offline } of choices(run)) {
        if (step.do !== "wait") continue;
        expect(step.untilMs).toBeGreaterThan(nowMs);
        if (offline !== undefined) {
          // Without a connection nobody would get further.
          expect(step.untilMs).toBe(offline.untilMs);
          continue;
        }
        expect(holds.some(isFree)).toBe(false);
        const untils = holds.flatMap((hold) => (hold === undefined || hold.gone ? [] : [hold.untilMs]));
        expect(step.untilMs).toBe(Math.min(...untils));
      }
    });
  });

  it("never charges a turn that was held back: it comes again under its number, whoever has it", () => {
    always(({ spec, events }) => {
      const tries = triesOf(events);
      const isCharged = (one: (typeof tries)[number]) =>
        one.exit !== undefined && !isHeld(one.exit.ending) && !isRefused(one.exit.ending);
      tries.forEach((one, n) => {
        expect(one.iteration).toBe(1 + tries.slice(0, n).filter(isCharged).length);
        expect(one.iteration).toBeLessThanOrEqual(spec.limits.iterations);
      });
    });
  });

  it("gives up only when every agent was held back too often, or refused", () => {
    always(({ spec, events }) => {
      const outcome = outcomeOf(events);
      if (outcome?.kind !== "waiting" || outcome.needs !== undefined || isStopped(events)) return;
      if (gaveUpAsking(spec, events)) return;
      const held = heldIn(events, spec.limits.waits);
      for (const [agent] of [0, ...(spec.fallback ?? [])].entries()) expect(held.get(agent)?.gone).toBe(true);
    });
  });
});
