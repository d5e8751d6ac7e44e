import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LoopEvent, Step } from "../../src/events.ts";
import { decide } from "../../src/loop/decide.ts";
import { evolve } from "../../src/loop/evolve.ts";
import { composePrompt } from "../../src/loop/prompt.ts";
import { INITIAL } from "../../src/loop/state.ts";
import {
  failuresInARow,
  gaveUpAsking,
  heldAnswers,
  isFailure,
  isFatal,
  isHeld,
  isProven,
  isSettled,
  isStopped,
  lastRound,
  only,
  outcomeOf,
  saysDone,
  triesOf,
} from "./history.ts";
import { anyRun, anyWorld, mostSteps, outputOf, type Played, play } from "./world.ts";

const RUNS = { numRuns: 400 };

/** Holds for every run that the hostile world can play. */
function always(holds: (run: Played) => void): void {
  fc.assert(fc.property(anyRun, holds), RUNS);
}

/** Somebody who may be held back did answer. */
const isAnswer = ({ type }: LoopEvent) =>
  type === "agent.exited" || type === "gate.judged" || type === "commit.intended" || type === "committed";

const fold = (events: readonly LoopEvent[]) => events.reduce(evolve, INITIAL);

describe("the hostile world", () => {
  it("is hostile enough: it reaches every outcome and every turn of the road", () => {
    const met = new Map<string, number>();
    const meet = (what: string) => met.set(what, (met.get(what) ?? 0) + 1);
    for (const world of fc.sample(anyWorld, { numRuns: 3000, seed: 42 })) {
      const { spec, events, steps } = play(world);
      meet(outcomeOf(events)?.kind ?? "endless");
      if (events.some((event) => event.type === "gate.judged" && event.round === 3)) meet("third round");
      if (only(events, "waited").length > 1) meet("several waits");
      if (only(events, "committed").some((event) => event.error !== undefined)) meet("failed commit");
      const intended = only(events, "commit.intended");
      if (new Set(intended.map((event) => event.iteration)).size < intended.length) meet("worded again");
      if (outcomeOf(events)?.kind === "verified" && triesOf(events).length > 1) meet("verified later");
      if (isStopped(events) && isFatal(events)) meet("stopped and faulted");
      for (const { from } of only(events, "answer.held")) meet(`${from} held back`);
      if (gaveUpAsking(spec, events)) meet("gave up asking");
      if (outcomeOf(events)?.kind === "verified" && only(events, "answer.held").length > 0)
        meet("verified after waits");
      if (spec.baseline && steps.some(({ step }) => step.do === "judge" && step.iteration === 0))
        meet("baseline");
    }
    const wanted = ["verified", "claimed", "exhausted", "stuck", "failed", "waiting", "stopped"].concat(
      ["third round", "several waits", "failed commit", "worded again", "verified later"],
      ["stopped and faulted", "baseline", "judge held back", "agent held back", "gave up asking"],
      ["verified after waits"],
    );
    const thin = wanted.filter((what) => (met.get(what) ?? 0) < 20);
    expect({ thin, met: Object.fromEntries(met) }).toMatchObject({ thin: [] });
  });
});

describe("every run", () => {
  it("ends within the steps that its limits allow", () => {
    always(({ spec, events, steps, endless }) => {
      expect(endless).toBe(false);
      expect(steps.length).toBeLessThanOrEqual(mostSteps(spec));
      expect(events.at(-1)?.type).toBe("run.ended");
    });
  });

  it("takes the same next step when it is resumed from any prefix of its journal", () => {
    always(({ events, steps }) => {
      for (const { step, after } of steps) {
        const kept = JSON.parse(JSON.stringify(events.slice(0, after))) as LoopEvent[];
        expect(decide(fold(kept))).toEqual(step);
      }
    });
  });

  it("resumes the very step that was under way when only its beginning was recorded", () => {
    always(({ events, steps }) => {
      events.forEach((event, index) => {
        if (event.type !== "agent.started") return;
        const underWay = steps.findLast(({ after }) => after <= index)?.step;
        expect(decide(fold(events.slice(0, index + 1)))).toEqual(underWay);
      });
    });
  });

  it("is not changed by anything that comes after its end", () => {
    fc.assert(
      fc.property(anyRun, anyRun, ({ events }, other) => {
        const ended = fold(events);
        for (const late of other.events) expect(evolve(ended, late)).toBe(ended);
        expect(decide(ended)).toEqual({ do: "end", outcome: outcomeOf(events) });
      }),
      RUNS,
    );
  });

  it("sums up what every turn used", () => {
    always(({ events }) => {
      const used = events.flatMap((event) =>
        event.type === "agent.exited" ||
        event.type === "answer.held" ||
        event.type === "commit.intended" ||
        event.type === "committed"
          ? [event.usage?.costUsd ?? 0]
          : [],
      );
      expect(fold(events).usage.costUsd).toBe(used.reduce((sum, one) => sum + one, 0));
    });
  });
});

