import fc from "fast-check";
import type { AgentEnding, Claims, LoopEvent, Step, Usage } from "../../src/events.ts";
import { decide } from "../../src/loop/decide.ts";
import { evolve } from "../../src/loop/evolve.ts";
import { INITIAL, type LoopState } from "../../src/loop/state.ts";
import type { GateSpec, RunSpec } from "../../src/spec.ts";

/** How the world answers one step, whichever step it turns out to be. Plain data, so that a failure can be read. */
export interface Answer {
  readonly ending: EndingChoice;
  readonly response: "right" | "odd" | "padded" | "wrong" | "none";
  readonly blocked: boolean;
  readonly toolCalls: number;
  readonly denials: number;
  readonly startIsNoted: boolean;
  readonly pass: boolean;
  /** The turn or the gate leaves another tree behind. */
  readonly changesTree: boolean;
  /** So does the turn that words the commit message, if this step is one. */
  readonly wordingChangesTree: boolean;
  /** The tree could be measured. */
  readonly treeIsTold: boolean;
  readonly wording: "worded" | "nothing" | "failed";
  readonly commit: "made" | "nothing" | "failed";
  /** Who is asked beside the work, for a judgement or a commit message, is held back. */
  readonly heldBack: HeldChoice | undefined;
  readonly interrupt: "none" | "stop" | "fault" | "stop and fault";
  readonly elapsedMs: number;
}

type Limited = Extract<AgentEnding, { kind: "limited" }>;

interface HeldChoice {
  readonly kind: "limited";
  readonly scope: Limited["scope"];
  /** When the service says it is over, from the moment it says so; negative is stale. */
  readonly retryInMs?: number;
}

type EndingChoice = Exclude<AgentEnding, { kind: "limited" }> | HeldChoice;

/** A run description and everything that will happen to it; the answers start over when they are used up. */
export interface World {
  readonly spec: RunSpec;
  readonly answers: readonly Answer[];
}

/** A decision of the core, and how many events were on record when it was taken. */
export interface Taken {
  readonly step: Step;
  readonly after: number;
  readonly state: LoopState;
}

export interface Played {
  readonly spec: RunSpec;
  readonly events: readonly LoopEvent[];
  readonly steps: readonly Taken[];
  /** The run took more steps than its limits allow for; it was left there. */
  readonly endless: boolean;
}

const gate: fc.Arbitrary<GateSpec> = fc.record(
  {
    kind: fc.constant("guardrail" as const),
    name: fc.constantFrom("test", "lint", "build"),
    command: fc.constantFrom("npm test", "make lint", "./mvnw clean install -T 2C"),
    failAction: fc.constantFrom("APPEND" as const, "PREPEND" as const, "REPLACE" as const),
    hint: fc.constantFrom("", "look at the first error"),
    timeoutMs: fc.constant(600_000),
    flaky: fc.boolean(),
  },
  { requiredKeys: ["kind", "name", "command", "failAction", "timeoutMs", "flaky"] },
);

export const anySpec: fc.Arbitrary<RunSpec> = fc
  .record({
    response: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom("DONE", "All done", " Fertig ") },
      { weight: 1, arbitrary: fc.constantFrom("", "  ") },
    ),
    gates: fc.array(gate, { maxLength: 3 }),
    limits: fc.record({
      iterations: fc.integer({ min: 1, max: 5 }),
      failures: fc.integer({ min: 1, max: 4 }),
      waits: fc.integer({ min: 0, max: 4 }),
      noProgress: fc.constant(0),
    }),
    includeIterationCount: fc.boolean(),
    baselineFeedback: fc.boolean(),
    baseline: fc.boolean(),
    scm: fc.boolean(),
  })
  .map((one) => ({
    kind: "run",
    project: "/project",
    agent: { kind: "custom", command: "agent", flags: [], autonomy: "full" },
    work: { kind: "prompt", text: "Mend it." },
    claim: { response: one.response, hint: true, done: false },
    gates: one.gates,
    limits: one.limits,
    taskDir: "/project",
    restart: { delayMs: 0, honoursWaits: false, childWaitMs: 0, pollMs: 1 },
    timeouts: { turnMs: 0, idleMs: 0, lingerMs: 0 },
    prompt: {
      includeIterationCount: one.includeIterationCount,
      outputTruncateChars: 5000,
      baselineFeedback: one.baselineFeedback,
    },
    baseline: one.baseline,
    ...(one.scm ? { scm: { command: "git", tasks: ["commit", "push"] } } : {}),
  }));

