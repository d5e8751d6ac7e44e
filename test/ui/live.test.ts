import { describe, expect, test } from "vitest";
import type { Reporter } from "../../src/ui/reporter.ts";
import { NOON, printed, RUN, specOf, started } from "./script.ts";

const ERASE = "\r\u001b[K";
const UNTIL = NOON + 3_723_000;
const wait = { do: "wait", iteration: 1, untilMs: UNTIL, why: "used up" } as const;
const waited = { type: "waited", at: UNTIL, run: RUN, iteration: 1, untilMs: UNTIL } as const;

/** A terminal whose seconds pass when the test says so. */
function terminal(columns = 100) {
  const ticking = new Set<() => void>();
  let nowMs = NOON;
  return {
    ticking,
    now: () => nowMs,
    pass(ms: number) {
      nowMs += ms;
      for (const tick of ticking) tick();
    },
    live: {
      columns: () => columns,
      everySecond(tick: () => void) {
        ticking.add(tick);
        return () => ticking.delete(tick);
      },
    },
  };
}

describe("the countdown", () => {
  const line = (left: string) =>
    `⏳ Waiting for the agent's service: ${left} left (until 13:02:03). Ctrl-C stops.`;
  const before = "⏳ Waiting 1h02m, until 13:02:03: used up\n";

  test("is written over each second, and gone when the wait is over", () => {
    const at = terminal();
    const { err } = printed(
      {},
      (reporter) => {
        reporter.doing(wait);
        at.pass(1_000);
        at.pass(3_600_000);
        at.pass(121_900);
        reporter.happened(waited);
        expect(at.ticking.size).toBe(0);
      },
      at,
    );
    const lines = ["1h 02m 03s", "1h 02m 02s", "2m 02s", "1s"].map((left) => ERASE + line(left)).join("");
    expect(err).toBe(`${before}${lines}${ERASE}⏳ The wait is over\n`);
  });

  test("says that there is no connection", () => {
    const { err } = printed({}, (reporter) => reporter.doing({ ...wait, offline: true }), terminal());
    expect(err).toContain("Waiting for a connection: 1h 02m 03s left");
  });

  test("names the judge", () => {
    const { err } = printed({}, (reporter) => reporter.doing({ ...wait, whom: "judge" }), terminal());
    expect(err).toContain("Waiting for the judge's service: 1h 02m 03s left");
  });

  test("ends when anything else is printed", () => {
    const at = terminal();
    const { err } = printed(
      { verbose: true },
      (reporter: Reporter) => {
        reporter.doing(wait);
        reporter.detail("something");
        at.pass(1_000);
      },
      at,
    );
    expect(err).toBe(`${before}${ERASE}${line("1h 02m 03s")}${ERASE}[ralph] something\n`);
  });

  test("never wraps on a narrow terminal", () => {
    const { err } = printed({}, (reporter) => reporter.doing(wait), terminal(30));
    const shown = err.split(ERASE).at(-1) ?? "";
    expect(shown.length).toBeGreaterThan(10);
    expect(shown.length).toBeLessThanOrEqual(28);
  });

  test("is one plain line without a terminal", () => {
    expect(printed({}, (reporter) => reporter.doing(wait)).err).toBe(before);
  });
});

describe("whose turn it is", () => {
  const codex = { kind: "codex", command: "codex", flags: [], model: "gpt-5", autonomy: "full" } as const;
  const spec = specOf([], { fallback: [codex] });

  test("is said when another agent takes over, and when the first one is back", () => {
    const { err } = printed({}, (reporter) => {
      reporter.happened(started(spec));
      reporter.doing({ do: "start-iteration", iteration: 1 });
      const instead = { iteration: 1, agent: 1, heldUntilMs: NOON + 3_600_000 };
      reporter.doing({ do: "start-iteration", ...instead });
      reporter.doing({ do: "start-iteration", ...instead, iteration: 2 });
      reporter.doing({ do: "start-iteration", iteration: 3 });
    });
    expect(err.split("\n").filter((text) => !text.startsWith("━━") && text !== "")).toEqual([
      "ralph 0.1.0 · run run-7",
      "Agent claude, else codex (gpt-5), at most 10 iterations, no guardrails: nothing will be checked",
      "⏳ claude is held back until 13:00:00; codex (gpt-5) goes on meanwhile",
      "ℹ️ claude goes on again",
    ]);
  });

  test("is told by a journal that is read back, too", () => {
    const { err } = printed({}, (reporter) => {
      reporter.happened(started(spec));
      const begun = { at: NOON, run: RUN, iteration: 1, promptPath: "", promptSha256: "" };
      reporter.happened({ type: "iteration.started", ...begun });
      reporter.happened({ type: "iteration.started", ...begun, agent: 1, heldUntilMs: NOON + 3_600_000 });
    });
    expect(err).toContain("claude is held back until 13:00:00; codex (gpt-5) goes on meanwhile");
  });
});