describe("proof", () => {
  it("is never claimed without: verified means gates that ran, passed, on one tree, and a claim", () => {
    always(({ spec, events }) => {
      if (outcomeOf(events)?.kind !== "verified") return;
      const last = triesOf(events).at(-1);
      if (last === undefined) throw new Error("verified before the first iteration");
      expect(lastRound(last.events).length).toBeGreaterThan(0);
      expect(isProven(spec, last)).toBe(true);
      expect(saysDone(spec, last)).toBe(true);
      expect(isStopped(events) || isFatal(events)).toBe(false);
    });
  });

  it("is never withheld: a proven, claimed and settled iteration is the last one", () => {
    always(({ spec, events }) => {
      if (isStopped(events) || isFatal(events)) return;
      const done = triesOf(events).findIndex(
        (one) => isProven(spec, one) && isSettled(spec, one) && saysDone(spec, one),
      );
      expect(outcomeOf(events)?.kind === "verified").toBe(done >= 0);
      if (done >= 0) expect(done).toBe(triesOf(events).length - 1);
    });
  });

  it("is told from a mere claim: claimed exactly when there is no gate and the agent says so", () => {
    always(({ spec, events }) => {
      const last = triesOf(events).at(-1);
      const says = last !== undefined && isSettled(spec, last) && saysDone(spec, last);
      const expected = spec.gates.length === 0 && says && !isStopped(events) && !isFatal(events);
      expect(outcomeOf(events)?.kind === "claimed").toBe(expected);
    });
  });

  it("is looked for again when the tree changed, at most three times an iteration", () => {
    always(({ events }) => {
      for (const one of triesOf(events)) {
        const rounds = [...new Set(only(one.events, "gate.judged").map((event) => event.round))];
        expect(rounds).toEqual([1, 2, 3].slice(0, rounds.length));
      }
    });
  });
});

describe("a stop request", () => {
  it("beats everything but a fault", () => {
    always(({ events }) => {
      if (!isStopped(events)) return;
      expect(outcomeOf(events)?.kind).toBe(isFatal(events) ? "failed" : "stopped");
    });
  });

  it("beats verification wherever it falls, and lets at most the step under way finish", () => {
    always(({ events }) => {
      events.slice(0, -1).forEach((_, index) => {
        const prefix = events.slice(0, index + 1);
        if (isFatal(prefix) || isStopped(prefix)) return;
        const stop: LoopEvent = { type: "stop.requested", at: 0, run: "r", by: "SIGTERM" };
        const ended: Step = { do: "end", outcome: { kind: "stopped", reason: "stopped by SIGTERM" } };
        expect(decide(fold([...prefix, stop]))).toEqual(ended);
        const next = events[index + 1];
        if (next === undefined || next.type === "run.ended" || isFatal([next]) || isStopped([next])) return;
        expect(decide(fold([...prefix, stop, next]))).toEqual(ended);
        expect(decide(fold([...prefix, next, stop]))).toEqual(ended);
      });
    });
  });
});

describe("failure", () => {
  it("of the set-up or the log-in ends the run as failed, and nothing else does", () => {
    always(({ events, steps }) => {
      expect(outcomeOf(events)?.kind === "failed").toBe(isFatal(events));
      const fatal = events.findIndex((event) => isFatal([event]));
      if (fatal >= 0)
        expect(steps.filter(({ after }) => after > fatal).map(({ step }) => step.do)).toEqual(["end"]);
    });
  });

  it("of so many turns in a row ends the run as stuck", () => {
    always(({ spec, events }) => {
      if (isStopped(events) || isFatal(events)) return;
      const failures = failuresInARow(events);
      expect(failures).toBeLessThanOrEqual(spec.limits.failures);
      if (failures === spec.limits.failures) expect(outcomeOf(events)?.kind).toBe("stuck");
    });
  });

  it("is the only way to stuck, besides an agent that may do nothing", () => {
    always(({ spec, events }) => {
      if (outcomeOf(events)?.kind !== "stuck") return;
      const exit = triesOf(events).at(-1)?.exit;
      const mayNothing =
        exit?.ending.kind === "finished" && exit.denials > 0 && exit.toolCalls <= exit.denials;
      expect(failuresInARow(events) === spec.limits.failures || mayNothing).toBe(true);
    });
  });

  it("of a turn never reaches the gates or the scm in that iteration", () => {
    always(({ events }) => {
      for (const one of triesOf(events)) {
        if (one.exit?.ending.kind === "finished") continue;
        const later = one.events.map((event) => event.type);
        expect(later).not.toContain("gate.judged");
        expect(later).not.toContain("commit.intended");
        expect(later).not.toContain("committed");
      }
    });
  });

  it("of a turn is told to the next one, once", () => {
    always(({ spec, steps, events }) => {
      for (const { step, state, after } of steps) {
        if (step.do !== "start-iteration") continue;
        const exits = only(events.slice(0, after), "agent.exited").filter((event) => !isHeld(event.ending));
        const last = exits.at(-1);
        const told = composePrompt("BASE", spec, state, step.iteration).includes("did not finish");
        expect(told).toBe(last !== undefined && isFailure(last.ending));
      }
    });
  });
});

