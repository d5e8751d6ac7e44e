import { resolve } from "node:path";
import type { AgentKind, AgentSpec, Criterion, Guardrail, JudgeSpec, RunSpec, SandboxSpec } from "../spec.ts";
import { DEFAULTS, MAXIMUM_WAITS } from "./defaults.ts";
import { withProtection } from "./protection.ts";
import { usualSandbox } from "./sandbox-settings.ts";

/** A run in few words. Everything that is left out has the default of `ralph run`. */
export interface RunRequest {
  /** The project folder; default the current one. */
  readonly project?: string;
  /** The agent's command (`"claude"`), or its whole description. */
  readonly agent: string | AgentSpec;
  /** Who has the turns while the agent's service holds it back, in order. */
  readonly fallback?: readonly (string | AgentSpec)[];
  readonly prompt: string;
  /** Shell commands that must exit with 0. */
  readonly guardrails?: readonly (string | (Partial<Guardrail> & { readonly command: string }))[];
  /** What is to be true in the end, each with its command; with criteria no claim is needed. */
  readonly criteria?: readonly (Partial<Criterion> & Pick<Criterion, "criterion" | "command">)[];
  /** Who judges the criteria that are `judged`. */
  readonly judge?: Partial<JudgeSpec>;
  /** Files that the agent may not change, besides what defines the guardrails; false: none. */
  readonly protect?: readonly string[] | false;
  readonly maximumIterations?: number;
  readonly completionResponse?: string;
  readonly scm?: RunSpec["scm"];
  readonly baseline?: boolean;
  /** Keep a snapshot of the files before each iteration. */
  readonly snapshots?: boolean;
  readonly timeouts?: Partial<RunSpec["timeouts"]>;
  /** A kind of sandbox (`"none"`: no fence), or what differs from the usual fence. */
  readonly sandbox?: SandboxSpec["kind"] | Partial<SandboxSpec>;
}

/** Fills in the defaults of `ralph run`, with no settings file in between. */
export function describeRun(
  request: RunRequest,
  kindOf: (command: string) => AgentKind,
  env: NodeJS.ProcessEnv = process.env,
): RunSpec {
  const describe = (agent: string | AgentSpec): AgentSpec =>
    typeof agent === "string"
      ? { kind: kindOf(agent), command: agent, flags: [], autonomy: DEFAULTS.autonomy }
      : agent;
  const { criteria = [], judge } = request;
  const project = resolve(request.project ?? ".");
  const guardrails = (request.guardrails ?? []).map((gate) =>
    describeGate(typeof gate === "string" ? { command: gate } : gate),
  );
  const checks = [...guardrails, ...criteria.map(describeCriterion)];
  return {
    kind: "run",
    project,
    agent: describe(request.agent),
    ...(request.fallback === undefined ? {} : { fallback: request.fallback.map(describe) }),
    work: { kind: "prompt", text: request.prompt },
    claim: {
      response: request.completionResponse ?? DEFAULTS.completionResponse,
      hint: DEFAULTS.claimHint,
      done: false,
      ...(criteria.length === 0 ? {} : { needed: false }),
    },
    taskDir: project,
    restart: DEFAULTS.restartMs,
    gates: withProtection(checks, { project, patterns: request.protect ?? [] }),
    ...(judge === undefined
      ? {}
      : { judge: { maxChars: DEFAULTS.judge.maxChars, progress: DEFAULTS.progress.judge, ...judge } }),
    limits: {
      iterations: request.maximumIterations ?? DEFAULTS.maximumIterations,
      failures: DEFAULTS.maximumFailures,
      waits: MAXIMUM_WAITS,
      noProgress: DEFAULTS.noProgressThreshold,
    },
    timeouts: { ...DEFAULTS.timeoutsMs, ...request.timeouts },
    sandbox: describeSandbox(request.sandbox, { project, env }),
    guard: { mode: DEFAULTS.guard.mode, allow: [], deny: [] },
    prompt: {
      includeIterationCount: DEFAULTS.includeIterationCountInPrompt,
      outputTruncateChars: DEFAULTS.outputTruncateChars,
      baselineFeedback: DEFAULTS.baseline.feedback,
    },
    baseline: request.baseline ?? DEFAULTS.baseline.enabled,
    snapshots: request.snapshots ?? DEFAULTS.snapshots,
    ...(request.scm === undefined ? {} : { scm: request.scm }),
  };
}

function describeSandbox(
  asked: RunRequest["sandbox"],
  { project, env }: { readonly project: string; readonly env: NodeJS.ProcessEnv },
): SandboxSpec {
  return { ...usualSandbox(project, env), ...(typeof asked === "string" ? { kind: asked } : asked) };
}

/** What is true of a gate of which nothing else is said. */
const USUAL_GATE = {
  failAction: DEFAULTS.failAction,
  timeoutMs: DEFAULTS.gateTimeoutMs,
  flaky: DEFAULTS.flaky,
};

function describeGate(gate: Partial<Guardrail> & { readonly command: string }): Guardrail {
  return { kind: "guardrail", name: gate.command, ...USUAL_GATE, ...gate };
}

function describeCriterion(asked: NonNullable<RunRequest["criteria"]>[number]): Criterion {
  const { criterion, command } = asked;
  const judged = criterion === "custom";
  return { kind: "criterion", name: `${criterion}: ${command}`, judged, ...USUAL_GATE, ...asked };
}