const retryInMs = fc.oneof(
  fc.constantFrom(-3_600_000, -1, 0, 1, 60_000),
  fc.integer({ min: -86_400_000, max: 86_400_000 }),
);
const held: fc.Arbitrary<HeldChoice> = fc.record(
  {
    kind: fc.constant("limited" as const),
    scope: fc.constantFrom("rate" as const, "quota" as const, "overload" as const, "offline" as const),
    retryInMs,
  },
  { requiredKeys: ["kind", "scope"] },
);
const failed: fc.Arbitrary<EndingChoice> = fc.oneof(
  fc.constant({ kind: "error" as const, message: "it broke" }),
  fc.constant({ kind: "limited" as const, scope: "context" as const }),
  fc.record({
    kind: fc.constant("killed" as const),
    why: fc.constantFrom("idle" as const, "timeout" as const, "stopped" as const, "signal" as const),
  }),
);
const refused: fc.Arbitrary<EndingChoice> = fc.constantFrom(
  { kind: "unauthorised" as const, message: "401" },
  { kind: "not-started" as const, message: "no such program" },
);
const finished: fc.Arbitrary<EndingChoice> = fc.constant({ kind: "finished" as const });

const seldom = (one: number, of: number): fc.Arbitrary<boolean> =>
  fc.oneof(
    { weight: of - one, arbitrary: fc.constant(false) },
    { weight: one, arbitrary: fc.constant(true) },
  );

/** Answers of a world that mostly works: how often what goes wrong is for the caller to say. */
function answers(options: { ending: fc.Arbitrary<EndingChoice>; trouble: number }): fc.Arbitrary<Answer> {
  const { ending, trouble } = options;
  return fc.record({
    ending,
    response: fc.constantFrom("right", "odd", "padded", "wrong", "none"),
    blocked: seldom(1, 10),
    toolCalls: fc.nat({ max: 3 }),
    denials: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat({ max: 3 }) }),
    startIsNoted: fc.boolean(),
    pass: seldom(trouble, 6).map((fails) => !fails),
    changesTree: seldom(trouble, 6),
    wordingChangesTree: seldom(1, 3),
    treeIsTold: seldom(5, 6),
    wording: fc.constantFrom("worded", "worded", "worded", "nothing", "failed"),
    commit: fc.constantFrom("made", "made", "nothing", "failed"),
    heldBack: fc.oneof(
      { weight: 12, arbitrary: fc.constant(undefined) },
      { weight: trouble, arbitrary: held },
    ),
    interrupt: fc.oneof(
      { weight: 60, arbitrary: fc.constant("none" as const) },
      {
        weight: trouble,
        arbitrary: fc.constantFrom("stop" as const, "fault" as const, "stop and fault" as const),
      },
    ),
    elapsedMs: fc.constantFrom(0, 1, 20, 5_000),
  });
}

const weighted = (good: number, bad: number, wait: number, fatal: number): fc.Arbitrary<EndingChoice> =>
  fc.oneof(
    { weight: good, arbitrary: finished },
    { weight: bad, arbitrary: failed },
    { weight: wait, arbitrary: held },
    { weight: fatal, arbitrary: refused },
  );

const anyAnswers: fc.Arbitrary<readonly Answer[]> = fc.oneof(
  fc.array(answers({ ending: weighted(9, 1, 1, 0), trouble: 1 }), { minLength: 1, maxLength: 25 }),
  fc.array(answers({ ending: weighted(9, 4, 4, 1), trouble: 2 }), { minLength: 1, maxLength: 25 }),
  fc.array(answers({ ending: weighted(1, 1, 4, 0), trouble: 1 }), { minLength: 1, maxLength: 12 }),
  fc.array(answers({ ending: weighted(1, 4, 1, 0), trouble: 3 }), { minLength: 1, maxLength: 12 }),
);

export const anyWorld: fc.Arbitrary<World> = fc.record({ spec: anySpec, answers: anyAnswers });

/** A run that was played to its end. */
export const anyRun: fc.Arbitrary<Played> = anyWorld.map(play);

