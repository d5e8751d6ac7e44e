import { describe, expect, test } from "vitest";
import { printed, TURN, wholeRun } from "./script.ts";

describe("a whole run", () => {
  test("with emoji, as a terminal shows it", () => {
    expect(printed({}, wholeRun).both).toMatchInlineSnapshot(`
      "ralph 0.1.0 · run run-7
      Agent claude, at most 10 iterations, 2 guardrails

      Before the agent starts, the guardrails show where things stand:
      ▶ Baseline 1/2: npm test
      ❌ Baseline failed: npm test (exit 1, 1.2s), log .ralph/guardrail_000_npm_test.log
      ▶ Baseline 2/2: npm run lint
      ✅ Baseline passed: npm run lint (exit 0, 1.2s)

      ━━ Iteration 1/10 ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
      I look at the file first.
      ⏺ Read(/path/to/file.go)
      ✅ Result ← Read (45 lines, 1234 chars)
        ⎿  package main

           import "fmt"
           … +42 lines

      📋 Todo List
        ✅ Read the file
        🔄 Edit the code ← ACTIVE
        ⏸️ Run tests
        📊 Progress: 1/3 (33%)

      ⏺ Task(find the callers)
        ↳ Looking.
          Two places.
        ↳ ⏺ Bash(grep -rn login .)
        ↳ ❌ Failed ← Bash (1 line, 9 chars)
            ⎿  grep: no
      ✅ Result ← Task (no output)
      ⏺ Bash(rm -rf /)
      ❌ Denied ← Bash (1 line, 11 chars)
        ⎿  Not allowed
      ⏳ Service overloaded: 529 (retrying)
      ⚠️ a server is down
      Fixed.

      <response>DONE</response>

      ✅ Complete (cost: $5.76, tokens: 1.2M in (850K cached) / 45K out, tools: 58, errors: 1, denied: 1, time: 6m7s)

      ▶ Guardrail 1/2: npm test
      ✅ Guardrail passed: npm test (exit 0, 1.2s)
      ▶ Guardrail 2/2: npm run lint
      ❌ Guardrail failed: npm run lint (exit 1, 1.2s), fail action APPEND, log .ralph/guardrail_001_npm_run_lint.log

      ━━ Iteration 2/10 ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
      Now the lint.
      <response>DONE</response>

      ✅ Complete (tools: 2, errors: 0, time: 45s)

      ▶ Guardrail 1/2: npm test
      ✅ Guardrail passed: npm test (exit 0, 1.2s)
      ▶ Guardrail 2/2: npm run lint
      ✅ Guardrail passed: npm run lint (exit 0, 1.2s), passed on its second run (flaky)
      🔁 Files changed while they were being checked: the guardrails run again (round 2)
      ▶ Guardrail 1/2: npm test
      ✅ Guardrail passed: npm test (exit 0, 1.2s)
      ▶ Guardrail 2/2: npm run lint
      ✅ Guardrail passed: npm run lint (exit 0, 1.2s)

      💾 Asking the agent for a commit message
      💾 Commit message: Fix the login
      ✅ Committed 1a2b3c4

      ✅ Verified: 2 gates passed, claimed <response>DONE</response>. 3 iterations, $0.12, 45K tokens, 6m7s
      "
    `);
  });

  test("with text markers it is ASCII from end to end", () => {
    const { both } = printed({ emoji: false }, wholeRun);
    expect(both).toMatch(/^[\t\n -~]*$/);
    expect(both).toMatchInlineSnapshot(`
      "ralph 0.1.0 - run run-7
      Agent claude, at most 10 iterations, 2 guardrails

      Before the agent starts, the guardrails show where things stand:
      [RUN] Baseline 1/2: npm test
      [ERR] Baseline failed: npm test (exit 1, 1.2s), log .ralph/guardrail_000_npm_test.log
      [RUN] Baseline 2/2: npm run lint
      [OK] Baseline passed: npm run lint (exit 0, 1.2s)

      == Iteration 1/10 ==
      I look at the file first.
      [TOOL] Read(/path/to/file.go)
      [OK] Result <- Read (45 lines, 1234 chars)
        |  package main
        |
        |  import "fmt"
        |  ... +42 lines

      [TODO] Todo List
        [x] Read the file
        [>] Edit the code <- ACTIVE
        [ ] Run tests
        Progress: 1/3 (33%)

      [TOOL] Task(find the callers)
        > Looking.
          Two places.
        > [TOOL] Bash(grep -rn login .)
        > [ERR] Failed <- Bash (1 line, 9 chars)
            |  grep: no
      [OK] Result <- Task (no output)
      [TOOL] Bash(rm -rf /)
      [ERR] Denied <- Bash (1 line, 11 chars)
        |  Not allowed
      [WAIT] Service overloaded: 529 (retrying)
      [WARN] a server is down
      Fixed.

      <response>DONE</response>

      [OK] Complete (cost: $5.76, tokens: 1.2M in (850K cached) / 45K out, tools: 58, errors: 1, denied: 1, time: 6m7s)

      [RUN] Guardrail 1/2: npm test
      [OK] Guardrail passed: npm test (exit 0, 1.2s)
      [RUN] Guardrail 2/2: npm run lint
      [ERR] Guardrail failed: npm run lint (exit 1, 1.2s), fail action APPEND, log .ralph/guardrail_001_npm_run_lint.log

      == Iteration 2/10 ==
      Now the lint.
      <response>DONE</response>

      [OK] Complete (tools: 2, errors: 0, time: 45s)

      [RUN] Guardrail 1/2: npm test
      [OK] Guardrail passed: npm test (exit 0, 1.2s)
      [RUN] Guardrail 2/2: npm run lint
      [OK] Guardrail passed: npm run lint (exit 0, 1.2s), passed on its second run (flaky)
      [AGAIN] Files changed while they were being checked: the guardrails run again (round 2)
      [RUN] Guardrail 1/2: npm test
      [OK] Guardrail passed: npm test (exit 0, 1.2s)
      [RUN] Guardrail 2/2: npm run lint
      [OK] Guardrail passed: npm run lint (exit 0, 1.2s)

      [COMMIT] Asking the agent for a commit message
      [COMMIT] Commit message: Fix the login
      [OK] Committed 1a2b3c4

      [OK] Verified: 2 gates passed, claimed <response>DONE</response>. 3 iterations, $0.12, 45K tokens, 6m7s
      "
    `);
  });

  test("the agent's own words are all that goes to the output stream", () => {
    expect(printed({}, wholeRun).out).toBe(
      "I look at the file first.\nFixed.\n\n<response>DONE</response>\nNow the lint.\n<response>DONE</response>\n",
    );
  });

  test("without the agent's stream only what happened to the run is shown", () => {
    const { out, err } = printed({ streamAgentOutput: false }, wholeRun);
    expect(out).toBe("");
    expect(err).not.toMatch(/Read|Todo|grep/);
    expect(err).toContain("errors: 1, denied: 1, time: 6m7s");
    expect(err).toContain("✅ Verified: 2 gates passed");
  });

  test("timestamps stand before every line that is not blank", () => {
    const { both } = printed({ timestamps: true }, wholeRun);
    const lines = both.split("\n").filter((line) => line !== "");
    expect(lines.filter((line) => !line.startsWith("[12:00:00] "))).toEqual([]);
    expect(both).toContain("[12:00:00]   🔄 Edit the code ← ACTIVE\n");
  });

  test("colour changes nothing but colour", () => {
    const ours = /\u001b\[(?:1|2|22|31|32|33|36|39)m/g;
    const { both } = printed({ color: true }, wholeRun);
    expect(both).toMatch(ours);
    expect(both.replace(ours, "")).toBe(printed({}, wholeRun).both);
    expect(printed({ color: true }, wholeRun).out).not.toMatch(ours);
  });
});

test("verbose adds thoughts, details and lines that nobody knows", () => {
  const { err } = printed({ verbose: true }, (reporter) => {
    reporter.detail("Agent command: claude -p");
    for (const event of TURN) reporter.said(1, event);
    reporter.said(1, { type: "unrecognised", line: "x".repeat(1000) });
    reporter.happened({ type: "stop.requested", at: 0, run: "r", by: "SIGINT" });
  });
  expect(err).toContain("[ralph] Agent command: claude -p\n");
  expect(err).toContain("[ralph] Agent session s-1, model opus\n💭 The test is red.\n   Read first.\n");
  expect(err).toContain(
    '[ralph] Agent: compacting\n⚠️ a server is down\n[ralph] Unrecognised line: {"type":"new"}\n',
  );
  expect(err).toContain(`[ralph] Unrecognised line: ${"x".repeat(200)}…\n`);
  expect(err).toContain("[ralph] Stop requested by SIGINT\n");
});

test("without verbose a detail or a stop request prints nothing", () => {
  const { both } = printed({}, (reporter) => {
    reporter.detail("Agent command: claude -p");
    reporter.said(1, { type: "unrecognised", line: "?" });
    reporter.said(1, { type: "thinking", text: "hm" });
    reporter.happened({ type: "stop.requested", at: 0, run: "r", by: "SIGINT" });
  });
  expect(both).toBe("");
});