describe("iterations", () => {
  it("count up by one, start over after a wait, and never exceed the limit", () => {
    always(({ spec, events }) => {
      const tries = triesOf(events);
      tries.forEach((one, index) => {
        const before = tries[index - 1];
        const expected =
          before === undefined
            ? 1
            : before.exit !== undefined && isHeld(before.exit.ending)
              ? before.iteration
              : before.iteration + 1;
        expect(one.iteration).toBe(expected);
        expect(one.iteration).toBeLessThanOrEqual(spec.limits.iterations);
      });
    });
  });

  it("are exhausted only when as many turns as the limit were charged, held ones not among them", () => {
    always(({ spec, events }) => {
      const charged = only(events, "agent.exited").filter((event) => !isHeld(event.ending)).length;
      expect(charged).toBeLessThanOrEqual(spec.limits.iterations);
      const outcome = outcomeOf(events);
      if (outcome?.kind !== "exhausted") return;
      expect(outcome.limit).toBe("iterations");
      expect(charged).toBe(spec.limits.iterations);
    });
  });

  it("run every gate in order, each round, whether or not one fails", () => {
    always(({ spec, events }) => {
      const isCut = isStopped(events) || isFatal(events) || gaveUpAsking(spec, events);
      const rounds = new Map<string, number[]>();
      let key = "";
      let attempt = 0;
      for (const event of events) {
        if (event.type === "iteration.started") attempt++;
        if (event.type !== "gate.judged") continue;
        key = `${attempt}/${event.iteration}/${event.round}`;
        rounds.set(key, [...(rounds.get(key) ?? []), event.gate]);
      }
      const all = spec.gates.map((_, index) => index);
      for (const [name, gates] of rounds) {
        const mayBeCut = isCut && name === key;
        expect(gates).toEqual(mayBeCut ? all.slice(0, gates.length) : all);
      }
      for (const one of triesOf(events)) {
        if (one.exit?.ending.kind !== "finished" || isCut) continue;
        expect(lastRound(one.events).length).toBe(spec.gates.length);
      }
    });
  });

  it("commit only what passed", () => {
    always(({ spec, steps, events }) => {
      for (const { step, after } of steps) {
        if (step.do !== "word-commit" && step.do !== "commit") continue;
        expect(spec.scm).toBeDefined();
        const now = triesOf(events.slice(0, after)).at(-1);
        if (now === undefined) throw new Error("a commit before the first iteration");
        if (spec.gates.length > 0) expect(isProven(spec, now)).toBe(true);
      }
    });
  });

  it("tell the next prompt every gate that failed, and none that passed", () => {
    always(({ spec, steps, events }) => {
      for (const { step, state, after } of steps) {
        if (step.do !== "start-iteration") continue;
        const prompt = composePrompt("BASE", spec, state, step.iteration);
        const judged = only(events.slice(0, after), "gate.judged").filter((event) => event.iteration > 0);
        const last = judged.at(-1);
        for (const event of judged) {
          const isLatest = event.iteration === last?.iteration && event.round === last.round;
          const isTold = isLatest && !event.verdict.pass;
          expect(prompt.includes(outputOf(event))).toBe(isTold);
        }
      }
    });
  });
});

