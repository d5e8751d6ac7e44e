import { describe, expect, test } from "vitest";
import type { AgentEnding, AgentEvent } from "../../src/events.ts";
import type { ShowOptions } from "../../src/ui/style.ts";
import { exited, NOON, printed, USAGE } from "./script.ts";

function shown(events: readonly AgentEvent[], options: Partial<ShowOptions> = {}): string {
  return printed(options, (reporter) => {
    for (const event of events) reporter.said(1, event);
  }).err;
}

function result(output: string, more: { lines?: number; chars?: number } = {}): AgentEvent {
  const lines = output.split("\n").length;
  return { type: "tool.ended", callId: "1", ok: true, output, lines, chars: output.length, ...more };
}

describe("tools", () => {
  test("a result whose call was never seen still prints", () => {
    expect(shown([result("hello")])).toBe("✅ Result (1 line, 5 chars)\n  ⎿  hello\n");
  });

  test("results that come out of order find their calls", () => {
    const err = shown([
      { type: "tool.started", callId: "a", name: "Read", summary: "x" },
      { type: "tool.started", callId: "b", name: "Grep", summary: "" },
      { type: "tool.ended", callId: "b", ok: true, output: "", lines: 0, chars: 0 },
      { type: "tool.ended", callId: "a", ok: false, output: "", lines: 0, chars: 0 },
    ]);
    expect(err).toBe("⏺ Read(x)\n⏺ Grep\n✅ Result ← Grep (no output)\n❌ Failed ← Read (no output)\n");
  });

  test("the preview ends at the limit of lines and counts the rest", () => {
    expect(shown([result("a\nb\nc\nd\ne\n")], { maxOutputLines: 2 })).toBe(
      "✅ Result (6 lines, 10 chars)\n  ⎿  a\n     b\n     … +3 lines\n",
    );
  });

  test("the preview ends at the limit of characters, never inside a character", () => {
    expect(shown([result("abc🙂def\nmore")], { maxOutputChars: 4 })).toBe(
      "✅ Result (2 lines, 13 chars)\n  ⎿  abc…\n     … +1 line\n",
    );
  });

  test("lines that the event itself left out are counted too", () => {
    expect(shown([result("a\nb", { lines: 100, chars: 9000 })])).toBe(
      "✅ Result (100 lines, 9000 chars)\n  ⎿  a\n     b\n     … +98 lines\n",
    );
  });

  test("no preview when none is wanted", () => {
    expect(shown([result("a")], { maxOutputLines: 0 })).toBe("✅ Result (1 line, 1 char)\n");
  });
});

describe("limits of the service, while the agent goes on", () => {
  test.each([
    [
      { scope: "rate", final: false, retryAtMs: NOON + 20_000 },
      "⏳ Rate limit: slow down (retrying at 12:00:20)\n",
    ],
    [{ scope: "offline", final: false }, "⏳ No connection: slow down (retrying)\n"],
    [{ scope: "quota", final: true }, "⏳ Usage limit: slow down (the agent gave up)\n"],
  ] as const)("%o", (event, line) => {
    expect(shown([{ type: "limited", message: "slow down", ...event }])).toBe(line);
  });
});

test("a long or empty list of things to do stays in bounds", () => {
  const items = Array.from({ length: 60 }, () => ({ text: "x", state: "pending" as const }));
  const lines = shown([{ type: "todos", items }]).split("\n");
  expect(lines).toHaveLength(55);
  expect(lines[51]).toBe("  … +10 more");
  expect(shown([{ type: "todos", items: [] }])).toBe("");
});

describe("how a turn ended", () => {
  const cases: readonly [AgentEnding, string][] = [
    [{ kind: "finished" }, "✅ Complete"],
    [{ kind: "error", message: "exit code 1" }, "❌ Agent failed: exit code 1"],
    [
      { kind: "unauthorised", message: "Invalid API key" },
      "❌ Agent was refused its log-in: Invalid API key",
    ],
    [
      { kind: "not-started", message: "claude: not found" },
      "❌ Agent could not be started: claude: not found",
    ],
    [{ kind: "killed", why: "idle" }, "❌ Agent killed: it was silent for too long (idle limit)"],
    [{ kind: "killed", why: "timeout" }, "❌ Agent killed: it took too long (time limit)"],
    [{ kind: "killed", why: "stopped", signal: "SIGTERM" }, "🛑 Agent ended: the run was stopped"],
    [{ kind: "killed", why: "signal", signal: "SIGKILL" }, "❌ Agent killed from outside by SIGKILL"],
    [{ kind: "limited", scope: "context", message: "too long" }, "❌ Agent ran out of context: too long"],
    [
      { kind: "limited", scope: "quota", message: "no more", retryAtMs: NOON + 3_600_000 },
      "⏳ Agent held back: usage limit, no more, resets at 13:00:00",
    ],
    [{ kind: "limited", scope: "rate", message: "429" }, "⏳ Agent held back: rate limit, 429"],
  ];
  test.each(cases)("%o", (ending, line) => {
    const { err } = printed({}, (reporter) => reporter.happened(exited(ending)));
    expect(err).toBe(`${line} (tools: 2, errors: 0, time: 45s)\n`);
  });

  test("a reset on another day tells the date", () => {
    const retryAtMs = new Date(2026, 2, 3, 9, 5, 0).getTime();
    const { err } = printed({}, (reporter) =>
      reporter.happened(exited({ kind: "limited", scope: "quota", message: "no more", retryAtMs })),
    );
    expect(err).toContain("resets at 2026-03-03 09:05:00 (");
  });

  test("what the service said is not said twice", () => {
    const { err } = printed({}, (reporter) => {
      reporter.said(1, { type: "limited", scope: "quota", message: "no more", final: true });
      reporter.happened(exited({ kind: "limited", scope: "quota", message: "no more" }));
    });
    expect(err.match(/no more/g)).toHaveLength(1);
  });

  test("figures count this turn alone, and cost and tokens are told only when known", () => {
    const fail: AgentEvent = { type: "tool.ended", callId: "1", ok: false, output: "", lines: 0, chars: 0 };
    const { err } = printed({}, (reporter) => {
      reporter.said(1, fail);
      reporter.said(1, fail);
      reporter.happened(
        exited({ kind: "finished" }, { usage: { ...USAGE, costUsd: 0, cacheReadTokens: 0 } }),
      );
      reporter.said(2, fail);
      reporter.happened(exited({ kind: "finished" }, { iteration: 2 }));
    });
    expect(err).toContain("✅ Complete (tokens: 350K in / 45K out, tools: 2, errors: 2, time: 45s)\n");
    expect(err).toContain("✅ Complete (tools: 2, errors: 1, time: 45s)\n");
  });
});
