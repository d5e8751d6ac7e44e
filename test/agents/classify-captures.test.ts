import { describe, expect, it } from "vitest";
import type { TurnFacts } from "../../src/agents/agent.ts";
import type { AgentEnding } from "../../src/events.ts";
import { capture, captures, eventsOf, facts, factsOf, NOW } from "./support.ts";

interface Row {
  /** The exit code with which the program really ended, or the rest of what was seen. */
  readonly seen: Partial<TurnFacts>;
  readonly ending: Omit<AgentEnding, "message"> & { readonly message?: RegExp };
}

const finished: Row = { seen: { exitCode: 0 }, ending: { kind: "finished" } };

function limited(
  scope: "rate" | "quota" | "context" | "overload" | "offline",
  message: RegExp,
  exitCode = 1,
): Row {
  return { seen: { exitCode }, ending: { kind: "limited", scope, message } as Row["ending"] };
}

function failed(kind: "error" | "unauthorised", message: RegExp, exitCode = 1): Row {
  return { seen: { exitCode }, ending: { kind, message } };
}

const killed: Row = {
  seen: { exitCode: 143 },
  ending: { kind: "killed", why: "signal", signal: "SIGTERM" } as Row["ending"],
};

/** Ended by ralph because it said nothing for too long. */
const idle: Row = {
  seen: { exitCode: null, signal: "SIGTERM", killedBy: "idle" },
  ending: { kind: "killed", why: "idle", signal: "SIGTERM" } as Row["ending"],
};

