import { describe, expect, it } from "vitest";
import type { Verdict } from "../../src/events.ts";
import { composePrompt, failureMessage } from "../../src/loop/prompt.ts";
import { type Feedback, INITIAL, type LoopState } from "../../src/loop/state.ts";
import type { FailAction, GateSpec, RunSpec } from "../../src/spec.ts";

function gate(command: string, failAction: FailAction, hint?: string): GateSpec {
  const rest = { kind: "guardrail", name: command, timeoutMs: 1000, flaky: false } as const;
  return { ...rest, command, failAction, ...(hint === undefined ? {} : { hint }) };
}

function verdict(output: string, more: Partial<Verdict> = {}): Verdict {
  const logPath = ".ralph/guardrail_001_npm_test.log";
  return { pass: false, exitCode: 1, wallMs: 5, logPath, output, truncated: false, ...more };
}

function spec(gates: readonly GateSpec[], includeIterationCount = false): RunSpec {
  return {
    kind: "run",
    project: "/project",
    agent: { kind: "custom", command: "agent", flags: [], autonomy: "full" },
    work: { kind: "prompt", text: "unused" },
    claim: { response: "DONE", hint: true, done: false },
    gates,
    limits: { iterations: 10, failures: 3, waits: 3, noProgress: 0 },
    taskDir: "/project",
    restart: { delayMs: 0, honoursWaits: false, childWaitMs: 0, pollMs: 1 },
    timeouts: { turnMs: 0, idleMs: 0, lingerMs: 0 },
    prompt: { includeIterationCount, outputTruncateChars: 5000, baselineFeedback: false },
    baseline: false,
  };
}

/** The prompt after every one of these gates failed, each with its own command as output. */
function promptAfter(gates: readonly GateSpec[], more: Partial<LoopState> = {}, count = false): string {
  const feedback = gates.map(
    (one, index): Feedback => ({ gate: index, verdict: verdict(`${one.command}!`) }),
  );
  return composePrompt("BASE", spec(gates, count), { ...INITIAL, feedback, ...more }, 3);
}

const told = (command: string) =>
  `Guardrail "${command}" failed with exit code 1.\nOutput file: .ralph/guardrail_001_npm_test.log\nOutput (truncated):\n${command}!`;

describe("the failure message", () => {
  it("has the words of the specification", () => {
    const failed = { gate: 0, verdict: verdict("1 test failed", { exitCode: 7 }) };
    expect(failureMessage(failed, gate("npm test", "APPEND", "read the first error"))).toBe(
      [
        'Guardrail "npm test" failed with exit code 7.',
        "Hint: read the first error",
        "Output file: .ralph/guardrail_001_npm_test.log",
        "Output (truncated):",
        "1 test failed",
      ].join("\n"),
    );
  });

  it.each([undefined, ""])("has no hint line when the hint is %j", (hint) => {
    const message = failureMessage({ gate: 0, verdict: verdict("out") }, gate("npm test", "APPEND", hint));
    expect(message).toBe(
      'Guardrail "npm test" failed with exit code 1.\nOutput file: .ralph/guardrail_001_npm_test.log\nOutput (truncated):\nout',
    );
  });

  it("keeps a hint whole and literal, however long, and lets output look like a format", () => {
    const hint = `{{output}} $& %s ${"x".repeat(20_000)}`;
    const message = failureMessage(
      { gate: 0, verdict: verdict("$& $1 \\n") },
      gate("a $& b", "APPEND", hint),
    );
    expect(message.split("\n")).toEqual([
      'Guardrail "a $& b" failed with exit code 1.',
      `Hint: ${hint}`,
      "Output file: .ralph/guardrail_001_npm_test.log",
      "Output (truncated):",
      "$& $1 \\n",
    ]);
  });

  it("names the cause when it was not the exit code", () => {
    const failed = { gate: 0, verdict: verdict("", { exitCode: null, reason: "it was killed by SIGKILL" }) };
    expect(failureMessage(failed, gate("npm test", "APPEND")).split("\n")[0]).toBe(
      'Guardrail "npm test" failed because it was killed by SIGKILL.',
    );
  });
});

describe("the prompt", () => {
  it("is the base text byte for byte when there is nothing to add", () => {
    const base = "  /slash\r\n\n é🙂\n";
    expect(composePrompt(base, spec([gate("a", "REPLACE")]), INITIAL, 1)).toBe(base);
  });

  it.each<[name: string, actions: FailAction[], parts: string[]]>([
    ["APPEND", ["APPEND"], ["BASE", told("g0")]],
    ["PREPEND", ["PREPEND"], [told("g0"), "BASE"]],
    ["REPLACE", ["REPLACE"], [told("g0")]],
    ["several APPEND in order", ["APPEND", "APPEND"], ["BASE", told("g0"), told("g1")]],
    ["several PREPEND in order", ["PREPEND", "PREPEND"], [told("g0"), told("g1"), "BASE"]],
    ["several REPLACE in order", ["REPLACE", "REPLACE"], [told("g0"), told("g1")]],
    [
      "all of them, mixed",
      ["APPEND", "REPLACE", "PREPEND", "APPEND", "REPLACE", "PREPEND"],
      ["g2", "g5", "g1", "g4", "g0", "g3"].map(told),
    ],
    ["APPEND and PREPEND", ["APPEND", "PREPEND"], [told("g1"), "BASE", told("g0")]],
  ])("takes %s, with two newlines between", (_, actions, parts) => {
    const gates = actions.map((action, index) => gate(`g${index}`, action));
    expect(promptAfter(gates)).toBe(parts.join("\n\n"));
  });

  it("tells only the gates that failed, by their own index", () => {
    const gates = [gate("a", "REPLACE"), gate("b", "APPEND")];
    const state = { ...INITIAL, feedback: [{ gate: 1, verdict: verdict("b!") }] };
    expect(composePrompt("BASE", spec(gates), state, 2)).toBe(`BASE\n\n${told("b")}`);
  });

  it.each([
    [1, "Iteration 1 of 10, 9 remaining."],
    [10, "Iteration 10 of 10, 0 remaining."],
  ])("begins with the iteration count when it is asked for (%i)", (iteration, line) => {
    expect(composePrompt("BASE", spec([], true), INITIAL, iteration)).toBe(`${line}\n\nBASE`);
  });

  it("keeps the iteration count before everything else, a replaced prompt included", () => {
    const gates = [gate("g0", "REPLACE"), gate("g1", "PREPEND")];
    expect(promptAfter(gates, {}, true)).toBe(
      ["Iteration 3 of 10, 7 remaining.", told("g1"), told("g0")].join("\n\n"),
    );
  });

  it("tells a turn that did not finish, last of all", () => {
    const prompt = promptAfter([gate("g0", "APPEND")], { turnFailure: "it was silent for too long" });
    expect(prompt.split("\n\n")).toEqual([
      "BASE",
      told("g0"),
      "Your previous turn did not finish: it was silent for too long. Look at what is already done before you go on.",
    ]);
  });
});
