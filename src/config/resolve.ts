import type { Limits, Processes, Restart, RunSpec, Timeouts } from "../spec.ts";
import { type AgentInput, chooseAgent, supervised } from "./agent-choice.ts";
import { chooseCriteria } from "./criteria.ts";
import { DEFAULTS, MAXIMUM_WAITS, START_DURATION_MS, USUAL } from "./defaults.ts";
import { parseDuration } from "./duration.ts";
import { chooseFallback } from "./fallback-choice.ts";
import type { SettingsFile } from "./faults.ts";
import {
  choiceFlag,
  durationFlag,
  type Given,
  responseFlag,
  textFlag,
  toggleFlag,
  wholeNumberFlag,
} from "./flags.ts";
import { gateOf, guardrailFlag, protectFlag } from "./gates.ts";
import { chooseGuard } from "./guard-settings.ts";
import { chooseJudge } from "./judge-choice.ts";
import { loadSettings } from "./load.ts";
import { promptSource } from "./prompt-source.ts";
import { withPristine, withProtection } from "./protection.ts";
import { chooseReviewer } from "./reviewer-choice.ts";
import { chooseSandbox } from "./sandbox-settings.ts";
import type { Settings } from "./schema.ts";
import { scmOf } from "./scm-choice.ts";
import { TASK_DIR_FLAG, taskDirOf } from "./task-dir.ts";
import { type TaskInput, taskWork, withTaskGates } from "./task-gates.ts";

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
  /** The words of the command of a supervised run, which has neither a prompt nor an agent of the settings. */
  readonly command?: readonly string[];
  /** The task list that is the work, instead of a prompt. */
  readonly tasks?: TaskInput | undefined;
  /** `start`: nobody watches, so the defaults are more careful. */
  readonly usual?: "start";
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
  /** Commands that the task list names, for the same question. */
  readonly listCommands: readonly string[];
}

const COLORS: readonly ColorMode[] = ["auto", "always", "never"];
const SHOWN: ShowOptions = DEFAULTS.output;

/**
 * Builds the run from the command line, the settings files and the defaults: a flag beats a setting, which beats the
 * default. Starts nothing and writes nothing; throws only UserErrors.
 */
