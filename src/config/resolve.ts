import type { GateSpec, Limits, Processes, RunSpec, ScmSpec, Timeouts } from "../spec.ts";
import { type AgentInput, chooseAgent } from "./agent-choice.ts";
import { DEFAULTS, MAXIMUM_WAITS } from "./defaults.ts";
import { parseDuration } from "./duration.ts";
import { chooseFallback } from "./fallback-choice.ts";
import type { SettingsFile } from "./faults.ts";
import { choiceFlag, durationFlag, type Given, toggleFlag, wholeNumberFlag } from "./flags.ts";
import { loadSettings } from "./load.ts";
import { promptSource } from "./prompt-source.ts";
import type { Settings } from "./schema.ts";

export type { RunFlags } from "./flags.ts";

/** When colour is used. */
export type ColorMode = "auto" | "always" | "never";

/** How the agent's work is shown. */
export interface ShowOptions {
  readonly emoji: boolean;
  readonly color: ColorMode;
  readonly timestamps: boolean;
  readonly maxOutputLines: number;
  readonly maxOutputChars: number;
}

/** What has to be known to resolve a run. */
export interface ResolveInput extends AgentInput {
  /** Absolute path of the project folder. */
  readonly project: string;
  /** What a relative prompt file is relative to. */
  readonly cwd: string;
}

/** A run with everything decided, and who decided it. */
export interface ResolvedRun {
  readonly spec: RunSpec;
  readonly show: ShowOptions;
  readonly streamAgentOutput: boolean;
  /** For each dotted key: "default", a settings file, a flag such as "--model", "found on PATH". */
  readonly sources: ReadonlyMap<string, string>;
  readonly files: readonly SettingsFile[];
  /** The merged settings, for the question of trust. */
  readonly settings: Settings;
}

const COLORS: readonly ColorMode[] = ["auto", "always", "never"];
const SHOWN: ShowOptions = DEFAULTS.output;

/**
 * Builds the run from the command line, the settings files and the defaults: a flag beats a setting, which beats the
 * default. Starts nothing and writes nothing; throws only UserErrors.
 */