/** More steps than a run with these limits can have: what it does in its iterations, and its waits. */
export function mostSteps({ gates, limits, fallback = [] }: RunSpec): number {
  const rounds = 3;
  const charged = limits.iterations * (2 + rounds * (gates.length + 1) + 1);
  const held = 3 * (limits.iterations + 1) * (limits.waits + 1) * (fallback.length + 1);
  const asked = limits.iterations * rounds * (gates.length + 1) * 2 * (limits.waits + 1);
  return gates.length + charged + held + asked + 1;
}

/** Plays a world against the core: every step is answered, every answer is folded in. */
export function play({ spec, answers: given }: World): Played {
  const scene = new Scene(spec);
  const events: LoopEvent[] = [];
  const steps: Taken[] = [];
  let state = INITIAL;
  const happen = (event: LoopEvent) => {
    events.push(event);
    state = deepFreeze(evolve(state, JSON.parse(JSON.stringify(event)) as LoopEvent));
  };
  happen({ type: "run.started", at: scene.nowMs, run: "r", journal: 1, ralph: "0", spec });
  for (let n = 0; state.phase !== "ended"; n++) {
    const step = decide(state);
    steps.push({ step, after: events.length, state });
    if (n > mostSteps(spec)) return { spec, events, steps, endless: true };
    const answer = given[n % given.length];
    if (answer === undefined) throw new Error("a world without answers");
    for (const event of scene.answer(step, answer)) happen(event);
  }
  return { spec, events, steps, endless: false };
}

const USAGE: Usage = {
  inputTokens: 3,
  outputTokens: 2,
  cacheReadTokens: 1,
  cacheWriteTokens: 1,
  costUsd: 0.5,
};

/** What stands outside the core: the clock and the tree of the project. */
class Scene {
  nowMs = 1_750_000_000_000;
  readonly #spec: RunSpec;
  #tree = 0;

  constructor(spec: RunSpec) {
    this.#spec = spec;
  }