export async function resolveRun(input: ResolveInput): Promise<ResolvedRun> {
  const { flags, project } = input;
  const kind = input.command === undefined ? "run" : "supervise";
  const { tasks } = input;
  const usual = USUAL[tasks === undefined ? kind : "tasks"];
  const given: RunSpec["work"] =
    kind === "supervise" || tasks !== undefined
      ? { kind: "none" }
      : promptSource({ prompt: flags.prompt, promptFile: flags.promptFile, project, cwd: input.cwd });
  const loaded = await loadSettings(project);
  const { settings } = loaded;
  const { output = {}, baseline = {}, restart: between = {}, timeouts: times = {}, pristine = {} } = settings;
  const sources = new Map<string, string>([
    ["prompt", tasks !== undefined ? "--tasks" : given.kind === "prompt" ? "--prompt" : "--prompt-file"],
  ]);

  /** Takes the value that wins, and notes where it came from. */
  const pick = <T>(key: string, flag: Given<T> | undefined, setting: T | undefined, otherwise: T): T => {
    sources.set(key, flag?.name ?? loaded.sources.get(key) ?? "default");
    return flag?.value ?? setting ?? otherwise;
  };

  const iterations = wholeNumberFlag("--maximum-iterations", flags.maximumIterations, 1);
  const restarts = wholeNumberFlag("--max-restarts", flags.maxRestarts, 1);
  const failures = wholeNumberFlag("--maximum-failures", flags.maximumFailures, 1);
  const progress = wholeNumberFlag("--max-no-progress", flags.maxNoProgress, 0);
  const lines = wholeNumberFlag("--max-output-lines", flags.maxOutputLines, 0);
  const chars = wholeNumberFlag("--max-output-chars", flags.maxOutputChars, 0);
  const color = choiceFlag("--color", flags.color, COLORS);
  const byResponse = responseFlag("--completion-response", flags.completionResponse);
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
  const byWord: RunSpec["claim"] = {
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
    done: pick("restart.done", toggleFlag("--done", flags.done), between.done, DEFAULTS.restart.done),
  };
  // A supervised command has one way to say that it is done.
  const bySelf = { response: "", hint: false, done: kind === "supervise" };
  const claim = kind === "supervise" || tasks !== undefined ? bySelf : byWord;
  const restart: Restart = {
    delayMs: pick(
      "restart.delay",
      durationFlag("--restart-delay", flags.restartDelay),
      ms(between.delay),
      usual.delayMs,
    ),
    honoursWaits: pick("restart.waits", toggleFlag("--waits", flags.waits), between.waits, usual.waits),
    childWaitMs: pick(
      "restart.waitTimeout",
      durationFlag("--wait-timeout", flags.waitTimeout),
      ms(between.waitTimeout),
      DEFAULTS.restartMs.childWaitMs,
    ),
    pollMs: pick(
      "restart.pollInterval",
      durationFlag("--poll-interval", flags.pollInterval, false),
      ms(between.pollInterval),
      DEFAULTS.restartMs.pollMs,
    ),
  };
  const durationMs = pick(
    "maximumDuration",
    durationFlag("--max-duration", flags.maxDuration),
    ms(settings.maximumDuration),
    input.usual === "start" ? START_DURATION_MS : usual.durationMs,
  );
  const limits: Limits = {
    // Restarts have a key of their own: ten iterations are few for a command that may crash.
    iterations:
      kind === "supervise"
        ? pick("restart.max", restarts, between.max, usual.iterations)
        : tasks !== undefined
          ? pick("tasks.maximumIterations", iterations, settings.tasks?.maximumIterations, usual.iterations)
          : pick("maximumIterations", iterations, settings.maximumIterations, usual.iterations),
    failures: pick("maximumFailures", failures, settings.maximumFailures, usual.failures),
    waits: MAXIMUM_WAITS,
    noProgress: pick("noProgressThreshold", progress, settings.noProgressThreshold, usual.noProgress),
    ...(durationMs === 0 ? {} : { durationMs }),
  };
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
  // A supervised command cannot be asked for a commit message, and nobody else can have its turn.
  const scm = kind === "supervise" ? undefined : scmOf(settings, loaded.sources, sources);
  const agent =
    input.command === undefined ? await chooseAgent(input, loaded, sources) : supervised(input.command);
  const reviewer = tasks === undefined ? undefined : await chooseReviewer(input, loaded, agent, sources);
  const work = tasks === undefined ? given : taskWork(tasks, reviewer);
  const fallback = kind === "supervise" ? [] : await chooseFallback(input, loaded, agent, sources);
  // A supervised command has no criteria: it says itself that it is done, and cannot judge.
  const criteria = kind === "supervise" ? [] : chooseCriteria(project, flags, loaded, sources);
  const judge =
    kind === "supervise" ? undefined : await chooseJudge(input, loaded, { main: agent, criteria }, sources);
  const guardrails = pick("guardrails", guardrailFlag(flags.guardrail), settings.guardrails, []).map(gateOf);
  // Met is met; but who asks for a claim on the command line gets both. Settings that `ralph init` wrote are no such wish.
  const wish = byResponse?.name ?? (flags.done === true ? "--done" : undefined);
  const needsClaim = criteria.length === 0 || wish !== undefined || tasks !== undefined;
  sources.set("claim", (criteria.length === 0 ? undefined : (wish ?? sources.get("criteria"))) ?? "default");
  const named = [...guardrails, ...criteria];
  const all = tasks === undefined ? named : withTaskGates(named, tasks, scm !== undefined);
  const gates = withPristine(all, {
    enabled: pick("pristine.enabled", toggleFlag("--pristine", flags.pristine), pristine.enabled, undefined),
    tests: pick("pristine.tests", undefined, pristine.tests, undefined),
    setup: pick("pristine.setup", undefined, pristine.setup, undefined),
  });
  const patterns = pick<readonly string[] | false>(
    "protect",
    protectFlag(flags.protect),
    settings.protect === true ? [] : settings.protect,
    [],
  );
  const spec: RunSpec = {
    kind,
    project,
    agent,
    ...(fallback.length === 0 ? {} : { fallback }),
    work,
    claim: needsClaim ? claim : { ...claim, needed: false },
    gates: withProtection(gates, { project, patterns }),
    ...(judge === undefined ? {} : { judge }),
    taskDir: taskDirOf({
      project,
      cwd: input.cwd,
      path: pick("taskDir", textFlag(TASK_DIR_FLAG, flags.taskDir), settings.taskDir, "."),
      source: sources.get("taskDir") ?? "",
    }),
    restart,
    limits,
    timeouts,
    processes: pick<Processes>("processes", undefined, settings.processes, DEFAULTS.processes),
    sandbox: chooseSandbox({
      project,
      env: input.env,
      flag: flags.sandbox,
      settings: settings.sandbox,
      pick,
    }),
    prompt,
    baseline: pick(
      "baseline.enabled",
      toggleFlag("--baseline", flags.baseline),
      baseline.enabled,
      usual.baseline,
    ),
    snapshots: pick("snapshots", undefined, settings.snapshots, DEFAULTS.snapshots),
    ...(scm === undefined ? {} : { scm }),
    guard: chooseGuard(settings.guard, pick),
  };
  const listCommands = tasks?.verifyCommands ?? [];
  return { spec, show, streamAgentOutput, sources, files: loaded.files, settings, listCommands };
}

/** A duration of the settings, which the schema has checked; `off` is 0. */
function ms(duration: string | undefined): number | undefined {
  return duration === "off" ? 0 : duration === undefined ? undefined : parseDuration(duration);
}