describe("waiting", () => {
  it("is always for a later moment, and longer each time when the told time is stale", () => {
    always(({ steps, events }) => {
      const waits = steps.flatMap(({ step, after }) => {
        const exit = events[after - 1];
        if (step.do !== "wait" || (exit?.type !== "agent.exited" && exit?.type !== "answer.held")) return [];
        if (exit.ending.kind !== "limited") return [];
        const told = exit.ending.retryAtMs;
        return [{ at: after, waitMs: step.untilMs - exit.at, told, untilMs: step.untilMs, exitAt: exit.at }];
      });
      expect(waits.length).toBe(steps.filter(({ step }) => step.do === "wait").length);
      waits.forEach((wait, index) => {
        expect(wait.waitMs).toBeGreaterThan(0);
        if (wait.told !== undefined) expect(wait.untilMs).toBeGreaterThanOrEqual(wait.told);
        const before = waits[index - 1];
        if (before === undefined || (wait.told !== undefined && wait.told > wait.exitAt)) return;
        const between = events.slice(before.at, wait.at - 1).filter(isAnswer);
        if (between.length > 0 || events[before.at - 1]?.type !== events[wait.at - 1]?.type) return;
        if (before.told !== undefined && before.told > before.exitAt) return;
        const hourMs = 3_600_000;
        expect(wait.waitMs).toBeGreaterThan(Math.min(before.waitMs, hourMs - 1));
      });
    });
  });

  it("for the service comes at most so often in a row, then the run says that it waits", () => {
    always(({ spec, events }) => {
      let inARow = 0;
      for (const exit of only(events, "agent.exited")) {
        inARow = isHeld(exit.ending) ? inARow + 1 : 0;
        expect(inARow).toBeLessThanOrEqual(spec.limits.waits + 1);
      }
      if (isStopped(events) || isFatal(events)) return;
      const outcome = outcomeOf(events);
      if (inARow > spec.limits.waits) expect(outcome?.kind).toBe("waiting");
    });
  });

  it("for an answer comes at most so often in a row, and then the run says that it waits; nothing else is done meanwhile", () => {
    always(({ spec, events, steps }) => {
      for (const { step, state, after } of steps) {
        const before = events.slice(0, after);
        const held = heldAnswers(before).length;
        expect(state.answerHeld?.times ?? 0).toBe(held);
        if (held === 0 || isStopped(before) || isFatal(before)) continue;
        const question = steps.findLast((one) => one.step.do !== "wait" && one.after < after)?.step;
        if (held > spec.limits.waits) {
          expect(step).toMatchObject({ do: "end", outcome: { kind: "waiting" } });
        } else if (step.do !== "wait") expect(step).toEqual(question);
        else expect(before.at(-1)?.type).toBe("answer.held");
      }
    });
  });

  it("is never counted as work", () => {
    always(({ events }) => {
      const waitedMs = events.reduce(
        (sum, event, n) => (event.type === "waited" ? sum + event.at - (events[n - 1]?.at ?? 0) : sum),
        0,
      );
      expect(fold(events).waitedMs).toBe(waitedMs);
    });
  });

  it("for a person is said exactly when the agent names its need and the work is not proven", () => {
    always(({ spec, events }) => {
      const outcome = outcomeOf(events);
      const last = triesOf(events).at(-1);
      const needs = outcome?.kind === "waiting" ? outcome.needs : undefined;
      if (needs !== undefined) {
        expect(last?.exit?.ending.kind).toBe("finished");
        expect(last?.exit?.claims.blocked).toBe(needs);
      }
      if (isStopped(events) || isFatal(events) || gaveUpAsking(spec, events)) return;
      const blocked = triesOf(events).filter(
        (one) => one.exit?.ending.kind === "finished" && one.exit.claims.blocked !== undefined,
      );
      for (const one of blocked) {
        expect(one.iteration).toBe(last?.iteration);
        const isDone = saysDone(spec, one) && (spec.gates.length === 0 || isProven(spec, one));
        const doneKind = spec.gates.length === 0 ? "claimed" : "verified";
        expect(outcome?.kind).toBe(isDone ? doneKind : "waiting");
      }
    });
  });
});

describe("the baseline", () => {
  it("runs every gate once before the first iteration, never ends a run, and never comes again", () => {
    always(({ spec, steps, events }) => {
      const judged = steps.filter(({ step }) => step.do === "judge" && step.iteration === 0);
      const wanted = spec.baseline ? spec.gates.length : 0;
      const first = steps.findIndex(({ step }) => step.do === "start-iteration");
      if (first < 0) {
        expect(isStopped(events) || isFatal(events)).toBe(true);
        return;
      }
      expect(judged.length).toBe(wanted);
      expect(first).toBe(wanted);
    });
  });

  it("reaches the first prompt only when the run asks for it", () => {
    always(({ spec, steps, events }) => {
      const first = steps.find(({ step }) => step.do === "start-iteration");
      if (first === undefined) return;
      const prompt = composePrompt("BASE", spec, first.state, 1);
      for (const event of only(events, "gate.judged").filter((one) => one.iteration === 0)) {
        const isTold = spec.prompt.baselineFeedback && !event.verdict.pass;
        expect(prompt.includes(outputOf(event))).toBe(isTold);
      }
    });
  });

  it("is forgotten as soon as an iteration was judged", () => {
    always(({ spec, steps, events }) => {
      for (const { step, state, after } of steps) {
        if (step.do !== "start-iteration") continue;
        const before = events.slice(0, after);
        if (!only(before, "gate.judged").some((event) => event.iteration > 0)) continue;
        expect(composePrompt("BASE", spec, state, step.iteration)).not.toContain("iteration 0,");
      }
    });
  });
});
