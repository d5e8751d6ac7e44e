import { relative } from "node:path";
import { join } from "shlex";
import { redact } from "../redact.ts";
import type { GateSpec, Pristine, RunSpec } from "../spec.ts";
import { formatDuration } from "./duration.ts";
import type { ResolvedRun } from "./resolve.ts";
import { shorten, visible } from "./say.ts";

/** Longer values do not push the column of the sources to the right. */
const WIDEST = 48;
const LONGEST = 200;

function workWords(work: RunSpec["work"]): string {
  switch (work.kind) {
    case "prompt":
      return work.text;
    case "prompt-file":
      return `the file ${work.path}`;
    case "tasks":
      return `${work.dir}/tasks.json`;
    case "none":
      return "none";
  }
}

/** The rows that only a task list has. */
function taskRows(work: RunSpec["work"]): Row[] {
  if (work.kind !== "tasks") return [];
  const { budget, reviewer } = work;
  return [
    ["tasks", `${budget.open} of ${budget.stories} stories to do, about ${budget.iterations} iterations`],
    ["tasks.branch", work.branch],
    ["tasks.reviews", work.skipReview ? "off" : `at most ${work.reviewCap} of each story`],
    ["review.agent", reviewer?.command ?? "whoever implements"],
    ["review.model", reviewer?.model ?? "the agent's own choice"],
  ];
}

/** What a run would be: a line for each value, with where it came from. Secrets are hidden. */
export function explain(resolved: ResolvedRun): string[] {
  const { spec, show } = resolved;
  const { agent, fallback = [], work, scm } = spec;
  const pristine = spec.gates.find((gate) => gate.kind === "pristine");
  const rows: Row[] = [
    ["prompt", workWords(work)],
    ...taskRows(work),
    ["agent.command", agent.command],
    ["agent.kind", agent.kind],
    ["agent.flags", agent.flags.length === 0 ? "none" : join(agent.flags)],
    ["agent.model", agent.model ?? "the agent's own choice"],
    ["agent.autonomy", agent.autonomy],
    ["agent.inheritUserConfig", String(agent.inheritUserConfig ?? true)],
    ...(fallback.length === 0 ? [["fallbackAgent", "none"] as [string, string]] : []),
    ...fallback.map(({ command, flags, model }, index): [string, string, string] => {
      const words = [command, ...(flags.length === 0 ? [] : [join(flags)])].join(" ");
      return [
        `fallbackAgent[${index}]`,
        model === undefined ? words : `${words} (${model})`,
        "fallbackAgent",
      ];
    }),
    [work.kind === "tasks" ? "tasks.maximumIterations" : "maximumIterations", String(spec.limits.iterations)],
    ["maximumFailures", String(spec.limits.failures)],
    ["noProgressThreshold", spec.limits.noProgress === 0 ? "off" : String(spec.limits.noProgress)],
    ["maximumDuration", offOr(spec.limits.durationMs ?? 0)],
    ["timeouts.iteration", offOr(spec.timeouts.turnMs)],
    ["timeouts.idle", offOr(spec.timeouts.idleMs)],
    ["timeouts.linger", offOr(spec.timeouts.lingerMs)],
    ["processes", spec.processes ?? "auto"],
    ["taskDir", relative(spec.project, spec.taskDir) || "the project"],
    ["restart.done", String(spec.claim.done)],
    ["restart.waits", String(spec.restart.honoursWaits)],
    ["restart.delay", offOr(spec.restart.delayMs)],
    ["restart.waitTimeout", offOr(spec.restart.childWaitMs)],
    ["restart.pollInterval", formatDuration(spec.restart.pollMs)],
    ["completionResponse", spec.claim.response === "" ? "none" : spec.claim.response],
    ["claimHint", String(spec.claim.hint)],
    ["outputTruncateChars", String(spec.prompt.outputTruncateChars)],
    ["streamAgentOutput", String(resolved.streamAgentOutput)],
    ["includeIterationCountInPrompt", String(spec.prompt.includeIterationCount)],
    ...gateRows(spec.gates, "guardrail"),
    ...gateRows(spec.gates, "criterion"),
    ["claim", spec.claim.needed === false ? "not needed" : "needed"],
    ["judge.agent", judgeOf(spec)],
    ["judge.model", spec.judge?.agent?.model ?? "the judge's own choice"],
    ["judge.maxChars", spec.judge === undefined ? "no judge" : String(spec.judge.maxChars)],
    ["progress.judge", String(spec.judge?.progress ?? false)],
    ["protect", protectedFiles(spec.gates)],
    ["pristine.enabled", pristine === undefined ? "false" : "true"],
    ...(pristine === undefined ? [] : pristineRows(pristine)),
    ["baseline.enabled", String(spec.baseline)],
    ["baseline.feedback", String(spec.prompt.baselineFeedback)],
    ["snapshots", String(spec.snapshots !== false)],
    ["sandbox.kind", spec.sandbox?.kind ?? "none"],
    ["sandbox.network.mode", spec.sandbox?.network.mode ?? "open"],
    ["sandbox.network.allow", listed(spec.sandbox?.network.allow)],
    ["sandbox.rw", listed(spec.sandbox?.rw)],
    ["sandbox.ro", listed(spec.sandbox?.ro)],
    ["sandbox.hide", listed(spec.sandbox?.hide)],
    ["sandbox.env", listed(spec.sandbox?.env)],
    ["sandbox.renewLogin", String(spec.sandbox?.renewLogin !== false)],
    ["guard.mode", spec.guard?.mode ?? "off"],
    ["guard.allow", listed(spec.guard?.allow)],
    ["guard.deny", listed(spec.guard?.deny)],
    ["scm.command", scm?.command ?? "none"],
    ["scm.tasks", scm === undefined ? "none" : scm.tasks.join(", ")],
    ...Object.entries(show).map(([key, value]): [string, string] => [`output.${key}`, String(value)]),
  ];
  const shown = rows.map(([key, value, sourceKey = key]) => ({
    key,
    value: shorten(visible(redact(value)), LONGEST),
    source: resolved.sources.get(sourceKey) ?? "default",
  }));
  const keyWidth = Math.max(...shown.map(({ key }) => key.length));
  const valueWidth = Math.min(WIDEST, Math.max(...shown.map(({ value }) => value.length)));
  return shown.map(
    ({ key, value, source }) => `${key.padEnd(keyWidth)}  ${value.padEnd(valueWidth)}  ${source}`,
  );
}

