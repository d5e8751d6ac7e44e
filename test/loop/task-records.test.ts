import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LoopEvent } from "../../src/events.ts";
import { evolve } from "../../src/loop/evolve.ts";
import { INITIAL } from "../../src/loop/state.ts";
import { iterationRecords, runTasks } from "../../src/loop/task-records.ts";
import type { RunSpec, TaskWork } from "../../src/spec.ts";
import { MODES } from "../tasks/support.ts";
import { triesOf } from "./history.ts";
import { anyRun, anySpec } from "./world.ts";

const STORIES = ["A", "B", "C"];
const WORK: TaskWork = {
  kind: "tasks",
  dir: "ralph",
  skipReview: false,
  reviewCap: 5,
  branch: "ralph/p",
  budget: { stories: 3, open: 3, iterations: 9 },
};

/** The same run, with a story and a mode for each of its iterations. */
function onTasks(event: LoopEvent): LoopEvent {
  if (event.type !== "iteration.started") return event;
  const story = STORIES[event.iteration % 3] ?? "";
  const mode = MODES[event.iteration % 2] ?? "implement";
  return { ...event, task: { mode, story, title: "", list: "l" } };
}

/** A run on tasks up to any of its events: as a crash, or a reader while it is under way, would find it. */
const anyPast = fc
  .tuple(anyRun, fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([{ events }, part]) => events.slice(0, 1 + Math.ceil(part * (events.length - 1))).map(onTasks));

const fold = (events: readonly LoopEvent[]) => events.reduce(evolve, INITIAL);

describe("the turns of a run on a task list", () => {
  it("cost together what the run cost, whatever happened to them", () => {
    fc.assert(
      fc.property(anyPast, (events) => {
        const sum = iterationRecords(events).reduce((all, { costUsd }) => all + costUsd, 0);
        expect(sum).toBeCloseTo(fold(events).usage.costUsd);
      }),
    );
  });

  it("are one for each turn that ended, and so many of them charged as iterations are used up", () => {
    fc.assert(
      fc.property(anyPast, (events) => {
        const records = iterationRecords(events);
        const tries = triesOf(events);
        const ended = tries.filter(({ exit }) => exit !== undefined);
        expect(records.map(({ story }) => story)).toEqual(
          ended.map(({ iteration }) => STORIES[iteration % 3]),
        );
        const underWay = tries.length > 0 && tries.at(-1)?.exit === undefined ? 1 : 0;
        const charged = records.filter(({ uncharged }) => uncharged !== true);
        expect(charged).toHaveLength(fold(events).iteration - underWay);
      }),
    );
  });

  it("of a run on something else are none", () => {
    fc.assert(
      fc.property(anyRun, ({ events }) => {
        expect(iterationRecords(events)).toEqual([]);
      }),
    );
  });
});

const at = { at: 1, run: "r" };
const USAGE = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 1 };
const [BASE] = fc.sample(anySpec, { numRuns: 1, seed: 1 });

function begun(work: RunSpec["work"] = WORK): LoopEvent {
  if (BASE === undefined) throw new Error("no description of a run");
  const spec: RunSpec = { ...BASE, work, gates: [], baseline: false };
  return { ...at, type: "run.started", journal: 1, ralph: "0", spec };
}

function started(iteration: number, list = "l"): LoopEvent {
  const task = { mode: "implement", story: "A", title: "", list } as const;
  return { ...at, type: "iteration.started", iteration, promptPath: "p", promptSha256: "s", task };
}

function exited(
  iteration: number,
  more: Partial<Extract<LoopEvent, { type: "agent.exited" }>> = {},
): LoopEvent {
  return {
    ...at,
    type: "agent.exited",
    iteration,
    ending: { kind: "finished" },
    exitCode: 0,
    claims: {},
    usage: USAGE,
    wallMs: 1,
    toolCalls: 1,
    denials: 0,
    ...more,
  };
}

function capped(iteration: number, ...ids: string[]): LoopEvent {
  return exited(iteration, { tasks: { list: `after ${iteration}`, unfinished: 0, notes: [], capped: ids } });
}

const ENDED: LoopEvent = {
  ...at,
  type: "run.ended",
  outcome: { kind: "failed", reason: "" },
  iterations: 1,
  usage: USAGE,
  costUsd: 1,
  tokens: 0,
  wallMs: 0,
};
const RESUMED: LoopEvent = { ...at, type: "run.resumed", ralph: "0" };

describe("a turn that was not charged", () => {
  it("is one whose number is given again after the run was resumed", () => {
    const refused = exited(1, { ending: { kind: "unauthorised", message: "401" } });
    const first = [begun(), started(1), refused, ENDED];
    expect(iterationRecords(first)).toEqual([{ story: "A", mode: "implement", costUsd: 1 }]);
    const again = [...first, RESUMED, started(1), exited(1)];
    expect(iterationRecords(again)).toEqual([
      { story: "A", mode: "implement", costUsd: 1, uncharged: true },
      { story: "A", mode: "implement", costUsd: 1 },
    ]);
  });

  it("is an empty answer, also when nothing came after it", () => {
    const events = [begun(), started(1), exited(1, { empty: true })];
    expect(iterationRecords(events)).toMatchObject([{ uncharged: true }]);
  });

  it("what was judged without a turn is no story's", () => {
    const verdict = { pass: true, exitCode: 0, wallMs: 1, logPath: "", output: "", truncated: false };
    const judged: LoopEvent = {
      ...at,
      type: "gate.judged",
      iteration: 1,
      round: 1,
      gate: 0,
      name: "",
      verdict,
      usage: USAGE,
    };
    const turn = [begun(), started(1), exited(1), judged];
    expect(iterationRecords(turn)).toMatchObject([{ costUsd: 2 }]);
    const found: LoopEvent = { ...at, type: "done.found", iteration: 1, list: "l" };
    expect(iterationRecords([...turn, found, judged])).toMatchObject([{ costUsd: 2 }]);
  });
});

describe("what the events tell of the list", () => {
  it("is nothing of a run on a prompt, and no list before the first iteration", () => {
    expect(runTasks([begun({ kind: "prompt", text: "x" })])).toBeUndefined();
    expect(runTasks([begun()])).toEqual({ work: WORK, capped: [] });
  });

  it("is the list that is believed last, and who was approved at the cap", () => {
    const turn = [begun(), started(1), capped(1, "A", "B")];
    expect(runTasks(turn)).toEqual({ work: WORK, list: "after 1", capped: ["A", "B"] });
    const reopened: LoopEvent = { ...at, type: "story.reopened", iteration: 1, story: "A", list: "open" };
    expect(runTasks([...turn, reopened])).toMatchObject({ list: "open", capped: ["B"] });
    expect(runTasks([...turn, RESUMED])).toMatchObject({ capped: ["A", "B"] });
    expect(runTasks([...turn, ENDED, RESUMED])).toMatchObject({ capped: [] });
  });
});
