import { describe, expect, it } from "vitest";
import type { LoopEvent, Step } from "../../src/events.ts";
import { NO_USAGE } from "../../src/events.ts";
import type { Journal } from "../../src/journal/journal.ts";
import { type Drive, drive, type Perform } from "../../src/loop/drive.ts";
import type { RunSpec } from "../../src/spec.ts";
import { memoryJournal } from "../../src/testing/journal.ts";
import type { Reporter } from "../../src/ui/reporter.ts";

const spec: RunSpec = {
  kind: "run",
  project: "/project",
  agent: { kind: "custom", command: "agent", flags: [], autonomy: "full" },
  work: { kind: "prompt", text: "Mend it." },
  claim: { response: "DONE", hint: true, done: false },
  gates: [],
  limits: { iterations: 2, failures: 3, waits: 3, noProgress: 0 },
  taskDir: "/project",
  restart: { delayMs: 0, honoursWaits: false, childWaitMs: 0, pollMs: 1 },
  timeouts: { turnMs: 0, idleMs: 0, lingerMs: 0 },
  prompt: { includeIterationCount: false, outputTruncateChars: 5000, baselineFeedback: false },
  baseline: false,
};
const started: LoopEvent = { type: "run.started", at: 1, run: "r", journal: 1, ralph: "0", spec };

/** A performer for an agent that claims at once. */
const obedient: Perform = async (step) => answer(step);

function answer(step: Step): LoopEvent {
  const moment = { at: 1, run: "r", iteration: 1 };
  switch (step.do) {
    case "start-iteration":
      return { ...moment, type: "iteration.started", promptPath: "p", promptSha256: "s" };
    case "run-agent": {
      const how = { ending: { kind: "finished" }, claims: { response: "DONE" }, usage: NO_USAGE } as const;
      return { ...moment, type: "agent.exited", exitCode: 0, ...how, wallMs: 1, toolCalls: 1, denials: 0 };
    }
    case "end": {
      const sums = { usage: NO_USAGE, costUsd: 0, tokens: 0, wallMs: 0 };
      return { type: "run.ended", at: 1, run: "r", outcome: step.outcome, iterations: 1, ...sums };
    }
    default:
      throw new Error(`not expected here: ${step.do}`);
  }
}

function listener(): Reporter & { readonly heard: string[] } {
  const heard: string[] = [];
  return {
    heard,
    happened: (event: LoopEvent) => void heard.push(event.type),
    doing: () => {},
    said: () => {},
    detail: () => {},
  };
}

function setUp(more: Partial<Drive> & { journal: Journal }): Drive {
  return { history: [started], reporter: listener(), perform: obedient, onStart: () => {}, ...more };
}

describe("drive", () => {
  it("records every event, in order, and returns the outcome of the last", async () => {
    const journal = memoryJournal();
    const reporter = listener();
    const outcome = await drive(setUp({ journal, reporter }));
    expect(outcome.kind).toBe("claimed");
    const types = ["iteration.started", "agent.exited", "run.ended"];
    expect(journal.events.map((event) => event.type)).toEqual(types);
    expect(reporter.heard).toEqual(types);
  });

  it("performs nothing, and shows nothing, before the last event is on disk", async () => {
    const log: string[] = [];
    const journal: Journal = {
      append: async (event) => {
        log.push(`write ${event.type}`);
        await new Promise((resolve) => setImmediate(resolve));
        log.push(`synced ${event.type}`);
      },
      close: async () => {},
    };
    const reporter = { ...listener(), happened: (event: LoopEvent) => void log.push(`show ${event.type}`) };
    const perform: Perform = async (step) => {
      log.push(`do ${step.do}`);
      return answer(step);
    };
    await drive(setUp({ journal, reporter, perform }));
    expect(log).toEqual(
      [
        ["start-iteration", "iteration.started"],
        ["run-agent", "agent.exited"],
        ["end", "run.ended"],
      ].flatMap(([step, type]) => [`do ${step}`, `write ${type}`, `synced ${type}`, `show ${type}`]),
    );
  });

  it("goes on from a history instead of starting over", async () => {
    const journal = memoryJournal();
    await drive(setUp({ journal, history: [started, answer({ do: "start-iteration", iteration: 1 })] }));
    expect(journal.events.map((event) => event.type)).toEqual(["agent.exited", "run.ended"]);
  });

  it("lets the step under way finish when a stop is asked for, then ends, claim or not", async () => {
    const journal = memoryJournal();
    let stop: (by: string) => Promise<void> = async () => {};
    const perform: Perform = async (step) => {
      if (step.do === "run-agent") await stop("SIGINT");
      return answer(step);
    };
    const outcome = await drive(setUp({ journal, perform, onStart: (given) => (stop = given) }));
    expect(outcome).toEqual({ kind: "stopped", reason: "stopped by SIGINT" });
    expect(journal.events.map((event) => event.type)).toEqual([
      "iteration.started",
      "stop.requested",
      "agent.exited",
      "run.ended",
    ]);
  });

  it("writes nothing after the end, though a stop is asked for while the end is being written", async () => {
    const kept = memoryJournal();
    const reporter = listener();
    let stop: (by: string) => Promise<void> = async () => {};
    let late: Promise<void> | undefined;
    const journal: Journal = {
      append: async (event) => {
        await kept.append(event);
        if (event.type === "run.ended") late ??= stop("SIGINT");
        await new Promise((resolve) => setImmediate(resolve));
      },
      close: async () => {},
    };
    const outcome = await drive(setUp({ journal, reporter, onStart: (given) => (stop = given) }));
    await late;
    expect(late).toBeDefined();
    expect(outcome.kind).toBe("claimed");
    expect(kept.events.at(-1)?.type).toBe("run.ended");
    expect(reporter.heard.at(-1)).toBe("run.ended");
  });

  it("fails loudly when an event cannot be written, and acts on nothing after it", async () => {
    const done: string[] = [];
    const journal: Journal = {
      append: async (event) => {
        if (event.type === "agent.exited") throw new Error("ENOSPC");
      },
      close: async () => {},
    };
    const perform: Perform = async (step) => {
      done.push(step.do);
      return answer(step);
    };
    await expect(drive(setUp({ journal, perform }))).rejects.toThrow("ENOSPC");
    expect(done).toEqual(["start-iteration", "run-agent"]);
  });
});
