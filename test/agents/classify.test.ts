import { describe, expect, it } from "vitest";
import type { TurnFacts } from "../../src/agents/agent.ts";
import { adapterFor, KNOWN_AGENTS } from "../../src/agents/registry.ts";
import type { AgentEnding } from "../../src/events.ts";
import { capture, captures, eventsOf, facts, factsOf } from "./support.ts";

interface Row {
  /** The exit code with which the program really ended, or the rest of what was seen. */
  readonly seen: Partial<TurnFacts>;
  readonly ending: Omit<AgentEnding, "message"> & { readonly message?: RegExp };
}

const finished: Row = { seen: { exitCode: 0 }, ending: { kind: "finished" } };

function limited(scope: "rate" | "quota" | "context" | "overload" | "offline", message: RegExp): Row {
  return { seen: { exitCode: 1 }, ending: { kind: "limited", scope, message } as Row["ending"] };
}

function failed(kind: "error" | "unauthorised", message: RegExp, exitCode = 1): Row {
  return { seen: { exitCode }, ending: { kind, message } };
}

const killed: Row = {
  seen: { exitCode: 143 },
  ending: { kind: "killed", why: "signal", signal: "SIGTERM" } as Row["ending"],
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
  "codex-0.166.0/offline-waits.ndjson": {
    seen: { exitCode: null, signal: "SIGTERM", killedBy: "idle" }, // it waits for the network without end
    ending: { kind: "killed", why: "idle", signal: "SIGTERM" } as Row["ending"],
  },
  "codex-0.166.0/plan-tool.ndjson": finished,
  "codex-0.166.0/resume-2.ndjson": finished,
  "codex-0.166.0/resume.ndjson": finished,
  "codex-0.166.0/retry-429.ndjson": finished,
  "codex-0.166.0/sigint.ndjson": failed("error", /codex ended without a result \(exit code 1\)/),
  "codex-0.166.0/success.ndjson": finished,
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
  });

  it("does not take a finished stream with a bad exit code for finished", () => {
    for (const name of [
      "claude-2.1.197/success.ndjson",
      "codex-0.166.0/success.ndjson",
      "amp-hand-made/success.ndjson",
    ]) {
      const seen = factsOf(eventsOf(capture(name)), { exitCode: 1, stderrTail: "warning: a\nboom\n" });
      const ending = capture(name).adapter.classify(seen);
      expect(ending).toMatchObject({
        kind: "error",
        message: expect.stringMatching(/exited with code 1: boom$/),
      });
    }
  });

  it("does not take a stream without its result for finished, whatever the exit code", () => {
    for (const name of [
      "claude-2.1.197/success.ndjson",
      "codex-0.166.0/success.ndjson",
      "amp-hand-made/success.ndjson",
    ]) {
      const recorded = capture(name);
      const events = eventsOf(recorded).filter((event) => event.type !== "result");
      expect(recorded.adapter.classify(factsOf(events, { exitCode: 0 }))).toEqual({
        kind: "error",
        message: `${recorded.adapter.kind} ended without a result (exit code 0)`,
      });
    }
  });
});

describe.each(KNOWN_AGENTS.map((adapter) => [adapter.kind, adapter] as const))(
  "%s without a stream",
  (kind, adapter) => {
    it("is finished when a wrapper printed plain text and exited well", () => {
      expect(adapter.classify(facts({ finalText: "I did it" }))).toEqual({ kind: "finished" });
    });

    it("failed when it said nothing", () => {
      expect(adapter.classify(facts({ finalText: " \n" }))).toEqual({
        kind: "error",
        message: `${kind} said nothing`,
      });
    });

    it("was not started, was killed by ralph, was killed by somebody", () => {
      expect(adapter.classify(facts({ exitCode: null, spawnError: "ENOENT" }))).toEqual({
        kind: "not-started",
        message: "ENOENT",
      });
      expect(adapter.classify(facts({ exitCode: 0, killedBy: "timeout", finalText: "x" }))).toEqual({
        kind: "killed",
        why: "timeout",
      });
      expect(adapter.classify(facts({ exitCode: null, signal: "SIGKILL", finalText: "x" }))).toEqual({
        kind: "killed",
        why: "signal",
        signal: "SIGKILL",
      });
    });

    it("names the error line rather than the usage hint behind it", () => {
      const stderrTail =
        "WARNING: x\nerror: unexpected argument '--full-auto' found\n\nUsage: x\n\nFor more, try '--help'.\n";
      expect(adapter.classify(facts({ exitCode: 2, stderrTail }))).toEqual({
        kind: "error",
        message: `${kind} exited with code 2: error: unexpected argument '--full-auto' found`,
      });
    });

    it("tells a refused key and a limit from the last words of a plain failure", () => {
      expect(
        adapter.classify(facts({ exitCode: 1, finalText: "Invalid API key · Fix external API key\n" })),
      ).toEqual({
        kind: "unauthorised",
        message: "Invalid API key · Fix external API key",
      });
      const now = Date.UTC(2026, 10, 15, 18, 30);
      expect(
        adapter.classify(
          facts({
            exitCode: 1,
            nowMs: now,
            stderrTail: "start\nERROR: 429 Too Many Requests, retry after 30\n",
          }),
        ),
      ).toEqual({
        kind: "limited",
        scope: "rate",
        message: "ERROR: 429 Too Many Requests, retry after 30",
        retryAtMs: now + 30_000,
      });
    });

    it("does not search the whole output for such words", () => {
      const chatter = `usage limit\n401 Unauthorized\n${"work\n".repeat(10)}`;
      expect(adapter.classify(facts({ exitCode: 1, finalText: chatter, stderrTail: chatter }))).toMatchObject(
        { kind: "error" },
      );
    });
  },
);

