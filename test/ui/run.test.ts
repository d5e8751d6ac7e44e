import { describe, expect, test } from "vitest";
import type { LoopEvent, Outcome } from "../../src/events.ts";
import type { Criterion } from "../../src/spec.ts";
import type { Reporter } from "../../src/ui/reporter.ts";
import { ended, exited, FAILED, FREE, judged, NOON, printed, specOf, started } from "./script.ts";

const stamp = { at: NOON, run: "r" };

function last(
  gates: readonly string[],
  outcome: Outcome,
  before: (reporter: Reporter) => void = () => {},
): string {
  const { err } = printed({}, (reporter) => {
    reporter.happened(started(specOf(gates)));
    before(reporter);
    reporter.happened(ended(outcome));
  });
  return err.slice(err.lastIndexOf("\n\n") + 2);
}

const FIGURES = "3 iterations, $0.12, 45K tokens, 6m7s";

describe("how a run ended", () => {
  test("verified", () => {
    const reason = "2 gates passed, claimed <response>DONE</response>";
    expect(last(["a", "b"], { kind: "verified", reason })).toBe(`✅ Verified: ${reason}. ${FIGURES}\n`);
  });

  test("claimed says that nothing was checked", () => {
    expect(last([], { kind: "claimed", reason: "claimed; nothing was checked" })).toBe(
      `⚠️ Claimed done; no guardrail was configured, so nothing was checked. ${FIGURES}\n` +
        "   Next: name your test command as a guardrail, and a run can end with proof.\n",
    );
  });

  const exhausted: Outcome = { kind: "exhausted", limit: "iterations", reason: "10 iterations used" };
  const next =
    "   Next: see what is left, then run again, with a higher --maximum-iterations if it was getting there.\n";

  test("exhausted names the guardrails of the last round that failed", () => {
    const block = last(["a", "b"], exhausted, (reporter) => {
      reporter.happened(judged(1, 0, "a", FAILED));
      reporter.happened(judged(1, 1, "b", FAILED));
      reporter.happened(judged(2, 0, "a"));
      reporter.happened(judged(2, 1, "b", FAILED));
    });
    expect(block).toBe(
      `❌ Limit reached: 10 iterations used. ${FIGURES}\n   Still failing: b, log .ralph/guardrail_002_b.log\n${next}`,
    );
  });

  test("exhausted with green guardrails names the claim that never came", () => {
    const block = last(["a"], exhausted, (reporter) => {
      reporter.happened(exited({ kind: "finished" }, { claims: { response: "almost" } }));
      reporter.happened(judged(2, 0, "a"));
    });
    expect(block).toBe(
      `❌ Limit reached: 10 iterations used. ${FIGURES}\n` +
        `   Missing: the agent never ended with <response>DONE</response>\n${next}`,
    );
  });

  test("stuck", () => {
    expect(last(["a"], { kind: "stuck", reason: "3 agent turns in a row failed" })).toBe(
      `❌ Stuck: 3 agent turns in a row failed. ${FIGURES}\n` +
        "   Next: more of the same would not help; mend the cause, then run again.\n",
    );
  });

  test("failed, with what to do about it", () => {
    expect(last([], { kind: "failed", reason: "claude: not found", fix: "Install it." })).toBe(
      `❌ Failed: claude: not found. ${FIGURES}\n   Fix: Install it.\n`,
    );
  });

  test("a fault is told in three lines, and not twice", () => {
    const fault: LoopEvent = {
      type: "run.faulted",
      ...stamp,
      what: "No prompt",
      why: "It is gone",
      fix: "Put it back",
    };
    const { err } = printed({}, (reporter) => {
      reporter.happened(fault);
      reporter.happened(ended({ kind: "failed", reason: "No prompt: It is gone", fix: "Put it back" }));
    });
    expect(err).toBe(
      "❌ No prompt\n   It is gone\n   Put it back\n\n" +
        `❌ Failed: the run could not go on, see above. ${FIGURES}\n`,
    );
  });

  test("waiting on a person, or on the service", () => {
    expect(last(["a"], { kind: "waiting", reason: "the agent is blocked on a person", needs: "a key" })).toBe(
      `✋ Waiting: the agent is blocked on a person. ${FIGURES}\n   Needed: a key\n   Next: see to it, then go on: ralph resume\n`,
    );
    expect(last(["a"], { kind: "waiting", reason: "still held back" })).toBe(
      `✋ Waiting: still held back. ${FIGURES}\n   Next: when what it waits for is there, go on: ralph resume\n`,
    );
  });

  test("stopped", () => {
    const line = "   Next: what the agent changed is still there; to go on from it: ralph resume\n";
    expect(last([], { kind: "stopped", reason: "stopped by SIGINT" })).toBe(
      `🛑 Stopped by SIGINT. ${FIGURES}\n${line}`,
    );
    expect(last([], { kind: "stopped", reason: "the terminal closed" })).toBe(
      `🛑 Stopped: the terminal closed. ${FIGURES}\n${line}`,
    );
  });
});