export async function resolveRun(input: ResolveInput): Promise<ResolvedRun> {
  const { flags, project } = input;
  const work = promptSource({ prompt: flags.prompt, promptFile: flags.promptFile, project, cwd: input.cwd });
  const loaded = await loadSettings(project);
  const { settings } = loaded;
  const { output = {}, baseline = {} } = settings;
  const sources = new Map<string, string>([
    ["prompt", work.kind === "prompt" ? "--prompt" : "--prompt-file"],
  ]);

  /** Takes the value that wins, and notes where it came from. */
  const pick = <T>(key: string, flag: Given<T> | undefined, setting: T | undefined, otherwise: T): T => {
    sources.set(key, flag?.name ?? loaded.sources.get(key) ?? "default");
    return flag?.value ?? setting ?? otherwise;
  };

  const iterations = wholeNumberFlag("--maximum-iterations", flags.maximumIterations, 1);
  const failures = wholeNumberFlag("--maximum-failures", flags.maximumFailures, 1);
  const progress = wholeNumberFlag("--max-no-progress", flags.maxNoProgress, 0);
  const lines = wholeNumberFlag("--max-output-lines", flags.maxOutputLines, 0);
  const chars = wholeNumberFlag("--max-output-chars", flags.maxOutputChars, 0);
  const color = choiceFlag("--color", flags.color, COLORS);
  const response = flags.completionResponse;
  const byResponse = response === undefined ? undefined : { name: "--completion-response", value: response };
  const stream = toggleFlag("--stream-agent-output", flags.streamAgentOutput);

  const show: ShowOptions = {
    emoji: pick("output.emoji", toggleFlag("--emoji", flags.emoji), output.emoji, SHOWN.emoji),
    color: pick<ColorMode>("output.color", color, output.color, SHOWN.color),
    timestamps: pick(
      "output.timestamps",
      toggleFlag("--timestamps", flags.timestamps),
      output.timestamps,
      SHOWN.timestamps,
    ),
    maxOutputLines: pick("output.maxOutputLines", lines, output.maxOutputLines, SHOWN.maxOutputLines),
    maxOutputChars: pick("output.maxOutputChars", chars, output.maxOutputChars, SHOWN.maxOutputChars),
  };
  const streamAgentOutput = pick(
    "streamAgentOutput",
    stream,
    settings.streamAgentOutput,
    DEFAULTS.streamAgentOutput,
  );
  const claim: RunSpec["claim"] = {
    response: pick(
      "completionResponse",
      byResponse,
      settings.completionResponse,
      DEFAULTS.completionResponse,
    ).trim(),
    hint: pick(
      "claimHint",
      toggleFlag("--claim-hint", flags.claimHint),
      settings.claimHint,
      DEFAULTS.claimHint,
    ),
    done: false,
  };
  const limits: Limits = {
    iterations: pick("maximumIterations", iterations, settings.maximumIterations, DEFAULTS.maximumIterations),
    failures: pick("maximumFailures", failures, settings.maximumFailures, DEFAULTS.maximumFailures),
    waits: MAXIMUM_WAITS,
    noProgress: pick(
      "noProgressThreshold",
      progress,
      settings.noProgressThreshold,
      DEFAULTS.noProgressThreshold,
    ),
  };
  const { timeouts: times = {} } = settings;
  const timeouts: Timeouts = {
    turnMs: pick(
      "timeouts.iteration",
      durationFlag("--timeout", flags.timeout),
      ms(times.iteration),
      DEFAULTS.timeoutsMs.turnMs,
    ),
    idleMs: pick(
      "timeouts.idle",
      durationFlag("--idle-timeout", flags.idleTimeout),
      ms(times.idle),
      DEFAULTS.timeoutsMs.idleMs,
    ),
    lingerMs: pick("timeouts.linger", undefined, ms(times.linger), DEFAULTS.timeoutsMs.lingerMs),
  };
  const prompt: RunSpec["prompt"] = {
    includeIterationCount: pick(
      "includeIterationCountInPrompt",
      undefined,
      settings.includeIterationCountInPrompt,
      DEFAULTS.includeIterationCountInPrompt,
    ),
    outputTruncateChars: pick(
      "outputTruncateChars",
      undefined,
      settings.outputTruncateChars,
      DEFAULTS.outputTruncateChars,
    ),
    baselineFeedback: pick("baseline.feedback", undefined, baseline.feedback, DEFAULTS.baseline.feedback),
  };
  const scm = scmOf(settings, loaded.sources, sources);
  const agent = await chooseAgent(input, loaded, sources);
  const fallback = await chooseFallback(input, loaded, agent, sources);
  const spec: RunSpec = {
    kind: "run",
    project,
    agent,
    ...(fallback.length === 0 ? {} : { fallback }),
    work,
    claim,
    gates: pick("guardrails", undefined, settings.guardrails, []).map(gateOf),
    taskDir: project,
    restart: DEFAULTS.restartMs,
    limits,
    timeouts,
    processes: pick<Processes>("processes", undefined, settings.processes, DEFAULTS.processes),
    prompt,
    baseline: pick(
      "baseline.enabled",
      toggleFlag("--baseline", flags.baseline),
      baseline.enabled,
      DEFAULTS.baseline.enabled,
    ),
    ...(scm === undefined ? {} : { scm }),
  };
  return { spec, show, streamAgentOutput, sources, files: loaded.files, settings };
}

/** A duration of the settings, which the schema has checked; `off` is 0. */
function ms(duration: string | undefined): number | undefined {
  return duration === "off" ? 0 : duration === undefined ? undefined : parseDuration(duration);
}

function gateOf(guardrail: NonNullable<Settings["guardrails"]>[number]): GateSpec {
  return {
    kind: "guardrail",
    name: guardrail.command,
    command: guardrail.command,
    failAction: guardrail.failAction ?? DEFAULTS.failAction,
    ...(guardrail.hint === undefined ? {} : { hint: guardrail.hint }),
    timeoutMs: parseDuration(guardrail.timeout ?? DEFAULTS.gateTimeout) ?? DEFAULTS.gateTimeoutMs,
    flaky: guardrail.flaky ?? DEFAULTS.flaky,
  };
}

/** An empty list of tasks switches version control off: that is how a local file can say no to the project's. */
function scmOf(
  { scm }: Settings,
  from: ReadonlyMap<string, string>,
  sources: Map<string, string>,
): ScmSpec | undefined {
  sources.set("scm.command", from.get("scm.command") ?? "default");
  sources.set("scm.tasks", from.get("scm.tasks") ?? "default");
  if (scm?.command === undefined || scm.tasks === undefined || scm.tasks.length === 0) return undefined;
  return { command: scm.command, tasks: scm.tasks };
}