type Row = [key: string, value: string, sourceKey?: string];

function gateRows(gates: readonly GateSpec[], kind: GateSpec["kind"]): Row[] {
  const key = kind === "guardrail" ? "guardrails" : "criteria";
  const ofKind = gates.filter((gate) => gate.kind === kind);
  if (ofKind.length === 0) return [[key, "none"]];
  return ofKind.map((gate, index) => {
    const about = [
      ...(gate.kind === "criterion" && gate.foundIn !== undefined ? [`found in ${gate.foundIn}`] : []),
      gate.failAction,
      formatDuration(gate.timeoutMs),
      ...(gate.flaky ? ["flaky"] : []),
      ...(gate.kind === "criterion" && gate.judged === true ? ["judged"] : []),
    ];
    return [`${key}[${index}]`, `${gate.name} (${about.join(", ")})`, key];
  });
}

function judgeOf({ judge }: RunSpec): string {
  if (judge === undefined) return "none";
  return judge.agent?.command ?? "whoever had the turn";
}

function protectedFiles(gates: readonly GateSpec[]): string {
  const gate = gates.find(({ kind }) => kind === "protect");
  return gate?.kind === "protect" ? [...gate.defining, ...gate.patterns].join(", ") : "none";
}

function pristineRows({ patterns, setup }: Pristine): [string, string][] {
  return [
    ["pristine.tests", patterns.join(", ")],
    ["pristine.setup", setup ?? "none: installed dependencies are linked"],
  ];
}

function listed(patterns: readonly string[] = []): string {
  return patterns.length === 0 ? "none" : patterns.join(", ");
}

function offOr(ms: number): string {
  return ms === 0 ? "off" : formatDuration(ms);
}