describe("claude", () => {
  const { parser, classify } = adapterFor("claude");
  const run = (lines: readonly unknown[], seen: Partial<TurnFacts>): AgentEnding => {
    const reader = parser();
    return classify(
      factsOf(
        lines.flatMap((line) => reader.line(JSON.stringify(line))),
        seen,
      ),
    );
  };
  const bad = (result: string, more: object = {}): object => ({
    type: "result",
    subtype: "success",
    is_error: true,
    result,
    ...more,
  });

  it("waits for a subscription's limit until the time in its words", () => {
    const ending = run([bad("You've hit your session limit · resets 7:30pm (UTC)")], { exitCode: 1 });
    expect(ending).toMatchObject({
      kind: "limited",
      scope: "quota",
      retryAtMs: Date.UTC(2026, 10, 15, 19, 30),
    });
  });

  it("believes the event about the limit more than the words", () => {
    const event = {
      type: "rate_limit_event",
      rate_limit_info: { status: "rejected", resetsAt: 1_794_768_000 },
    };
    const ending = run([event, bad("You've hit your limit · resets 7:30pm (UTC)")], { exitCode: 1 });
    expect(ending).toMatchObject({ kind: "limited", scope: "quota", retryAtMs: 1_794_768_000_000 });
  });

  it.each([
    ["API Error: Overloaded", "overload"],
    ["API Error: Connection closed mid-response", "offline"],
    [
      "API Error: Request rejected (429) · Server is temporarily limiting requests (not your usage limit)",
      "rate",
    ],
    ["Claude AI usage limit reached|1794768000", "quota"],
  ])("%s", (words, scope) => {
    expect(run([bad(words)], { exitCode: 1 })).toMatchObject({ kind: "limited", scope });
  });

  it("takes a refusal for an error", () => {
    const ending = run([bad("API Error: unable to respond", { stop_reason: "refusal" })], { exitCode: 1 });
    expect(ending).toEqual({ kind: "error", message: "API Error: unable to respond" });
  });

  it("is not misled by what the agent itself says about limits", () => {
    const good = {
      type: "result",
      subtype: "success",
      is_error: false,
      result: "Handled 429 and the usage limit; 401 too.",
    };
    expect(run([good], { exitCode: 0 })).toEqual({ kind: "finished" });
  });

  it("uses the last of several results", () => {
    const good = { type: "result", subtype: "success", is_error: false, result: "ok" };
    expect(run([bad("boom"), good], { exitCode: 0 })).toEqual({ kind: "finished" });
    expect(run([good, bad("boom")], { exitCode: 1 })).toEqual({ kind: "error", message: "boom" });
  });

  it("never reads a claim out of a failed turn", () => {
    const events = parser().line(JSON.stringify(bad("<response>DONE</response>")));
    expect(events.at(-1)).toMatchObject({ type: "result", ok: false, text: "" });
  });
});

describe("custom", () => {
  const { classify } = adapterFor("custom");

  it("is finished by exit code 0, whatever it printed", () => {
    expect(classify(facts({ finalText: "", stderrTail: "rate limit, 429 Too Many Requests" }))).toEqual({
      kind: "finished",
    });
  });

  it("tells exit code and last line of a failure", () => {
    expect(classify(facts({ exitCode: 3, stderrTail: "error: one\nlast words\n\n" }))).toEqual({
      kind: "error",
      message: "the agent exited with code 3: last words",
    });
    expect(classify(facts({ exitCode: 3, finalText: "from stdout\n" }))).toEqual({
      kind: "error",
      message: "the agent exited with code 3: from stdout",
    });
  });

  it("reads a limit only out of a failure", () => {
    expect(
      classify(facts({ exitCode: 1, stderrTail: "fatal: getaddrinfo ENOTFOUND api.example.com" })),
    ).toMatchObject({
      kind: "limited",
      scope: "offline",
    });
  });
});
