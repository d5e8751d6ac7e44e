import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type RunFlags, resolveRun } from "../../src/config/resolve.ts";
import { errorOf, project } from "./project.ts";
import { input, LOCAL, MAIN, resolved } from "./resolving.ts";

/** The fence that nobody said anything about. */
const FENCE = {
  kind: "auto",
  network: { mode: "allowlist", allow: [] },
  rw: [],
  ro: [],
  hide: [],
  env: [],
  renewLogin: true,
  limits: {},
};

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
    sandbox: FENCE,
    prompt: { includeIterationCount: false, outputTruncateChars: 5000, baselineFeedback: false },
    baseline: true,
    snapshots: true,
    guard: { mode: "auto", allow: [], deny: [] },
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

test("the guard is left to the sandbox unless it is said, and takes its patterns from the settings", async () => {
  const { spec, sources } = await resolved({
    [MAIN]: { guard: { mode: "on", allow: ["npm publish"] } },
    [LOCAL]: { guard: { mode: "off", deny: ["npm install"] } },
  });
  expect(spec.guard).toEqual({ mode: "off", allow: ["npm publish"], deny: ["npm install"] });
  expect(sources.get("guard.mode")).toBe(LOCAL);
  expect((await resolved({ [MAIN]: { guard: { mode: "auto" } } })).spec.guard?.mode).toBe("auto");
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
      snapshots: false,
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
      { kind: "protect", command: "", patterns: [], defining: [MAIN, LOCAL] },
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
    snapshots: false,
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

describe("restarts and the task's folder", () => {
  const between = {
    restart: { done: true, waits: true, delay: "2s", max: 7, waitTimeout: "off", pollInterval: "50ms" },
    taskDir: "tasks/one",
  };

  test("hold for `ralph run` when they are set", async () => {
    const { spec, sources } = await resolved({ [MAIN]: between, "tasks/one/TASK.md": "" });
    expect(spec.claim).toEqual({ response: "DONE", hint: true, done: true });
    expect(spec.restart).toEqual({ honoursWaits: true, delayMs: 2000, childWaitMs: 0, pollMs: 50 });
    expect(spec.taskDir).toBe(join(spec.project, "tasks/one"));
    expect(spec.limits).toMatchObject({ iterations: 10, failures: 3, noProgress: 3 }); // max is not for it
    expect(sources.get("restart.done")).toBe(MAIN);
    expect(sources.get("taskDir")).toBe(MAIN);
  });

  test("of flags beat those of the settings", async () => {
    const folder = { [MAIN]: between, "tasks/one/TASK.md": "", "other/TASK.md": "" };
    const { spec, sources } = await resolved(folder, {
      done: false,
      waits: false,
      restartDelay: "off",
      waitTimeout: "1m",
      pollInterval: "3s",
      taskDir: "other",
    });
    expect(spec.claim.done).toBe(false);
    expect(spec.restart).toEqual({ honoursWaits: false, delayMs: 0, childWaitMs: 60_000, pollMs: 3000 });
    expect(spec.taskDir).toBe(join(spec.project, "other"));
    expect(Object.fromEntries(sources)).toMatchObject({
      "restart.done": "--no-done",
      "restart.waits": "--no-waits",
      "restart.delay": "--restart-delay",
      "restart.waitTimeout": "--wait-timeout",
      "restart.pollInterval": "--poll-interval",
      taskDir: "--task-dir",
    });
  });

  test("a folder that is not there is refused, whoever names it", async () => {
    const fix = "Make it first, or name another.";
    expect(await errorOf(() => resolved({ [MAIN]: { taskDir: "nowhere" } }))).toEqual([
      'the task\'s folder "nowhere" is not there',
      `there is no folder of that name (${MAIN})`,
      fix,
    ]);
    expect((await errorOf(() => resolved({}, { taskDir: "nowhere" })))[1]).toContain("(--task-dir)");
    expect((await errorOf(() => resolved({ file: "" }, { taskDir: "file" })))[2]).toBe(fix);
  });

  test("a folder outside the project is the user's to name, not the settings'", async () => {
    const outside = project();
    const linked = project({ [MAIN]: { taskDir: "link" } });
    symlinkSync(outside, join(linked, "link"));
    for (const folder of [
      project({ [MAIN]: { taskDir: ".." } }),
      project({ [MAIN]: { taskDir: outside } }),
      linked,
    ]) {
      const [what] = await errorOf(() => resolveRun(input(folder, { prompt: "go" })));
      expect(what).toMatch(/is outside the project$/);
    }
    expect((await resolved({}, { taskDir: outside })).spec.taskDir).toBe(outside);
  });

  test("looking without a pause is refused", async () => {
    expect((await errorOf(() => resolved({}, { pollInterval: "off" })))[2]).toBe(
      "Write it as 500ms, 5s, 10m, 2h or 1h30m.",
    );
  });
});

describe("a supervised run", () => {
  const supervised = (files: Record<string, unknown>, flags: RunFlags = {}) =>
    resolveRun({ ...input(project(files), flags, []), command: ["make", "it so", "$(x)"] });

  test("has defaults of its own, and needs neither a prompt nor an agent", async () => {
    const { spec } = await supervised({});
    expect(spec).toEqual({
      kind: "supervise",
      project: spec.project,
      agent: { kind: "custom", command: "make 'it so' '$(x)'", flags: [], autonomy: "full" },
      work: { kind: "none" },
      claim: { response: "", hint: false, done: true },
      gates: [],
      limits: { iterations: 100, failures: 0, waits: 100, noProgress: 0 },
      taskDir: spec.project,
      restart: { delayMs: 1000, honoursWaits: true, childWaitMs: 300_000, pollMs: 1000 },
      timeouts: { turnMs: 0, idleMs: 900_000, lingerMs: 10_000 },
      processes: "auto",
      sandbox: FENCE,
      prompt: { includeIterationCount: false, outputTruncateChars: 5000, baselineFeedback: false },
      baseline: false,
      snapshots: true,
      guard: { mode: "auto", allow: [], deny: [] },
    });
  });

  test("takes its settings from the files, but for what belongs to an agent with a prompt", async () => {
    const { spec, show } = await supervised({
      [MAIN]: {
        maximumIterations: 3,
        maximumFailures: 4,
        noProgressThreshold: 5,
        completionResponse: "YES",
        agent: { command: "claude" },
        scm: { command: "git", tasks: ["commit"] },
        guardrails: [{ command: "make test", timeout: "5s" }],
        baseline: { enabled: true },
        timeouts: { iteration: "2h", idle: "off" },
        restart: { done: false, waits: false, delay: "3s", max: 6, waitTimeout: "1s", pollInterval: "2s" },
        output: { emoji: false },
      },
    });
    expect(spec).toMatchObject({
      agent: { command: "make 'it so' '$(x)'" },
      claim: { response: "", done: true }, // DONE is its only good end, whatever is set for other runs
      gates: [{ kind: "protect" }, { command: "make test", timeoutMs: 5000 }],
      limits: { iterations: 6, failures: 4, noProgress: 5 },
      restart: { delayMs: 3000, honoursWaits: false, childWaitMs: 1000, pollMs: 2000 },
      timeouts: { turnMs: 7_200_000, idleMs: 0 },
      baseline: true,
    });
    expect(spec).not.toHaveProperty("scm");
    expect(show.emoji).toBe(false);
  });

  test("is told otherwise by flags", async () => {
    const settings = {
      restart: { max: 6, delay: "3s", waits: false },
      guardrails: [{ command: "make test" }],
    };
    const { spec, sources } = await supervised(
      { [MAIN]: settings },
      {
        maxRestarts: "9",
        restartDelay: "1ms",
        waits: true,
        guardrail: ["true"],
        maximumFailures: 1,
        maxNoProgress: 2,
      },
    );
    expect(spec).toMatchObject({
      gates: [{ kind: "protect" }, { command: "true" }],
      limits: { iterations: 9, failures: 1, noProgress: 2 },
      restart: { delayMs: 1, honoursWaits: true },
    });
    expect(sources.get("restart.max")).toBe("--max-restarts");
    expect((await errorOf(() => supervised({}, { guardrail: [" "] })))[0]).toBe("bad value for --guardrail");
  });
});

test("a completion response that no answer can match is refused as a flag too", async () => {
  expect(await errorOf(() => resolved({}, { completionResponse: "a<b" }))).toEqual([
    "bad value for --completion-response",
    'it is "a<b", where a text without < and of at most 4096 characters is wanted',
    "Give the word that stands between <response> and </response>.",
  ]);
});

test("an empty list of scm tasks switches version control off", async () => {
  const run = await resolved({
    [MAIN]: { scm: { command: "git", tasks: ["commit"] } },
    [LOCAL]: { scm: { tasks: [] } },
  });
  expect(run.spec).not.toHaveProperty("scm");
});
