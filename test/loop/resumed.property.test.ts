import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LoopEvent, NO_USAGE, type Outcome, type Step } from "../../src/events.ts";
import { decide } from "../../src/loop/decide.ts";
import { evolve } from "../../src/loop/evolve.ts";
import { composePrompt } from "../../src/loop/prompt.ts";
import { INITIAL, type LoopState } from "../../src/loop/state.ts";
import { gaveUpAsking, isFatal, isHeld, isStopped, only, outcomeOf } from "./history.ts";
import { anyRun, type Played } from "./world.ts";

/*
 * `ralph resume` reads the journal and goes on. Here journals of a hostile world are cut at every event, as a crash would, or
 * are ended, and what the resumed run does next is compared with what the unbroken one did.
 */

const RUNS = { numRuns: 300 };
/** A resume at the very moment of the last event: time goes on, but never back. */
const resumedAfter = (past: readonly LoopEvent[]): Extract<LoopEvent, { type: "run.resumed" }> => {
  return { type: "run.resumed", at: past.at(-1)?.at ?? 0, run: "r", ralph: "0" };
};
const stopAfter = (past: readonly LoopEvent[]): LoopEvent => {
  return { type: "stop.requested", at: past.at(-1)?.at ?? 0, run: "r", by: "SIGTERM" };
};

/** As a journal is read back: from its text. */
const fold = (events: readonly LoopEvent[]): LoopState =>
  (JSON.parse(JSON.stringify(events)) as LoopEvent[]).reduce(evolve, INITIAL);

function ended(past: readonly LoopEvent[], outcome: Outcome): LoopEvent {
  const sums = { iterations: 0, usage: NO_USAGE, costUsd: 0, tokens: 0, wallMs: 0 };
  return { type: "run.ended", at: past.at(-1)?.at ?? 0, run: "r", outcome, ...sums };
}

/** Nothing went wrong in a row just now. */
const isCalm = (state: LoopState) => state.failures === 0 && state.noProgress === 0;

/** Holds for every journal that a crash can leave, at every place where it can be cut. */
function atEveryCut(
  holds: (past: readonly LoopEvent[], rest: readonly LoopEvent[], run: Played) => void,
): void {
  fc.assert(
    fc.property(anyRun, (run) => {
      for (let cut = 1; cut < run.events.length; cut++) {
        holds(run.events.slice(0, cut), run.events.slice(cut), run);
      }
    }),
    RUNS,
  );
}

/** Holds for every run that ended in one of these ways. */
function afterEvery(kinds: readonly Outcome["kind"][], holds: (run: Played, outcome: Outcome) => void): void {
  let met = 0;
  fc.assert(
    fc.property(anyRun, (run) => {
      const outcome = outcomeOf(run.events);
      if (outcome === undefined || !kinds.includes(outcome.kind)) return;
      met++;
      holds(run, outcome);
    }),
    { numRuns: 1500, seed: 7 },
  );
  expect(met).toBeGreaterThan(20);
}

describe("a run that is resumed after a crash", () => {
  it("takes the very step that the unbroken run took, wherever its journal was cut", () => {
    let compared = 0;
    atEveryCut((past) => {
      const before = fold(past);
      if (isStopped(past) || isFatal(past)) return;
      compared++;
      expect(decide(fold([...past, resumedAfter(past)]))).toEqual(decide(before));
    });
    expect(compared).toBeGreaterThan(1000);
  });

  it("forgets a stop and a fault, and nothing else: a crash is no way out of what went wrong in a row", () => {
    atEveryCut((past) => {
      const { stop: _stop, fatal: _fatal, ...rest } = fold(past);
      expect(fold([...past, resumedAfter(past)])).toEqual(rest);
    });
  });

  it("has its iterations, cost and feedback at the end as if nothing had happened", () => {
    atEveryCut((past, rest, { events }) => {
      if (isStopped(past)) return;
      const told = ({ iteration, usage, feedback, turnFailure, outcome, claims }: LoopState) => {
        return { iteration, usage, feedback, turnFailure, outcome, claims };
      };
      expect(told(fold([...past, resumedAfter(past), ...rest]))).toEqual(told(fold(events)));
    });
  });

  it("gives the next turn the prompt that it would have had", () => {
    atEveryCut((past, _, { spec }) => {
      const state = fold(past);
      const next = composePrompt("BASE", spec, fold([...past, resumedAfter(past)]), state.iteration + 1);
      expect(next).toBe(composePrompt("BASE", spec, state, state.iteration + 1));
    });
  });

  it("may crash while it resumes, any number of times", () => {
    atEveryCut((past) => {
      expect(fold([...past, ...Array.from({ length: 3 }, () => resumedAfter(past))])).toEqual(
        fold([...past, resumedAfter(past)]),
      );
    });
  });
});