describe("on the way", () => {
  test("the header names a custom agent by its command and says when nothing will be checked", () => {
    const agent = {
      kind: "custom",
      command: "./my agent",
      flags: [],
      model: "m1",
      autonomy: "full",
    } as const;
    const { err } = printed({}, (reporter) => reporter.happened(started(specOf([], { agent }))));
    expect(err).toBe(
      "ralph 0.1.0 · run run-7\nAgent ./my agent (m1), at most 10 iterations, no guardrails: nothing will be checked\n",
    );
  });

  test("a guardrail that failed for another cause than its exit says which", () => {
    const { err } = printed({}, (reporter) => {
      reporter.happened(started(specOf(["a"])));
      reporter.happened(judged(1, 0, "a", { pass: false, exitCode: null, reason: "took longer than 10m0s" }));
    });
    expect(err).toContain(
      "❌ Guardrail failed: a (1.2s), took longer than 10m0s, fail action APPEND, log .ralph/guardrail_001_a.log\n",
    );
  });

  test("the pause before a restart is not worth a word", () => {
    const { err } = printed({}, (reporter) => {
      reporter.happened({ type: "waited", ...stamp, iteration: 2, untilMs: stamp.at, pause: true });
    });
    expect(err).toBe("");
  });

  test("a wait tells how long, until when and why, and its iteration comes round again", () => {
    const { err } = printed({}, (reporter) => {
      reporter.doing({ do: "start-iteration", iteration: 2 });
      reporter.doing({ do: "wait", iteration: 2, untilMs: NOON + 7_500_000, why: "no more" });
      reporter.happened({ type: "waited", ...stamp, iteration: 2, untilMs: NOON });
      reporter.doing({ do: "start-iteration", iteration: 2 });
    });
    expect(err).toContain(
      "⏳ Waiting 2h05m, until 14:05:00: no more\n⏳ The wait is over\n\n━━ Iteration 2, again ━━",
    );
  });

  test.each([
    [{ commit: "1a2b3c4d5e6f" }, "✅ Committed 1a2b3c4\n"],
    [{ nothingToCommit: true }, "💾 Nothing to commit\n"],
    [{ error: "not a repository" }, "❌ Commit failed: not a repository (the run goes on)\n"],
    [
      { commit: "1a2b3c4d5e6f", error: "push was rejected" },
      "❌ Committed 1a2b3c4, but what came after failed: push was rejected (the run goes on)\n",
    ],
    [{}, "✅ SCM tasks done\n"],
  ])("scm: %o", (facts, line) => {
    const event: LoopEvent = { type: "committed", ...stamp, iteration: 1, ...facts };
    expect(printed({}, (reporter) => reporter.happened(event)).err).toBe(line);
  });

  test("a journal that is read back has its banners without steps", () => {
    const begun: LoopEvent = {
      type: "iteration.started",
      ...stamp,
      iteration: 3,
      promptPath: "",
      promptSha256: "",
    };
    expect(printed({ emoji: false }, (reporter) => reporter.happened(begun)).err).toBe("== Iteration 3 ==\n");
  });
});

describe("criteria and judges", () => {
  const criterion: Criterion = {
    kind: "criterion",
    criterion: "custom",
    name: "custom: make smoke",
    command: "make smoke",
    failAction: "APPEND",
    timeoutMs: 1,
    flaky: false,
    judged: true,
  };
  const found: Criterion = {
    ...criterion,
    criterion: "test_pass",
    name: "test_pass: npm test",
    judged: false,
    foundIn: "package.json",
  };
  const spec = { ...specOf(["a"]), claim: { response: "DONE", hint: true, done: false, needed: false } };
  const judgment = {
    success: false,
    reason: "page 3\u001b[2J is empty",
    suggestions: ["look at\nthe cache"],
  };

  test("are told at the start, and with what the judge said", () => {
    const { err } = printed({}, (reporter) => {
      reporter.happened(started({ ...spec, gates: [...spec.gates, criterion, found] }));
      reporter.happened(judged(1, 1, criterion.name, { ...FAILED, judgment }));
      reporter.happened(
        judged(1, 2, found.name, { ...FAILED, judgment: { success: false, reason: "exit" } }),
      );
    });
    expect(err).toContain(
      "1 guardrail, 2 criteria\nCriterion custom: make smoke\nCriterion test_pass: npm test (found in package.json)\n",
    );
    expect(err).toMatch(
      /❌ Criterion failed: custom: make smoke .*\n {3}Judge: page 3 is empty\n {3}· look at the cache\n/,
    );
    expect(err.match(/Judge:/g)).toHaveLength(1);
  });

  test("miss no claim that nobody needs", () => {
    const { err } = printed({}, (reporter) => {
      reporter.happened(started({ ...spec, gates: [found] }));
      reporter.happened(ended({ kind: "exhausted", limit: "iterations", reason: "used" }));
    });
    expect(err).not.toContain("Missing");
  });

  test.each([
    [false, "⚠️ No progress, says the judge: it turns in circles\n"],
    [true, "ℹ️ Progress, says the judge: it turns in circles\n"],
    [undefined, "⚠️ Progress not judged: it turns in circles\n"],
  ])("say of progress %s", (progress, line) => {
    const said = progress === undefined ? {} : { progress };
    const { err } = printed({}, (reporter) => {
      const event = { type: "progress.judged", ...stamp, iteration: 2, usage: FREE } as const;
      reporter.happened({ ...event, ...said, reason: "it turns\nin circles" });
    });
    expect(err).toBe(line);
  });
});