const TABLE: Readonly<Record<string, Row>> = {
  "amp-hand-made/error-rate-limit.ndjson": limited("rate", /429/),
  "amp-hand-made/error.ndjson": failed("error", /Something broke/),
  "amp-hand-made/success-no-usage.ndjson": finished,
  "amp-hand-made/success.ndjson": finished,
  "amp-hand-made/todos-and-subagent.ndjson": finished,
  "claude-2.1.197/budget.ndjson": failed("error", /maximum budget/),
  "claude-2.1.197/denials-dont-ask.ndjson": finished,
  "claude-2.1.197/denials.ndjson": finished,
  "claude-2.1.197/fail-400-prompt-too-long.ndjson": limited("context", /Prompt is too long/),
  "claude-2.1.197/fail-401-no-retry.ndjson": failed("unauthorised", /401/),
  "claude-2.1.197/fail-401.ndjson": killed, // still trying when it was ended
  "claude-2.1.197/fail-429-maxretries1.ndjson": limited("rate", /429/),
  "claude-2.1.197/fail-500-maxretries2.ndjson": limited("overload", /500/),
  "claude-2.1.197/fail-529-no-retry.ndjson": limited("overload", /529/),
  "claude-2.1.197/fail-credit-balance.ndjson": limited("quota", /Credit balance/),
  "claude-2.1.197/fail-not-logged-in.ndjson": failed("unauthorised", /Not logged in/),
  "claude-2.1.197/fail-offline.ndjson": limited("offline", /Unable to connect/),
  "claude-2.1.197/max-turns.ndjson": failed("error", /maximum number of turns/),
  "claude-2.1.197/partial-thinking.ndjson": finished,
  "claude-2.1.197/permission-denied-default.ndjson": finished,
  "claude-2.1.197/plugin-hooks-all.ndjson": finished,
  "claude-2.1.197/plugin-stop-cap.ndjson": finished,
  "claude-2.1.197/retry-429.ndjson": finished,
  "claude-2.1.197/retry-529.ndjson": finished,
  "claude-2.1.197/sigint-in-bash.ndjson": failed("error", /error_during_execution \(aborted_tools\)/),
  "claude-2.1.197/sigterm-in-bash.ndjson": finished,
  "claude-2.1.197/subagent.ndjson": finished,
  "claude-2.1.197/success.ndjson": finished,
  "claude-2.1.197/task-tools.ndjson": finished,
  "claude-2.1.197/todo.ndjson": finished,
  "claude-2.1.197/x-cmd-inject.ndjson": finished,
  "claude-2.1.325/denials.ndjson": finished,
  "claude-2.1.325/drop-mid.ndjson": finished,
  "claude-2.1.325/fail-not-logged-in.ndjson": failed("unauthorised", /Not logged in/),
  "claude-2.1.325/fail-offline.ndjson": limited("offline", /ECONNREFUSED/),
  "claude-2.1.325/subagent.ndjson": finished,
  "claude-2.1.325/success.ndjson": finished,
  "codex-0.166.0/default-sandbox.ndjson": finished,
  "codex-0.166.0/fail-401.ndjson": failed("unauthorised", /401/),
  "codex-0.166.0/fail-403.ndjson": failed("unauthorised", /403/),
  "codex-0.166.0/fail-429-quota.ndjson": limited("quota", /Quota exceeded/),
  "codex-0.166.0/fail-429-usage-limit-date.ndjson": limited("quota", /usage limit/),
  "codex-0.166.0/fail-429-usage-limit.ndjson": limited("quota", /usage limit/),
  "codex-0.166.0/fail-500.ndjson": limited("overload", /high demand/),
  "codex-0.166.0/fail-529.ndjson": limited("overload", /529/),
  "codex-0.166.0/fail-no-key.ndjson": failed("unauthorised", /MOCK_KEY/),
  "codex-0.166.0/hooks-all.ndjson": finished,
  "codex-0.166.0/offline-waits.ndjson": idle, // it waits for the network without end
  "codex-0.166.0/plan-tool.ndjson": finished,
  "codex-0.166.0/resume-2.ndjson": finished,
  "codex-0.166.0/resume.ndjson": finished,
  "codex-0.166.0/retry-429.ndjson": finished,
  "codex-0.166.0/sigint.ndjson": failed("error", /codex ended without a result \(exit code 1\)/),
  "codex-0.166.0/success.ndjson": finished,
  "copilot-1.0.102/claude-plugin-dir.ndjson": finished,
  "copilot-1.0.102/denials.ndjson": finished,
  "copilot-1.0.102/edits.ndjson": finished,
  "copilot-1.0.102/fail-400-context.ndjson": limited("context", /maximum context length/),
  "copilot-1.0.102/fail-401-late.ndjson": failed("unauthorised", /401/),
  "copilot-1.0.102/fail-401.ndjson": failed("unauthorised", /401/),
  "copilot-1.0.102/fail-403.ndjson": failed("unauthorised", /403/),
  "copilot-1.0.102/fail-429-quota.ndjson": limited("quota", /current quota/),
  "copilot-1.0.102/fail-500.ndjson": limited("overload", /500/),
  "copilot-1.0.102/fail-offline.ndjson": limited("offline", /Could not connect/),
  "copilot-1.0.102/sigterm-in-retry.ndjson": idle, // still trying when it was ended
  "copilot-1.0.102/success.ndjson": finished,
  "copilot-1.0.102/thinking.ndjson": finished,
  "cursor-hand-made/fail-no-result.ndjson": failed("error", /cursor ended without a result/),
  "cursor-hand-made/partial-todos-denied.ndjson": finished,
  "cursor-hand-made/success.ndjson": finished,
  "gemini-0.61.0/edits.ndjson": finished,
  "gemini-0.61.0/fail-400-context.ndjson": limited("context", /maximum number of tokens/, 144),
  "gemini-0.61.0/fail-400-key.ndjson": failed("unauthorised", /API key not valid/, 144),
  "gemini-0.61.0/fail-401-late.ndjson": failed("unauthorised", /authentication_error/, 145),
  "gemini-0.61.0/fail-401.ndjson": failed("unauthorised", /401/, 145),
  "gemini-0.61.0/fail-403.ndjson": failed("unauthorised", /403/, 147),
  "gemini-0.61.0/fail-429.ndjson": limited("quota", /current quota/, 173),
  "gemini-0.61.0/fail-500.ndjson": limited("overload", /500/, 244),
  "gemini-0.61.0/fail-offline.ndjson": limited("offline", /fetch failed/),
  "gemini-0.61.0/success.ndjson": finished,
  "opencode-1.18.33/compacted.ndjson": { ...finished, seen: { exitCode: 1 } }, // a full context that it got over
  "opencode-1.18.33/denied-ask.ndjson": failed("error", /opencode ended without a result/, 0),
  "opencode-1.18.33/fail-401-late.ndjson": failed("unauthorised", /401/),
  "opencode-1.18.33/fail-401.ndjson": failed("unauthorised", /401/),
  "opencode-1.18.33/fail-403.ndjson": failed("unauthorised", /403/),
  "opencode-1.18.33/fail-400-context.ndjson": limited("context", /maximum context length/),
  "opencode-1.18.33/fail-500.ndjson": limited("overload", /500/),
  "opencode-1.18.33/fail-offline.ndjson": limited("offline", /Unable to connect/),
  "opencode-1.18.33/success.ndjson": finished,
  "opencode-1.18.33/thinking-todo.ndjson": finished,
  "qwen-0.15.10/drop-mid.ndjson": limited("offline", /other side closed/, 0),
  "qwen-0.15.10/edits.ndjson": finished,
  "qwen-0.15.10/fail-400-context.ndjson": limited("context", /maximum context length/, 0),
  "qwen-0.15.10/fail-401-late.ndjson": failed("unauthorised", /401/, 0),
  "qwen-0.15.10/fail-401.ndjson": failed("unauthorised", /401/, 0),
  "qwen-0.15.10/fail-403.ndjson": failed("unauthorised", /403/, 0),
  "qwen-0.15.10/fail-500.ndjson": limited("overload", /500/, 0),
  "qwen-0.15.10/fail-no-key.ndjson": failed("unauthorised", /No auth type/),
  "qwen-0.15.10/fail-offline.ndjson": limited("offline", /Connection error/, 0),
  "qwen-0.15.10/slash-command.ndjson": failed("error", /not supported in this mode/, 0),
  "qwen-0.15.10/success.ndjson": finished,
};

