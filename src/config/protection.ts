import type { GateSpec, Pristine } from "../spec.ts";
import { DEFAULTS } from "./defaults.ts";
import { definingFiles } from "./gate-defining.ts";

/** What is a test when nobody says otherwise. */
export const TEST_FILES: readonly string[] = [
  "**/{test,tests,spec,specs,__tests__}/**",
  "**/*.{test,spec}.*",
  "**/*_{test,spec}.*",
  "**/test_*.py",
  "**/conftest.py",
  "**/*{Test,Tests}.{java,kt,cs,php,swift}",
];

const LOOKS_LIKE_TESTS = /test|spec|jest|mocha|tox/i;

/**
 * Puts the protection of files before all other gates: their verdicts are then about the files as they should be. Without other
 * gates nothing defines them, and only what the user names is protected.
 */
export function withProtection(
  gates: readonly GateSpec[],
  wish: { readonly project: string; readonly patterns: readonly string[] | false },
): readonly GateSpec[] {
  const { project, patterns } = wish;
  if (patterns === false || (gates.length === 0 && patterns.length === 0)) return gates;
  const commands = gates.map((gate) => gate.command);
  const first: GateSpec = {
    kind: "protect",
    name: "protected files",
    command: "",
    failAction: DEFAULTS.failAction,
    timeoutMs: DEFAULTS.gateTimeoutMs,
    flaky: false,
    patterns,
    defining: definingFiles(project, commands),
  };
  return [first, ...gates];
}

/** What the user says about the pristine check. */
export interface PristineWish {
  /** Absent: on for the criterion that tests pass, and for nothing else. */
  readonly enabled?: boolean | undefined;
  readonly tests?: readonly string[] | undefined;
  readonly setup?: string | undefined;
}

/** Puts a pristine check of each gate that runs tests after all others: it is only worth its time when those have passed. */
export function withPristine(gates: readonly GateSpec[], wish: PristineWish): readonly GateSpec[] {
  if (wish.enabled === false) return gates;
  const criteria = gates.filter((gate) => gate.kind === "criterion" && gate.criterion === "test_pass");
  const tests = criteria.length > 0 || wish.enabled !== true ? criteria : likelyTests(gates);
  return [...gates, ...tests.map((gate) => pristineOf(gate, wish))];
}

/** Who asks for it with guardrails means those that look like tests, or all of them when none does. */
function likelyTests(gates: readonly GateSpec[]): GateSpec[] {
  const guardrails = gates.filter((gate) => gate.kind === "guardrail");
  const likely = guardrails.filter((gate) => LOOKS_LIKE_TESTS.test(gate.command));
  return likely.length > 0 ? likely : guardrails;
}

function pristineOf(gate: GateSpec, { enabled, tests, setup }: PristineWish): Pristine {
  return {
    kind: "pristine",
    name: `${gate.command} (tests as they were)`,
    command: gate.command,
    failAction: gate.failAction,
    timeoutMs: gate.timeoutMs,
    flaky: gate.flaky,
    patterns: tests ?? TEST_FILES,
    ...(setup === undefined ? {} : { setup }),
    required: enabled === true,
  };
}
