import { expect, test } from "vitest";
import { explain } from "../../src/config/explain.ts";
import { MAIN, resolved } from "./resolving.ts";

test("explains each value and where it came from, aligned, without secrets", async () => {
  const run = await resolved(
    {
      [MAIN]: {
        agent: { command: "claude", flags: ["--api-key", "abc"] },
        guardrails: [{ command: "make lint" }, { command: "TOKEN=abc make\nt", flaky: true, timeout: "90s" }],
      },
    },
    { prompt: "fix it\nwell", maximumIterations: 5, emoji: false },
  );
  const width = 31;
  const line = (key: string, value: string, source: string) =>
    `${key.padEnd(width)}${value.padEnd(50)}${source}`;
  expect(explain(run)).toEqual([
    line("prompt", "fix it\\nwell", "--prompt"),
    line("agent.command", "claude", MAIN),
    line("agent.kind", "claude", "inferred from agent.command"),
    line("agent.flags", "--api-key [redacted]", MAIN),
    line("agent.model", "the agent's own choice", "default"),
    line("agent.autonomy", "full", "default"),
    line("agent.inheritUserConfig", "true", "default"),
    line("fallbackAgent", "none", "default"),
    line("maximumIterations", "5", "--maximum-iterations"),
    line("maximumFailures", "3", "default"),
    line("noProgressThreshold", "3", "default"),
    line("maximumDuration", "off", "default"),
    line("timeouts.iteration", "off", "default"),
    line("timeouts.idle", "15m", "default"),
    line("timeouts.linger", "10s", "default"),
    line("processes", "auto", "default"),
    line("taskDir", "the project", "default"),
    line("restart.done", "false", "default"),
    line("restart.waits", "false", "default"),
    line("restart.delay", "off", "default"),
    line("restart.waitTimeout", "5m", "default"),
    line("restart.pollInterval", "1s", "default"),
    line("completionResponse", "DONE", "default"),
    line("claimHint", "true", "default"),
    line("outputTruncateChars", "5000", "default"),
    line("streamAgentOutput", "true", "default"),
    line("includeIterationCountInPrompt", "false", "default"),
    line("guardrails[0]", "make lint (APPEND, 10m)", MAIN),
    line("guardrails[1]", "TOKEN=[redacted] make\\nt (APPEND, 1m30s, flaky)", MAIN),
    line("criteria", "none", "default"),
    line("claim", "needed", "default"),
    line("judge.agent", "none", "default"),
    line("judge.model", "the judge's own choice", "default"),
    line("judge.maxChars", "no judge", "default"),
    line("progress.judge", "false", "default"),
    line("protect", `${MAIN}, .ralph/settings.local.json`, "default"),
    line("pristine.enabled", "false", "default"),
    line("baseline.enabled", "true", "default"),
    line("baseline.feedback", "false", "default"),
    line("snapshots", "true", "default"),
    line("sandbox.kind", "auto", "default"),
    line("sandbox.network.mode", "allowlist", "default"),
    line("sandbox.network.allow", "none", "default"),
    line("sandbox.rw", "none", "default"),
    line("sandbox.ro", "none", "default"),
    line("sandbox.hide", "none", "default"),
    line("sandbox.env", "none", "default"),
    line("sandbox.renewLogin", "true", "default"),
    line("guard.mode", "auto", "default"),
    line("guard.allow", "none", "default"),
    line("guard.deny", "none", "default"),
    line("scm.command", "none", "default"),
    line("scm.tasks", "none", "default"),
    line("output.emoji", "false", "--no-emoji"),
    line("output.color", "auto", "default"),
    line("output.timestamps", "false", "default"),
    line("output.maxOutputLines", "10", "default"),
    line("output.maxOutputChars", "1000", "default"),
  ]);
});

test("explains who stands in, one a line", async () => {
  const run = await resolved({
    [MAIN]: { fallbackAgent: ["codex:gpt-5", { command: "amp", flags: ["--token abc"] }] },
  });
  const lines = explain(run).filter((text) => text.startsWith("fallbackAgent"));
  expect(lines.map((text) => text.split(/ {2,}/))).toEqual([
    ["fallbackAgent[0]", "codex (gpt-5)", MAIN],
    ["fallbackAgent[1]", "amp --token [redacted]", MAIN],
  ]);
});

test("explains criteria: what was found and where, who judges, and that no claim is needed", async () => {
  const run = await resolved(
    {
      [MAIN]: { criteria: ["test_pass", { type: "custom", command: "make smoke", timeout: "5s" }] },
      "package.json": { scripts: { test: "vitest run" } },
    },
    { judgeModel: "opus" },
  );
  const rows = explain(run).map((row) => row.split(/ {2,}/));
  expect(rows).toContainEqual([
    "criteria[0]",
    "test_pass: npm test (found in package.json, APPEND, 10m)",
    MAIN,
  ]);
  expect(rows).toContainEqual(["criteria[1]", "custom: make smoke (APPEND, 5s, judged)", MAIN]);
  expect(rows).toContainEqual(["claim", "not needed", MAIN]);
  expect(rows).toContainEqual(["judge.agent", "claude", "default"]);
  expect(rows).toContainEqual(["judge.model", "opus", "--judge-model"]);
});
