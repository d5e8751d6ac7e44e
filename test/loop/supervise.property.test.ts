import fc from "fast-check";
import { expect, test } from "vitest";
import { type LoopEvent, NO_USAGE, type Step } from "../../src/events.ts";
import { decide } from "../../src/loop/decide.ts";
import { evolve } from "../../src/loop/evolve.ts";
import { INITIAL, type LoopState } from "../../src/loop/state.ts";
import { anySpec } from "./world.ts";

/** One world of a supervised command: DONE lies about or not, gates pass or not, the tree moves or not. */
interface Answer {
  readonly exitCode: number;
  readonly done: boolean;
  readonly wait: boolean;
  readonly pass: boolean;
  readonly moves: boolean;
}

const answer: fc.Arbitrary<Answer> = fc.record({
  exitCode: fc.constantFrom(0, 1, 42),
  done: fc.boolean(),
  wait: fc.boolean(),
  pass: fc.boolean(),
  moves: fc.boolean(),
});

function perform(step: Step, state: LoopState, say: Answer, tree: { n: number }): LoopEvent {
  const at = Math.max(state.turnEndedMs, "untilMs" in step ? step.untilMs : 0) + 1;
  const stamp = { at, run: "r", iteration: state.iteration };
  switch (step.do) {
    case "start-iteration":
      // DONE stands there all the time: only a refusal keeps the run from looking at it for ever.
      if (state.spec?.claim.done === true && !state.doneRefused && say.done)
        return { ...stamp, type: "done.found" };
      return {
        ...stamp,
        iteration: step.iteration,
        type: "iteration.started",
        promptPath: "",
        promptSha256: "",
      };
    case "run-agent":
      return {
        ...stamp,
        type: "agent.exited",
        ending: say.exitCode === 0 ? { kind: "finished" } : { kind: "error", message: "bad" },
        exitCode: say.exitCode,
        claims: { ...(say.done ? { done: true } : {}), ...(say.wait ? { wait: "exit code 42" } : {}) },
        usage: NO_USAGE,
        wallMs: 1,
        toolCalls: 0,
        denials: 0,
      };
    case "judge": {
      const treeBefore = `t${tree.n}`;
      if (say.moves) tree.n++;
      const verdict = { pass: say.pass, exitCode: 0, wallMs: 1, logPath: "", output: "", truncated: false };
      const trees = { treeBefore, treeAfter: `t${tree.n}` };
      return {
        ...stamp,
        type: "gate.judged",
        round: step.round,
        gate: step.gate,
        name: "g",
        verdict,
        ...trees,
      };
    }
    case "pause":
      return { ...stamp, type: "waited", untilMs: step.untilMs, pause: true };
    case "await-children":
      return { ...stamp, type: "children.settled", waitedFor: [], stillActive: [] };
    case "end": {
      const sums = { usage: NO_USAGE, costUsd: 0, tokens: 0, wallMs: 0, iterations: state.iteration };
      return { type: "run.ended", at, run: "r", outcome: step.outcome, ...sums };
    }
    default:
      throw new Error(`not expected here: ${step.do}`);
  }
}

test("a supervised run ends, and is done only by DONE and by gates that passed", () => {
  fc.assert(
    fc.property(anySpec, fc.infiniteStream(answer), (base, answers) => {
      const { scm: _none, ...rest } = base;
      const spec = {
        ...rest,
        kind: "supervise" as const,
        baseline: false,
        claim: { response: "", hint: false, done: true },
        restart: { delayMs: 5, honoursWaits: true, childWaitMs: 0, pollMs: 1 },
        limits: { ...base.limits, failures: 0 },
      };
      let state = evolve(INITIAL, { type: "run.started", at: 1, run: "r", journal: 1, ralph: "0", spec });
      const tree = { n: 0 };
      const most = (spec.limits.iterations + 2) * (4 + 4 * Math.max(1, spec.gates.length));
      let steps = 0;
      for (const say of answers) {
        if (state.phase === "ended") break;
        expect(++steps).toBeLessThan(most);
        const step = decide(state);
        if (step.do === "end" && (step.outcome.kind === "verified" || step.outcome.kind === "claimed")) {
          expect(state.claims.done).toBe(true);
          expect(state.childrenSettled).toBe(true);
          expect(state.verdicts.length).toBe(spec.gates.length);
          expect(state.verdicts.every((verdict) => verdict.pass)).toBe(true);
          expect(step.outcome.kind).toBe(spec.gates.length > 0 ? "verified" : "claimed");
        }
        state = evolve(state, perform(step, state, say, tree));
      }
      expect(state.phase).toBe("ended");
    }),
  );
});