describe("a run that is resumed after it was stopped", () => {
  it("goes on where it was", () => {
    atEveryCut((past) => {
      const before = fold(past);
      if (isStopped(past) || isFatal(past) || !isCalm(before)) return;
      const stopped = fold([
        ...past,
        stopAfter(past),
        ended(past, { kind: "stopped", reason: "stopped by SIGTERM" }),
        resumedAfter(past),
      ]);
      expect(decide(stopped)).toEqual(decide(before));
    });
  });

  it("goes on after the step that was under way, when that was let finish", () => {
    atEveryCut((past, [next]) => {
      if (next === undefined || next.type === "run.ended") return;
      const unbroken = [...past, next];
      const after = fold(unbroken);
      if (isStopped(unbroken) || isFatal(unbroken) || !isCalm(after)) return;
      const stop = ended(unbroken, { kind: "stopped", reason: "stopped by SIGTERM" });
      expect(decide(fold([...past, stopAfter(past), next, stop, resumedAfter(unbroken)]))).toEqual(
        decide(after),
      );
    });
  });

  it("has the turn that was cut off again, under the same number, and at no charge", () => {
    let cut = 0;
    atEveryCut((past, [next]) => {
      if (next?.type !== "agent.exited" || isStopped(past) || isFatal(past)) return;
      cut++;
      const killed: LoopEvent = { ...next, ending: { kind: "killed", why: "stopped" }, claims: {} };
      const stop = ended([killed], { kind: "stopped", reason: "stopped by SIGTERM" });
      const again: Step = { do: "start-iteration", iteration: next.iteration };
      expect(decide(fold([...past, stopAfter(past), killed, stop, resumedAfter([killed])]))).toEqual(again);
    });
    expect(cut).toBeGreaterThan(100);
  });
});

describe("a run that is resumed after it ended by itself", () => {
  /** The next iteration, or the word that there is none. */
  function nextAfter({ spec, events }: Played): Step | "exhausted" {
    const { iteration } = fold(events);
    if (iteration >= spec.limits.iterations) return "exhausted";
    return { do: "start-iteration", iteration: iteration + 1 };
  }
  const taken = (step: Step) => (step.do === "end" ? step.outcome.kind : step);

  it("starts its next iteration when it was stuck or waited for a person, if one is left", () => {
    afterEvery(["stuck", "waiting"], (run) => {
      const last = only(run.events, "agent.exited").at(-1);
      if (last !== undefined && isHeld(last.ending)) return; // the service held it back, and not a person
      if (gaveUpAsking(run.spec, run.events)) return;
      expect(taken(decide(fold([...run.events, resumedAfter(run.events)])))).toEqual(nextAfter(run));
    });
  });

  it("asks again, with no turn before, when nobody answered; a new limit of iterations changes nothing in that", () => {
    let met = 0;
    afterEvery(["waiting"], ({ spec, events, steps }) => {
      if (!gaveUpAsking(spec, events)) return;
      met++;
      const question = steps.findLast(({ step }) => step.do !== "wait" && step.do !== "end")?.step;
      for (const iterations of [undefined, spec.limits.iterations + 2]) {
        const more = iterations === undefined ? {} : { iterations };
        const resumed = fold([...events, { ...resumedAfter(events), ...more }]);
        expect(decide(resumed)).toEqual(question);
        expect(resumed.answerHeld).toBeUndefined();
      }
    });
    expect(met).toBeGreaterThan(20);
  });

  it("needs a new limit when its iterations were used up, keeps it, and goes on from there", () => {
    afterEvery(["exhausted"], (run) => {
      const { iterations } = run.spec.limits;
      expect(decide(fold([...run.events, resumedAfter(run.events)]))).toMatchObject({
        outcome: { kind: "exhausted" },
      });
      const more: LoopEvent = { ...resumedAfter(run.events), iterations: iterations + 2 };
      const resumed = fold([...run.events, more]);
      expect(decide(resumed)).toEqual({ do: "start-iteration", iteration: iterations + 1 });
      expect(evolve(resumed, resumedAfter(run.events)).spec?.limits).toEqual({
        ...run.spec.limits,
        iterations: iterations + 2,
      });
    });
  });

  it("keeps its cost, its count and what the guardrails said", () => {
    afterEvery(["stuck", "waiting", "failed", "exhausted", "stopped"], ({ events }) => {
      const before = fold(events);
      const after = fold([...events, resumedAfter(events)]);
      expect(after).toMatchObject({
        run: before.run,
        startedAtMs: before.startedAtMs,
        iteration: before.iteration,
      });
      expect(after.usage).toEqual(before.usage);
      expect(after.feedback).toEqual(before.feedback);
      expect(after.outcome).toBeUndefined();
      expect(isCalm(after)).toBe(true);
    });
  });
});