describe("how each recorded turn ended", () => {
  it.each(captures(".ndjson").map((capture) => [capture.name, capture] as const))("%s", (name, capture) => {
    const row = TABLE[name];
    expect(row, "no row in the table").toBeDefined();
    const ending = capture.adapter.classify(factsOf(eventsOf(capture), row?.seen ?? {}));
    const { message, ...shape } = row?.ending ?? { kind: "finished" };
    expect(ending).toMatchObject(shape);
    if (message !== undefined) expect(ending).toHaveProperty("message", expect.stringMatching(message));
  });

  it.each(captures(".txt").map((capture) => [capture.name, capture] as const))(
    "%s is a plain answer",
    (_, capture) => {
      expect(capture.adapter.classify(facts({ finalText: capture.lines.join("\n") }))).toEqual({
        kind: "finished",
      });
    },
  );

  it("waits until the time that the words name", () => {
    const dated = capture("codex-0.166.0/fail-429-usage-limit-date.ndjson");
    const ending = dated.adapter.classify(factsOf(eventsOf(dated), { exitCode: 1 }));
    expect(ending).toMatchObject({ retryAtMs: new Date(2026, 10, 18, 11, 6).getTime() });
    const soon = capture("gemini-0.61.0/fail-429.ndjson");
    const again = soon.adapter.classify(factsOf(eventsOf(soon), { exitCode: 173 }));
    expect(again).toMatchObject({ retryAtMs: NOW + 2500 });
  });

  it("does not take a finished stream with a bad exit code for finished", () => {
    for (const { name } of captures("/success.ndjson")) {
      const seen = factsOf(eventsOf(capture(name)), { exitCode: 1, stderrTail: "warning: a\nboom\n" });
      const ending = capture(name).adapter.classify(seen);
      expect(ending).toMatchObject({
        kind: "error",
        message: expect.stringMatching(/exited with code 1: boom$/),
      });
    }
  });

  it("does not take a stream without its result for finished, whatever the exit code", () => {
    for (const { name } of captures("/success.ndjson")) {
      const recorded = capture(name);
      const events = eventsOf(recorded).filter((event) => event.type !== "result");
      expect(recorded.adapter.classify(factsOf(events, { exitCode: 0 }))).toEqual({
        kind: "error",
        message: `${recorded.adapter.kind} ended without a result (exit code 0)`,
      });
    }
  });
});
