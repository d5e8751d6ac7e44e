import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LoopEvent, Verdict } from "../../src/events.ts";
import { decide } from "../../src/loop/decide.ts";
import { evolve } from "../../src/loop/evolve.ts";
import { composePrompt } from "../../src/loop/prompt.ts";
import { INITIAL, type LoopState } from "../../src/loop/state.ts";
import type { Criterion, RunSpec } from "../../src/spec.ts";
import { isFatal, isProven, isSettled, isStopped, outcomeOf, saysDone, triesOf } from "./history.ts";
import { anySpec, anyWorld, play } from "./world.ts";

const CRITERION: Criterion = {
  kind: "criterion",
  criterion: "custom",
  name: "custom: make smoke",
  command: "make smoke",
  failAction: "APPEND",
  timeoutMs: 1,
  flaky: false,
  judged: true,
};

/** The same worlds, with criteria, and no claim needed. */
const anyCriteriaRun = anyWorld
  .filter(({ spec }) => spec.gates.length > 0)
  .map((world) =>
    play({
      ...world,
      spec: {
        ...world.spec,
        claim: { ...world.spec.claim, needed: false },
        gates: [...world.spec.gates.slice(1), CRITERION],
      },
    }),
  );

describe("a run that needs no claim", () => {
  it("ends verified exactly when all gates pass after a turn, on one tree; a green baseline ends nothing", () => {
    let unclaimed = 0;
    fc.assert(
      fc.property(anyCriteriaRun, ({ spec, events }) => {
        if (isStopped(events) || isFatal(events)) return;
        const tries = triesOf(events);
        const done = tries.findIndex((one) => isProven(spec, one) && isSettled(spec, one));
        expect(outcomeOf(events)?.kind === "verified").toBe(done >= 0);
        if (done < 0) return;
        expect(done).toBe(tries.length - 1);
        expect(events.some((event) => event.type === "agent.exited")).toBe(true);
        const last = tries[done];
        if (last !== undefined && !saysDone(spec, last)) unclaimed++;
      }),
      { numRuns: 600 },
    );
    expect(unclaimed).toBeGreaterThan(20);
  });
});

/** A run whose iterations go as told: a turn that changes the tree, and one gate. */
class Story {
  readonly events: LoopEvent[] = [];
  state: LoopState = INITIAL;
  #iteration = 0;

  constructor(spec: RunSpec) {
    this.add({ type: "run.started", at: 1, run: "r", journal: 1, ralph: "0", spec });
  }

  add(event: LoopEvent): void {
    this.events.push(event);
    this.state = evolve(this.state, event);
  }

  fail(verdict: Partial<Verdict> = {}, tree?: string): void {
    const iteration = ++this.#iteration;
    const moment = { at: iteration, run: "r", iteration };
    const name = tree ?? `tree-${iteration}`;
    const first = iteration === 1 ? { tree: "tree-0" } : {};
    this.add({ ...moment, type: "iteration.started", promptPath: "p", promptSha256: "s", ...first });
    this.add({
      ...moment,
      type: "agent.exited",
      ending: { kind: "finished" },
      exitCode: 0,
      claims: {},
      usage: USAGE,
      wallMs: 1,
      toolCalls: 1,
      denials: 0,
      tree: name,
    });
    const whole = {
      pass: false,
      exitCode: 0,
      wallMs: 1,
      logPath: "l",
      output: `output ${letters(iteration)}`,
      truncated: false,
    };
    this.add({
      ...moment,
      type: "gate.judged",
      round: 1,
      gate: 0,
      name: "g",
      verdict: { ...whole, ...verdict },
    });
  }

  compare(progress: boolean | undefined): void {
    const at = { at: this.#iteration, run: "r", iteration: this.#iteration };
    const said = progress === undefined ? {} : { progress };
    this.add({ ...at, type: "progress.judged", ...said, reason: "r", usage: USAGE });
  }

  get next(): string {
    return decide(this.state).do;
  }
}

const USAGE = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0.5 };
const ENDED = {
  type: "run.ended",
  at: 9,
  run: "r",
  iterations: 2,
  usage: USAGE,
  costUsd: 0,
  tokens: 0,
  wallMs: 1,
} as const;
const letters = (n: number) => "abcdefghij"[n] ?? "z";

