import { mkdirSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { explain } from "../../src/config/explain.ts";
import { type ResolvedRun, type ResolveInput, type RunFlags, resolveRun } from "../../src/config/resolve.ts";
import type { AgentKind } from "../../src/events.ts";
import { errorOf, project } from "./project.ts";

const MAIN = ".ralph/settings.json";
const LOCAL = ".ralph/settings.local.json";

function kindOf(command: string): AgentKind {
  const name = basename(command.split(" ")[0] ?? "");
  return name === "claude" || name === "codex" || name === "amp" ? name : "custom";
}

function input(folder: string, flags: RunFlags, programs = ["claude", "codex", "amp"]): ResolveInput {
  const findProgram = (name: string) => (programs.includes(name) ? `/bin/${name}` : undefined);
  return { project: folder, cwd: folder, flags, env: { HOME: "/home/jo e" }, findProgram, kindOf };
}

function resolved(
  files: Record<string, unknown>,
  flags: RunFlags = {},
  programs?: string[],
): Promise<ResolvedRun> {
  return resolveRun(input(project(files), { prompt: "go", ...flags }, programs));
}

test("without settings everything is the default", async () => {
  const folder = project();
  const run = await resolveRun(input(folder, { prompt: "go" }, ["codex", "amp"]));
  expect(run.spec).toEqual({
    kind: "run",
    project: folder,
    agent: { kind: "codex", command: "codex", flags: [], autonomy: "full" },
    work: { kind: "prompt", text: "go" },
    claim: { response: "DONE", hint: true },
    gates: [],
    limits: { iterations: 10, failures: 3, waits: 100 },
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

describe("the agent", () => {
  const CLAUDE = {
    [MAIN]: {
      agent: { command: "claude", kind: "claude", flags: ["--x"], model: "opus", autonomy: "edits" },
    },
  };

  test("of another kind gets none of what was written for the one in the settings", async () => {
    const run = await resolved(CLAUDE, { agent: "codex" });
    expect(run.spec.agent).toEqual({ kind: "codex", command: "codex", flags: [], autonomy: "edits" });
    expect(run.sources.get("agent.flags")).toBe("default");
  });

  test("of the same kind keeps it", async () => {
    const run = await resolved(CLAUDE, { agent: "/opt/claude" }, ["/opt/claude"]);
    expect(run.spec.agent).toMatchObject({
      kind: "claude",
      command: "/opt/claude",
      flags: ["--x"],
      model: "opus",
    });
  });

  test("may be a program with words of its own, or lie in the home folder", async () => {
    const run = await resolved({}, { agent: "npx my-agent" }, ["npx"]);
    expect(run.spec.agent).toMatchObject({ kind: "custom", command: "npx my-agent" });
    const home = await resolved({}, { agent: "~/bin/claude -v" }, ["/home/jo e/bin/claude"]);
    expect(home.spec.agent.command).toBe("'/home/jo e'/bin/claude -v");
  });

  test("kind can be set", async () => {
    const run = await resolved({ [MAIN]: { agent: { command: "my-claude", kind: "claude" } } }, {}, [
      "my-claude",
    ]);
    expect(run.spec.agent.kind).toBe("claude");
    expect(run.sources.get("agent.kind")).toBe(MAIN);
  });

  test("is missing", async () => {
    expect(await errorOf(() => resolved({}, {}, []))).toEqual([
      "there is no agent to run",
      "none is named, and none of claude, codex, amp is on PATH",
      "Install one of them, or name another: ralph run --agent <command>, or run ralph init.",
    ]);
  });

  test("is not installed", async () => {
    const fix =
      "Install it, or name another agent with --agent or with agent.command in .ralph/settings.json.";
    expect(await errorOf(() => resolved({}, { agent: "nope -x" }))).toEqual([
      "cannot start nope",
      "no program of that name is on PATH (agent.command, --agent)",
      fix,
    ]);
    expect(await errorOf(() => resolved({ [MAIN]: { agent: { command: "./nope" } } }))).toEqual([
      "cannot start ./nope",
      `there is no program at that path (agent.command, ${MAIN})`,
      fix,
    ]);
  });

  test("has a flag with an open quote", async () => {
    const files = {
      [MAIN]: { agent: { command: "claude", flags: ["-v"] } },
      [LOCAL]: { agent: { flags: ["-a", "--say 'a"] } },
    };
    expect(await errorOf(() => resolved(files))).toEqual([
      `bad setting agent.flags[1] in ${LOCAL}, line 5, column 7`,
      'a quote or a backslash in it is not closed: "--say \'a"',
      "Close it; agent.flags[1] is split into words as a shell would.",
    ]);
    expect(await errorOf(() => resolved({}, { agent: 'claude "' }))).toEqual([
      "bad value for --agent",
      'a quote or a backslash in it is not closed: "claude ""',
      "Close it; --agent is split into words as a shell would.",
    ]);
  });
});

describe("bad flags", () => {
  const NUMBER = "a whole number of 1 or more";
  test.each<[RunFlags, [string, string, string]]>([
    [
      { maximumIterations: "opus" },
      [
        "bad value for --maximum-iterations",
        `it is "opus", where ${NUMBER} is wanted`,
        "Did you mean --model opus?",
      ],
    ],
    [
      { maximumIterations: "0" },
      [
        "bad value for --maximum-iterations",
        `it is 0, where ${NUMBER} is wanted`,
        `Give --maximum-iterations ${NUMBER}.`,
      ],
    ],
    [
      { maximumIterations: -3 },
      [
        "bad value for --maximum-iterations",
        `it is -3, where ${NUMBER} is wanted`,
        `Give --maximum-iterations ${NUMBER}.`,
      ],
    ],
    [
      { maximumIterations: "1.5" },
      [
        "bad value for --maximum-iterations",
        `it is 1.5, where ${NUMBER} is wanted`,
        `Give --maximum-iterations ${NUMBER}.`,
      ],
    ],
    [
      { maximumIterations: "1e999" },
      [
        "bad value for --maximum-iterations",
        `it is 1e999, where ${NUMBER} is wanted`,
        `Give --maximum-iterations ${NUMBER}.`,
      ],
    ],
    [
      { maximumFailures: "x" },
      [
        "bad value for --maximum-failures",
        `it is "x", where ${NUMBER} is wanted`,
        `Give --maximum-failures ${NUMBER}.`,
      ],
    ],
    [
      { maxOutputLines: "-1" },
      [
        "bad value for --max-output-lines",
        "it is -1, where a whole number of 0 or more is wanted",
        "Give --max-output-lines a whole number of 0 or more.",
      ],
    ],
    [
      { color: "alway" },
      [
        "bad value for --color",
        'it is "alway", where one of auto, always, never is wanted',
        "Did you mean --color always?",
      ],
    ],
    [
      { autonomy: "zzz" },
      [
        "bad value for --autonomy",
        'it is "zzz", where one of full, edits, none is wanted',
        "Give --autonomy one of full, edits, none.",
      ],
    ],
    [
      { model: " " },
      ["bad value for --model", "it is blank", "Write it after --model, or leave --model out."],
    ],
    [
      { agent: "" },
      ["bad value for --agent", "it is blank", "Write it after --agent, or leave --agent out."],
    ],
    [
      { prompt: "\n" },
      [
        "the prompt is blank",
        "--prompt has no text",
        'Say what is to be done: ralph run -p "fix the tests".',
      ],
    ],
    [
      { promptFile: "p" },
      ["both --prompt and --prompt-file were given", "a run has one prompt", "Leave one of them out."],
    ],
    [
      { prompt: undefined },
      [
        "there is no prompt",
        "neither --prompt nor --prompt-file was given",
        'Say what is to be done: ralph run -p "fix the tests", or ralph run -f prompt.md.',
      ],
    ],
  ])("%j", async (flags, parts) => {
    expect(await errorOf(() => resolved({}, flags))).toEqual(parts);
  });
});

describe("the prompt file", () => {
  const FIX = "Check the path given to --prompt-file.";
  const from = (folder: string, promptFile: string, cwd = folder) =>
    resolveRun({ ...input(folder, { promptFile }), cwd });

  test("is found from where ralph was started", async () => {
    const folder = project({ "sub/p.md": "go" });
    const run = await from(folder, "p.md", join(folder, "sub"));
    expect(run.spec.work).toEqual({ kind: "prompt-file", path: join(folder, "sub/p.md") });
    expect(run.sources.get("prompt")).toBe("--prompt-file");
  });

  test("may lie elsewhere, behind links of the user's own", async () => {
    const folder = project();
    const elsewhere = project({ "real.md": "go" });
    symlinkSync("real.md", join(elsewhere, "link.md"));
    const run = await from(folder, join(elsewhere, "link.md"));
    expect(run.spec.work).toEqual({ kind: "prompt-file", path: join(elsewhere, "link.md") });
  });

  test("may lie behind a link that stays in the project", async () => {
    const folder = project({ "real/p.md": "go" });
    symlinkSync("real", join(folder, "link"));
    await expect(from(folder, "link/p.md")).resolves.toBeDefined();
  });

  test("is missing, blank, a folder, or has no name", async () => {
    const folder = project({ "blank.md": " \n" });
    mkdirSync(join(folder, "folder"));
    expect(await errorOf(() => from(folder, "no.md"))).toEqual([
      "cannot read the prompt file no.md",
      "there is no such file",
      FIX,
    ]);
    expect(await errorOf(() => from(folder, "no/no.md"))).toEqual([
      "cannot read the prompt file no/no.md",
      "there is no such file",
      FIX,
    ]);
    expect(await errorOf(() => from(folder, "blank.md/x"))).toEqual([
      "cannot read the prompt file blank.md/x",
      "it cannot be opened (ENOTDIR)",
      FIX,
    ]);
    expect(await errorOf(() => from(folder, "blank.md"))).toEqual([
      "the prompt file blank.md is blank",
      "it has no text",
      "Write into it what is to be done.",
    ]);
    expect(await errorOf(() => from(folder, "folder"))).toEqual([
      "cannot read the prompt file folder",
      "it is not a plain file, and it is read again in each iteration",
      "Save the prompt in a file and name that.",
    ]);
    expect(await errorOf(() => from(folder, ""))).toEqual([
      "the prompt file has no name",
      "--prompt-file is blank",
      "Name a file: ralph run -f prompt.md.",
    ]);
  });

  test("is a link, or lies behind one that leaves the project", async () => {
    const folder = project({ "real.md": "go" });
    const elsewhere = project({ "p.md": "go" });
    symlinkSync("real.md", join(folder, "link.md"));
    symlinkSync(elsewhere, join(folder, "out"));
    expect(await errorOf(() => from(folder, "link.md"))).toEqual([
      "the prompt file link.md is a symbolic link",
      "an agent could have made it, so ralph does not follow it",
      "Put the real thing in its place.",
    ]);
    expect(await errorOf(() => from(folder, "out/p.md"))).toEqual([
      "the prompt file out/p.md is outside the project",
      "a symbolic link on the way to it leads out, and an agent could have made it",
      "Name the file by its real path.",
    ]);
  });

  test("is guarded also when the project is reached through a link", async () => {
    const folder = project({ "real.md": "go" });
    symlinkSync("real.md", join(folder, "link.md"));
    const alias = join(project(), "alias");
    symlinkSync(folder, alias);
    await expect(from(alias, "real.md")).resolves.toBeDefined();
    expect((await errorOf(() => from(alias, "link.md")))[0]).toBe(
      "the prompt file link.md is a symbolic link",
    );
  });
});

test("explains each value and where it came from, aligned, without secrets", async () => {
  const run = await resolved(
    {
      [MAIN]: {
        agent: { command: "claude", flags: ["--api-key", "abc"] },
        guardrails: [
          { command: "make lint" },
          { command: "TOKEN=abc make\ntest", flaky: true, timeout: "90s" },
        ],
      },
    },
    { prompt: "fix it\nwell", maximumIterations: 5, emoji: false },
  );
  const width = 31;
  const line = (key: string, value: string, source: string) =>
    `${key.padEnd(width)}${value.padEnd(46)}${source}`;
  expect(explain(run)).toEqual([
    line("prompt", "fix it\\nwell", "--prompt"),
    line("agent.command", "claude", MAIN),
    line("agent.kind", "claude", "inferred from agent.command"),
    line("agent.flags", "--api-key [redacted]", MAIN),
    line("agent.model", "the agent's own choice", "default"),
    line("agent.autonomy", "full", "default"),
    line("maximumIterations", "5", "--maximum-iterations"),
    line("maximumFailures", "3", "default"),
    line("completionResponse", "DONE", "default"),
    line("claimHint", "true", "default"),
    line("outputTruncateChars", "5000", "default"),
    line("streamAgentOutput", "true", "default"),
    line("includeIterationCountInPrompt", "false", "default"),
    line("guardrails[0]", "make lint (APPEND, 10m)", MAIN),
    line("guardrails[1]", "TOKEN=[redacted] make\\ntest (APPEND, 1m30s, flaky)", MAIN),
    line("baseline.enabled", "true", "default"),
    line("baseline.feedback", "false", "default"),
    line("scm.command", "none", "default"),
    line("scm.tasks", "none", "default"),
    line("output.emoji", "false", "--no-emoji"),
    line("output.color", "auto", "default"),
    line("output.timestamps", "false", "default"),
    line("output.maxOutputLines", "10", "default"),
    line("output.maxOutputChars", "1000", "default"),
  ]);
});
