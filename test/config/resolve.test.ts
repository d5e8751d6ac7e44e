import { expect, test } from "vitest";
import { resolveRun } from "../../src/config/resolve.ts";
import { project } from "./project.ts";
import { input, LOCAL, MAIN, resolved } from "./resolving.ts";

test("without settings everything is the default", async () => {
  const folder = project();
  const run = await resolveRun(input(folder, { prompt: "go" }, ["codex", "amp"]));
  expect(run.spec).toEqual({
    kind: "run",
    project: folder,
    agent: { kind: "codex", command: "codex", flags: [], autonomy: "full" },
    work: { kind: "prompt", text: "go" },
    claim: { response: "DONE", hint: true, done: false },
    gates: [],
    limits: { iterations: 10, failures: 3, waits: 100, noProgress: 3 },
    taskDir: folder,
    restart: { delayMs: 0, honoursWaits: false, childWaitMs: 300_000, pollMs: 1_000 },
    timeouts: { turnMs: 0, idleMs: 900_000, lingerMs: 10_000 },
    processes: "auto",
    prompt: { includeIterationCount: false, outputTruncateChars: 5000, baselineFeedback: false },
    baseline: true,
  });
  expect(run.show).toEqual({
    emoji: true,
    color: "auto",
    timestamps: false,
    maxOutputLines: 10,
    maxOutputChars: 1000,
  });
  expect(run.streamAgentOutput).toBe(true);
  expect(run.sources.get("agent.command")).toBe("found on PATH");
  const others = [...run.sources].filter(([key]) => !["prompt", "agent.command", "agent.kind"].includes(key));
  expect(new Set(others.map(([, source]) => source))).toEqual(new Set(["default"]));
});

test("settings fill the run, and the local file wins", async () => {
  const run = await resolved({
    [MAIN]: {
      maximumIterations: 4,
      maximumFailures: 2,
      completionResponse: " FINISHED ",
      claimHint: false,
      outputTruncateChars: 7,
      streamAgentOutput: false,
      includeIterationCountInPrompt: true,
      agent: { command: "claude", flags: ["--model opus", "--say 'a b'", ""], model: "m", autonomy: "edits" },
      guardrails: [
        { command: "make lint" },
        { command: "t", failAction: "REPLACE", hint: "h", timeout: "5s", flaky: true },
      ],
      scm: { command: "git", tasks: ["commit"] },
      baseline: { enabled: false, feedback: true },
      output: { emoji: false, color: "never", timestamps: true, maxOutputLines: 1, maxOutputChars: 2 },
    },
    [LOCAL]: { maximumIterations: 6 },
  });
  expect(run.spec).toMatchObject({
    agent: {
      kind: "claude",
      command: "claude",
      flags: ["--model", "opus", "--say", "a b"],
      model: "m",
      autonomy: "edits",
    },
    claim: { response: "FINISHED", hint: false },
    gates: [
      {
        kind: "guardrail",
        name: "make lint",
        command: "make lint",
        failAction: "APPEND",
        timeoutMs: 600_000,
        flaky: false,
      },
      {
        kind: "guardrail",
        name: "t",
        command: "t",
        failAction: "REPLACE",
        hint: "h",
        timeoutMs: 5000,
        flaky: true,
      },
    ],
    limits: { iterations: 6, failures: 2, waits: 100 },
    prompt: { includeIterationCount: true, outputTruncateChars: 7, baselineFeedback: true },
    baseline: false,
    scm: { command: "git", tasks: ["commit"] },
  });
  expect(run.show).toEqual({
    emoji: false,
    color: "never",
    timestamps: true,
    maxOutputLines: 1,
    maxOutputChars: 2,
  });
  expect(run.streamAgentOutput).toBe(false);
  expect(run.sources.get("maximumIterations")).toBe(LOCAL);
  expect(run.sources.get("agent.flags")).toBe(MAIN);
});

test("a flag beats a setting", async () => {
  const run = await resolved(
    {
      [MAIN]: {
        maximumIterations: 4,
        maximumFailures: 2,
        completionResponse: "A",
        claimHint: false,
        streamAgentOutput: false,
        agent: { command: "claude", model: "m", autonomy: "edits" },
        baseline: { enabled: true },
        output: { emoji: false, color: "never", timestamps: true, maxOutputLines: 1, maxOutputChars: 2 },
      },
    },
    {
      maximumIterations: "7",
      maximumFailures: 8,
      completionResponse: "",
      claimHint: true,
      streamAgentOutput: true,
      model: "n",
      autonomy: "none",
      baseline: false,
      emoji: true,
      color: "always",
      timestamps: false,
      maxOutputLines: "0",
      maxOutputChars: 0,
    },
  );
  expect(run.spec).toMatchObject({
    agent: { command: "claude", model: "n", autonomy: "none" },
    claim: { response: "", hint: true },
    limits: { iterations: 7, failures: 8 },
    baseline: false,
  });
  expect(run.show).toEqual({
    emoji: true,
    color: "always",
    timestamps: false,
    maxOutputLines: 0,
    maxOutputChars: 0,
  });
  expect(run.streamAgentOutput).toBe(true);
  expect(Object.fromEntries(run.sources)).toMatchObject({
    maximumIterations: "--maximum-iterations",
    maximumFailures: "--maximum-failures",
    completionResponse: "--completion-response",
    claimHint: "--claim-hint",
    streamAgentOutput: "--stream-agent-output",
    "agent.command": MAIN,
    "agent.model": "--model",
    "agent.autonomy": "--autonomy",
    "baseline.enabled": "--no-baseline",
    "output.emoji": "--emoji",
    "output.color": "--color",
    "output.timestamps": "--no-timestamps",
    "output.maxOutputLines": "--max-output-lines",
    "output.maxOutputChars": "--max-output-chars",
  });
});

test("an empty list of scm tasks switches version control off", async () => {
  const run = await resolved({
    [MAIN]: { scm: { command: "git", tasks: ["commit"] } },
    [LOCAL]: { scm: { tasks: [] } },
  });
  expect(run.spec).not.toHaveProperty("scm");
});
