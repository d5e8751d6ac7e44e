import { describe, expect, it } from "vitest";
import type { TurnFacts } from "../../src/agents/agent.ts";
import { adapterFor, KNOWN_AGENTS } from "../../src/agents/registry.ts";
import type { AgentEnding } from "../../src/events.ts";
import { facts, factsOf } from "./support.ts";

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

    it("waits when a plain failure says that there is no connection, and not for the agent's words about one", () => {
      const lost = "starting\nError: getaddrinfo ENOTFOUND api.example.com\n";
      const held = {
        kind: "limited",
        scope: "offline",
        message: "Error: getaddrinfo ENOTFOUND api.example.com",
      };
      expect(adapter.classify(facts({ exitCode: 1, stderrTail: lost }))).toEqual(held);
      expect(adapter.classify(facts({ exitCode: 1, finalText: lost }))).toEqual(held);
      const words = "I gave up: the tests of the client end with ECONNREFUSED.\n";
      expect(adapter.classify(facts({ exitCode: 1, finalText: words })).kind).toBe("error");
      expect(adapter.classify(facts({ exitCode: 0, finalText: lost }))).toEqual({ kind: "finished" });
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
  const claude = adapterFor("claude");
  const run = (lines: readonly unknown[], seen: Partial<TurnFacts>): AgentEnding => {
    const reader = claude.parser();
    return claude.classify(
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

  it("does not wait for a full context, whatever time its words name", () => {
    const ending = run([bad("Prompt is too long, try again in 5 minutes")], { exitCode: 1 });
    expect(ending).toMatchObject({ kind: "limited", scope: "context" });
    expect(ending).not.toHaveProperty("retryAtMs");
  });

  it("takes a refused key for that, whatever else its words name", () => {
    const words = "Failed to authenticate. API Error: 403 billing is not set up";
    const ending = run([bad(words, { api_error_status: 403 })], { exitCode: 1 });
    expect(ending).toEqual({ kind: "unauthorised", message: words });
  });

  it("takes a cap of the user's for an error, after a retry too", () => {
    const retry = { type: "system", subtype: "api_retry", error_status: 429, error: "rate_limit" };
    const capped = { type: "result", is_error: true, errors: ["Reached maximum budget, a spend limit"] };
    const ending = run([retry, { ...capped, subtype: "error_max_budget_usd" }], { exitCode: 1 });
    expect(ending).toEqual({ kind: "error", message: "Reached maximum budget, a spend limit" });
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
    const events = claude.parser().line(JSON.stringify(bad("<response>DONE</response>")));
    expect(events.at(-1)).toMatchObject({ type: "result", ok: false, text: "" });
  });
});

describe.each([
  ["claude", (words: string) => [{ type: "result", subtype: "success", is_error: true, result: words }]],
  ["codex", (words: string) => [{ type: "turn.failed", error: { message: words } }]],
  [
    "amp",
    (words: string) => [{ type: "result", subtype: "error_during_execution", is_error: true, error: words }],
  ],
] as const)("%s in its stream", (kind, failed) => {
  const adapter = adapterFor(kind);
  const endingOf = (lines: readonly unknown[], seen: Partial<TurnFacts>) => {
    const parser = adapter.parser();
    const events = lines.flatMap((line) => parser.line(JSON.stringify(line)));
    return adapter.classify(factsOf(events, seen));
  };

  it.each([
    "getaddrinfo ENOTFOUND api.example.com",
    "getaddrinfo EAI_AGAIN api.example.com",
    "connect ECONNREFUSED 160.79.104.10:443",
    "read ECONNRESET",
    "connect ETIMEDOUT 160.79.104.10:443",
    "Network is unreachable",
    "TypeError: fetch failed",
    "Could not resolve host: api.example.com",
  ])("waits when its request failed with %s", (words) => {
    const ending = endingOf(failed(`API Error: ${words}`), { exitCode: 1 });
    expect(ending).toMatchObject({ kind: "limited", scope: "offline" });
  });

  it("does not take what its tools printed, or what it says itself, for a lost connection", () => {
    const said = "The test says: connect ECONNREFUSED, fetch failed, getaddrinfo ENOTFOUND";
    const good =
      kind === "codex"
        ? [
            { type: "item.completed", item: { id: "1", type: "agent_message", text: said } },
            { type: "turn.completed", usage: {} },
          ]
        : [{ type: "result", subtype: "success", is_error: false, result: said }];
    expect(endingOf(good, { exitCode: 0 })).toEqual({ kind: "finished" });
    expect(endingOf(good, { exitCode: 1, stderrTail: "1 test failed: ECONNREFUSED" }).kind).toBe("error");
  });
});

describe("custom", () => {
  const custom = adapterFor("custom");

  it("is finished by exit code 0, whatever it printed", () => {
    expect(
      custom.classify(facts({ finalText: "", stderrTail: "rate limit, 429 Too Many Requests" })),
    ).toEqual({
      kind: "finished",
    });
  });

  it("tells exit code and last line of a failure", () => {
    expect(custom.classify(facts({ exitCode: 3, stderrTail: "error: one\nlast words\n\n" }))).toEqual({
      kind: "error",
      message: "the agent exited with code 3: last words",
    });
    expect(custom.classify(facts({ exitCode: 3, finalText: "from stdout\n" }))).toEqual({
      kind: "error",
      message: "the agent exited with code 3: from stdout",
    });
  });

  it.each([
    "Error: getaddrinfo EAI_AGAIN api.example.com",
    "curl: (6) Could not resolve host: api.example.com",
    "TypeError: fetch failed",
  ])("waits for a connection when its last word is %j", (stderrTail) => {
    expect(custom.classify(facts({ exitCode: 1, stderrTail }))).toMatchObject({
      kind: "limited",
      scope: "offline",
    });
    expect(custom.classify(facts({ exitCode: 0, stderrTail }))).toEqual({ kind: "finished" });
    // On its output stand the words of the agent itself.
    expect(custom.classify(facts({ exitCode: 1, finalText: stderrTail })).kind).toBe("error");
  });

  it("reads a limit only out of a failure", () => {
    const held = facts({ exitCode: 1, stderrTail: "429: Too Many Requests, try again in 30s" });
    expect(custom.classify(held)).toMatchObject({ kind: "limited", scope: "rate" });
    expect(custom.classify({ ...held, exitCode: 0 })).toEqual({ kind: "finished" });
  });

  it.each([
    "FAIL src/billing.test.ts",
    "3 tests failed in quota.rs",
    "TypeError: fetch failed in my unit test",
    "ERR test context window resize",
    "AssertionError: expected (403) to be 200",
    "Error: connect ECONNREFUSED 127.0.0.1:5432",
    "FAIL net.test.ts > says ECONNRESET",
  ])("takes %j for the failure of a turn: words of a test are no limit and no refused key", (stderrTail) => {
    expect(custom.classify(facts({ exitCode: 1, stderrTail })).kind).toBe("error");
  });
});
