import { describe, expect, it } from "vitest";
import type { LoopEvent } from "../../src/events.ts";
import {
  afterIteration,
  beforeIteration,
  gapsSince,
  iterationsOf,
  type Rollback,
  standingRollbacks,
  toRedo,
  toUndo,
} from "../../src/loop/travel.ts";

type Word = string | { readonly resumed: string } | { readonly ended: string | undefined };

/** A journal in short: "1a" is iteration 1 started with the snapshot a, "1" the same without one. */
function journal(...words: readonly Word[]): LoopEvent[] {
  return words.map((word): LoopEvent => {
    const moment = { at: 0, run: "r" };
    if (typeof word === "string") {
      const snapshot = word.slice(1);
      const seen = snapshot === "" ? { snapshotFault: "the disk is full" } : { snapshot };
      return {
        ...moment,
        ...seen,
        type: "iteration.started",
        iteration: Number(word[0]),
        promptPath: "",
        promptSha256: "",
      };
    }
    if ("resumed" in word) return { ...moment, type: "run.resumed", ralph: "1", snapshot: word.resumed };
    const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0 };
    return {
      ...moment,
      type: "run.ended",
      outcome: { kind: "stopped", reason: "" },
      iterations: 0,
      usage,
      costUsd: 0,
      tokens: 0,
      wallMs: 0,
      ...(word.ended === undefined ? {} : { snapshot: word.ended }),
    };
  });
}

function rollback(id: string, rest: Partial<Rollback> = {}): Rollback {
  return {
    id,
    at: 0,
    events: 99,
    from: `${id}-from`,
    to: `${id}-to`,
    words: "",
    after: `${id}-after`,
    ...rest,
  };
}

describe("before an iteration", () => {
  it("is its snapshot", () => {
    const events = journal("1a", "2b", { ended: "c" });
    expect(beforeIteration(events, 1)).toEqual({ tree: "a", position: 0 });
    expect(beforeIteration(events, 2)).toEqual({ tree: "b", position: 1 });
    expect(iterationsOf(events)).toEqual([1, 2]);
  });

  it("is before its first try, whatever came after", () => {
    expect(beforeIteration(journal("1a", "1b", { ended: "c" }, { resumed: "d" }, "1e"), 1)).toMatchObject({
      tree: "a",
    });
  });

  it("is not made up: of an iteration that never was, or whose first try had no snapshot", () => {
    expect(beforeIteration(journal("1a"), 2)).toEqual({ missing: "iteration" });
    expect(beforeIteration(journal("1", "1b"), 1)).toEqual({ missing: "snapshot", why: "the disk is full" });
  });
});

describe("after an iteration", () => {
  it("is before the next one, or the end", () => {
    const events = journal("1a", "2b", { ended: "c" });
    expect(afterIteration(events, 1)).toMatchObject({ tree: "b" });
    expect(afterIteration(events, 2)).toMatchObject({ tree: "c" });
    expect(afterIteration(events, 3)).toEqual({ missing: "iteration" });
  });

  it("is after its last try", () => {
    expect(afterIteration(journal("1a", { ended: "b" }, { resumed: "c" }, "1d", "2e"), 1)).toMatchObject({
      tree: "e",
    });
  });

  it("is the end of the run, not what the user did before it was resumed", () => {
    expect(afterIteration(journal("1a", { ended: "b" }, { resumed: "c" }, "2c"), 1)).toMatchObject({
      tree: "b",
    });
  });

  it("is not known yet while nothing came after it", () => {
    expect(afterIteration(journal("1a", "2b"), 2)).toBeUndefined();
  });
});

describe("the user's work", () => {
  const since = { position: 0 };

  it("is what came after the end", () => {
    expect(gapsSince({ events: journal("1a", { ended: "b" }), rollbacks: [] }, since, "p")).toEqual([
      { known: "b", seen: "p" },
    ]);
  });

  it("is nothing when nothing changed", () => {
    expect(gapsSince({ events: journal("1a", { ended: "p" }), rollbacks: [] }, since, "p")).toEqual([]);
  });

  it("cannot be told after a run that was cut short, or whose end has no snapshot", () => {
    expect(gapsSince({ events: journal("1a"), rollbacks: [] }, since, "p")).toEqual([]);
    expect(gapsSince({ events: journal("1a", { ended: undefined }), rollbacks: [] }, since, "p")).toEqual([]);
  });

  it("is what was done between an end and a resume too, but only after the moment that is gone back to", () => {
    const events = journal("1a", { ended: "b" }, { resumed: "c" }, "2c", { ended: "d" });
    expect(gapsSince({ events, rollbacks: [] }, since, "p")).toEqual([
      { known: "b", seen: "c" },
      { known: "d", seen: "p" },
    ]);
    expect(gapsSince({ events, rollbacks: [] }, { position: 3 }, "p")).toEqual([{ known: "d", seen: "p" }]);
  });

  it("is not what a rollback did", () => {
    const events = journal("1a", { ended: "b" }, { resumed: "c" }, "2c", { ended: "d" });
    const one = rollback("r", { events: 2 });
    expect(gapsSince({ events, rollbacks: [one] }, since, "d")).toEqual([
      { known: "b", seen: "r-from" },
      { known: "r-after", seen: "c" },
    ]);
  });

  it("is not what half a rollback did", () => {
    const { after: _cut, ...half } = rollback("r", { events: 2 });
    expect(gapsSince({ events: journal("1a", { ended: "b" }), rollbacks: [half] }, since, "p")).toEqual([
      { known: "b", seen: "r-from" },
      { known: "r-from", half: "r-to", seen: "p" },
    ]);
  });

  it("for an undo, is what came after the rollback", () => {
    const history = { events: journal("1a", { ended: "b" }), rollbacks: [rollback("q"), rollback("r")] };
    expect(gapsSince(history, { rollback: "r" }, "p")).toEqual([{ known: "r-after", seen: "p" }]);
    expect(gapsSince(history, { rollback: "q" }, "p")).toEqual([
      { known: "q-after", seen: "r-from" },
      { known: "r-after", seen: "p" },
    ]);
  });
});

describe("what an undo takes back", () => {
  const [one, two] = [rollback("1"), rollback("2")];
  const undoTwo = rollback("3", { undoes: "2" });
  const redo = rollback("4", { undoes: "3" });

  it("is the last rollback, then the one before, then none", () => {
    expect(toUndo([one, two])?.id).toBe("2");
    expect(toUndo([one, two, undoTwo])?.id).toBe("1");
    expect(toUndo([one, two, undoTwo, rollback("5", { undoes: "1" })])).toBeUndefined();
    expect(toUndo([])).toBeUndefined();
  });

  it("is the same again after a redo", () => {
    expect(toUndo([one, two, undoTwo, redo])?.id).toBe("2");
    expect(standingRollbacks([one, two, undoTwo, redo]).map(({ id }) => id)).toEqual(["1", "2", "4"]);
  });

  it("can be had again only while nothing came after it", () => {
    expect(toRedo([one, two, undoTwo])?.id).toBe("3");
    expect(toRedo([one, two, undoTwo, redo])).toBeUndefined();
    expect(toRedo([one, two, undoTwo, rollback("5")])).toBeUndefined();
    expect(toRedo([one])).toBeUndefined();
    expect(toRedo([])).toBeUndefined();
  });
});