function specWith(progress: boolean): RunSpec {
  const [base] = fc.sample(anySpec, { numRuns: 1, seed: 1 });
  if (base === undefined) throw new Error("no spec");
  const { scm: _scm, ...spec } = base;
  return {
    ...spec,
    baseline: false,
    gates: [CRITERION],
    claim: { response: "DONE", hint: true, done: false, needed: false },
    limits: { iterations: 10, failures: 3, waits: 3, noProgress: 3 },
    judge: { maxChars: 1000, progress },
  };
}

describe("progress by judgement", () => {
  it("is asked for after an iteration that failed as the one before did, and never without being wanted", () => {
    const wanted = new Story(specWith(true));
    wanted.fail();
    expect(wanted.next).toBe("start-iteration");
    wanted.fail();
    expect(wanted.next).toBe("judge-progress");
    const unwanted = new Story(specWith(false));
    unwanted.fail();
    unwanted.fail();
    expect(unwanted.next).toBe("start-iteration");
  });

  it("is not asked for where the measure has spoken already, nor in the last iteration", () => {
    const still = new Story(specWith(true));
    still.fail();
    still.fail({}, "tree-1");
    expect(still.state.noProgress).toBe(1);
    expect(still.next).toBe("start-iteration");
    const spec = specWith(true);
    const last = new Story({ ...spec, limits: { ...spec.limits, iterations: 2 } });
    last.fail();
    last.fail();
    const step = decide(last.state);
    expect(step).toMatchObject({ do: "end", outcome: { kind: "exhausted" } });
    if (step.do !== "end") return;
    // Who goes on with more iterations begins with a clean slate.
    last.add({ ...ENDED, outcome: step.outcome });
    last.add({ type: "run.resumed", at: 10, run: "r", ralph: "0", iterations: 9 });
    expect(last.next).toBe("start-iteration");
  });

  it("counts a no of the judge's, goes on counting, and ends the run as stuck", () => {
    const story = new Story(specWith(true));
    story.fail();
    for (const count of [1, 2, 3]) {
      story.fail();
      expect(story.next).toBe("judge-progress");
      // A run that is resumed here asks the same question again.
      const resumed = evolve(story.state, { type: "run.resumed", at: 9, run: "r", ralph: "0" });
      expect(decide(resumed).do).toBe("judge-progress");
      story.compare(false);
      expect(story.state.noProgress).toBe(count);
    }
    expect(decide(story.state)).toMatchObject({ do: "end", outcome: { kind: "stuck" } });
    expect(story.state.usage.costUsd).toBe(3.5);
    // Nothing is left to compare when somebody goes on from there.
    story.add({ ...ENDED, outcome: { kind: "stuck", reason: "" } });
    story.add({ type: "run.resumed", at: 10, run: "r", ralph: "0" });
    expect(story.next).toBe("start-iteration");
  });

  it.each([true, undefined])("is not taken away by a judge that says %s", (progress) => {
    const story = new Story(specWith(true));
    story.fail();
    story.fail();
    story.compare(progress);
    expect(story.state.noProgress).toBe(0);
    expect(story.next).toBe("start-iteration");
  });
});

describe("a judge that could not be asked", () => {
  it("never makes a run stuck", () => {
    const story = new Story(specWith(true));
    for (let n = 0; n < 9; n++) {
      story.fail(
        { unjudged: true, output: "same", reason: "the judge could not be asked: rate limit" },
        "tree-0",
      );
      expect(story.state.noProgress).toBe(0);
      expect(story.next).toBe("start-iteration");
    }
  });

  it("is told apart in the next prompt", () => {
    const story = new Story(specWith(false));
    story.fail({ unjudged: true, reason: "the judge could not be asked: rate limit" });
    const prompt = composePrompt("Work.", specWith(false), story.state, 2);
    expect(prompt).toContain(
      'Criterion custom ("make smoke") is not met: the judge could not be asked: rate limit.',
    );
    expect(prompt).toContain("That says nothing about your work.");
  });
});

describe("the next prompt", () => {
  it("holds the judge's reason and suggestions", () => {
    const story = new Story(specWith(false));
    const judgment = {
      success: false,
      reason: "page 3 is empty",
      suggestions: ["look at the cache", "wait longer"],
    };
    story.fail({ reason: "the judge says that it is no success", judgment });
    expect(composePrompt("Work.", specWith(false), story.state, 2)).toBe(
      [
        "Work.",
        "",
        'Criterion custom ("make smoke") is not met: the judge says that it is no success.',
        "Reason: page 3 is empty",
        "Suggestions:",
        "- look at the cache",
        "- wait longer",
        "Output file: l",
        "Output (truncated):",
        "output b",
      ].join("\n"),
    );
  });
});