  answer(step: Step, answer: Answer): LoopEvent[] {
    this.nowMs += answer.elapsedMs;
    const before: LoopEvent[] = [];
    if (step.do === "run-agent" && answer.startIsNoted) {
      const process = { pid: 7, mark: "m" };
      before.push({ ...this.#stamp(step.iteration), type: "agent.started", process });
    }
    if (step.do !== "end" && answer.interrupt.startsWith("stop")) {
      before.push({ type: "stop.requested", at: this.nowMs, run: "r", by: "SIGINT" });
    }
    const isFault = step.do !== "end" && answer.interrupt.endsWith("fault");
    return [...before, isFault ? this.#fault() : this.#perform(step, answer)];
  }

  #perform(step: Step, answer: Answer): LoopEvent {
    switch (step.do) {
      case "start-iteration":
        return {
          ...this.#stamp(step.iteration),
          ...(step.agent === undefined ? {} : { agent: step.agent }),
          type: "iteration.started",
          promptPath: "p",
          promptSha256: "s",
        };
      case "run-agent":
        return this.#turn(step.iteration, answer);
      case "judge":
        return this.#judge(step, answer);
      case "judge-progress":
        return {
          ...this.#stamp(step.iteration),
          type: "progress.judged",
          ...(answer.treeIsTold ? { progress: answer.pass } : {}),
          reason: "compared",
          usage: USAGE,
        };
      case "reopen-story":
        return { ...this.#stamp(step.iteration), type: "story.reopened", story: "US-001", list: "reopened" };
      case "word-commit":
        return this.#word(step.iteration, answer);
      case "commit":
        return { ...this.#stamp(step.iteration), type: "committed", ...COMMITS[answer.commit] };
      case "wait":
        this.nowMs = Math.max(this.nowMs, step.untilMs);
        return { ...this.#stamp(step.iteration), type: "waited", untilMs: step.untilMs };
      case "pause":
        this.nowMs = Math.max(this.nowMs, step.untilMs);
        return { ...this.#stamp(step.iteration), type: "waited", untilMs: step.untilMs, pause: true };
      case "await-children":
        return { ...this.#stamp(step.iteration), type: "children.settled", waitedFor: [], stillActive: [] };
      case "end":
        return {
          type: "run.ended",
          at: this.nowMs,
          run: "r",
          outcome: step.outcome,
          iterations: 0,
          usage: USAGE,
          costUsd: 0,
          tokens: 0,
          wallMs: 0,
        };
    }
  }

  #turn(iteration: number, answer: Answer): LoopEvent {
    const { ending: choice } = answer;
    if (answer.changesTree) this.#tree++;
    const ending: AgentEnding = choice.kind === "limited" ? this.#limited(choice) : choice;
    return {
      ...this.#stamp(iteration),
      type: "agent.exited",
      exitCode: 0,
      ending,
      claims: this.#claims(answer),
      usage: USAGE,
      wallMs: 1,
      toolCalls: answer.toolCalls,
      denials: answer.denials,
    };
  }

  #limited({ scope, retryInMs: inMs }: HeldChoice): Limited {
    const told = inMs === undefined ? {} : { retryAtMs: this.nowMs + inMs };
    return { kind: "limited", scope, message: "held back", ...told };
  }

  #heldBack(iteration: number, from: "judge" | "agent", choice: HeldChoice): LoopEvent {
    const ending = this.#limited(choice);
    return { ...this.#stamp(iteration), type: "answer.held", from, ending, usage: USAGE };
  }

  #claims(answer: Answer): Claims {
    const right = this.#spec.claim.response;
    const response = {
      right,
      odd: oddCase(right),
      padded: ` ${right}\n`,
      wrong: `${right.trim()} not`,
      none: undefined,
    }[answer.response];
    return {
      ...(response === undefined ? {} : { response }),
      ...(answer.blocked ? { blocked: "a key" } : {}),
    };
  }

  #judge(step: Extract<Step, { do: "judge" }>, answer: Answer): LoopEvent {
    const isMeasured = step.iteration > 0 && answer.treeIsTold;
    const treeBefore = isMeasured && step.gate === 0 ? this.#treeName() : undefined;
    if (answer.changesTree) this.#tree++;
    // Nobody waits for a judge before the first turn.
    if (step.iteration > 0 && answer.heldBack !== undefined)
      return this.#heldBack(step.iteration, "judge", answer.heldBack);
    const treeAfter = isMeasured ? this.#treeName() : undefined;
    return {
      ...this.#stamp(step.iteration),
      type: "gate.judged",
      round: step.round,
      gate: step.gate,
      name: this.#spec.gates[step.gate]?.name ?? "no such gate",
      verdict: {
        pass: answer.pass,
        exitCode: answer.pass ? 0 : 1,
        wallMs: 1,
        logPath: "log",
        output: outputOf(step),
        truncated: false,
      },
      ...(treeBefore === undefined ? {} : { treeBefore }),
      ...(treeAfter === undefined ? {} : { treeAfter }),
    };
  }

  #word(iteration: number, answer: Answer): LoopEvent {
    const moment = this.#stamp(iteration);
    if (answer.wording === "nothing") {
      return { ...moment, type: "commit.intended", message: "", usage: USAGE };
    }
    if (answer.wordingChangesTree) this.#tree++;
    if (answer.heldBack !== undefined) return this.#heldBack(iteration, "agent", answer.heldBack);
    if (answer.wording === "failed") return { ...moment, type: "committed", error: "no words", usage: USAGE };
    const tree = answer.treeIsTold ? { tree: this.#treeName() } : {};
    return { ...moment, type: "commit.intended", message: "Mend it", usage: USAGE, ...tree };
  }

  #fault(): LoopEvent {
    return {
      type: "run.faulted",
      at: this.nowMs,
      run: "r",
      what: "gone",
      why: "no file",
      fix: "put it back",
    };
  }

  #stamp(iteration: number): { at: number; run: string; iteration: number } {
    return { at: this.nowMs, run: "r", iteration };
  }

  #treeName(): string {
    return `tree-${this.#tree}`;
  }
}

const COMMITS = {
  made: { commit: "c0ffee" },
  nothing: { nothingToCommit: true },
  failed: { error: "no identity" },
} as const;

/** What a gate printed, so that it can be found again in a prompt. */
export function outputOf(at: { iteration: number; round: number; gate: number }): string {
  return `[output of gate ${at.gate}, iteration ${at.iteration}, round ${at.round}]`;
}

function oddCase(text: string): string {
  return Array.from(text, (letter, index) =>
    index % 2 === 0 ? letter.toLowerCase() : letter.toUpperCase(),
  ).join("");
}

/** The core must not change what it was given; a frozen state makes that an error. */
function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
}
