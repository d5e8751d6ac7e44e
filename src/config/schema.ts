import * as v from "valibot";
import { DEFAULTS } from "./defaults.ts";
import { guard } from "./guard-settings.ts";
import { sandbox } from "./sandbox-settings.ts";
import { AGENT_WANTED, agent, standIn } from "./schema-agent.ts";
import {
  duration,
  durationOrOff,
  flag,
  key,
  notBlank,
  oneOf,
  response,
  section,
  text,
  wholeNumber,
} from "./schema-parts.ts";
import { review, tasks } from "./schema-tasks.ts";
import { verify } from "./schema-verify.ts";

/*
 * One schema gives the parser, the type and the published JSON Schema. The message of each part says what is wanted
 * there ("a whole number of 1 or more"): `faults.ts` builds whole sentences from it.
 *
 * Every file is checked on its own, before the merge. So each key is optional here that the other file may hold; what
 * must be there in the end (`scm`) is checked on the merged settings.
 */

/** Where editors find the JSON Schema of the settings. */
export const SCHEMA_URL = "https://unpkg.com/ralph-proof/schema/settings.schema.json";

const ANY_GATE = {
  failAction: key(
    oneOf(["APPEND", "PREPEND", "REPLACE"]),
    "Where a failure goes in the next prompt: after it, before it, or in its place.",
    DEFAULTS.failAction,
  ),
  hint: key(text(), "Guidance for the agent when this check fails. Given word for word."),
  timeout: key(
    duration(),
    "The check has failed when it takes longer: 500ms, 5s, 10m, 1h30m.",
    DEFAULTS.gateTimeout,
  ),
  flaky: key(
    flag(),
    "Run the check once more when it fails; a pass then counts, and is recorded.",
    DEFAULTS.flaky,
  ),
};

const guardrail = section({
  command: v.pipe(
    notBlank(),
    v.description("The check, a shell line. It passes when it exits with 0. Runs in the project folder."),
  ),
  ...ANY_GATE,
});

/** What a criterion can be about. */
export const CRITERIA = ["test_pass", "build_success", "lint_clean", "type_check", "custom"] as const;

const criterion = section({
  type: v.pipe(oneOf(CRITERIA), v.description("What is to be true in the end.")),
  command: key(
    notBlank(),
    "The shell line that shows it. Found in the project when absent; `custom` needs one.",
  ),
  ...ANY_GATE,
  judge: key(flag(), "A judge reads the output too. `custom`: true, unless said otherwise.", false),
});

const CRITERION_WANTED = `one of ${CRITERIA.join(", ")}, or an object with such a type`;

const judge = section({
  agent: key(
    notBlank(),
    "The judge's program: claude, codex, amp or any other. Absent: whoever had the turn.",
  ),
  model: key(notBlank(), "The model that the judge is asked to use."),
  maxChars: key(
    wholeNumber(1000),
    "The most of an output that the judge is given, in characters: of a larger one its beginning and its end.",
    DEFAULTS.judge.maxChars,
  ),
});

const progress = section({
  judge: key(
    flag(),
    "The judge also compares each failed iteration with the one before; one that it finds no progress in counts for `noProgressThreshold`.",
    DEFAULTS.progress.judge,
  ),
});

const scm = section({
  command: key(notBlank(), "The version control program: git."),
  tasks: key(
    v.array(notBlank(), "a list of texts"),
    "What is run with it when all checks pass, in order: commit, push. An empty list switches it off.",
  ),
});

const timeouts = section({
  iteration: key(durationOrOff(), "An agent's turn is ended when it takes longer.", "off"),
  idle: key(durationOrOff(), "An agent that says nothing for so long is ended.", DEFAULTS.timeouts.idle),
  linger: key(
    durationOrOff(),
    "An agent that gave its result and is silent for so long without exiting is ended; its result counts.",
    DEFAULTS.timeouts.linger,
  ),
});

const restart = section({
  done: key(
    flag(),
    "A file DONE in the task's folder claims that the work is done. Always so for `ralph supervise`.",
    DEFAULTS.restart.done,
  ),
  waits: key(
    flag(),
    "Exit code 42 or a file WAIT_WITHOUT_RESTART end the run as waiting. `ralph supervise`: true.",
    DEFAULTS.restart.waits,
  ),
  delay: key(
    durationOrOff(),
    "A pause before the next turn, also after a good one. `ralph supervise`: 1s.",
    DEFAULTS.restart.delay,
  ),
  max: key(
    wholeNumber(1),
    "Runs of a supervised command before `ralph supervise` gives up.",
    DEFAULTS.restart.max,
  ),
  waitTimeout: key(
    durationOrOff(),
    "How long child runs are waited for when DONE is there.",
    DEFAULTS.restart.waitTimeout,
  ),
  pollInterval: key(duration(), "How often they are looked at.", DEFAULTS.restart.pollInterval),
});

const baseline = section({
  enabled: key(flag(), "Run the checks once before the first iteration.", DEFAULTS.baseline.enabled),
  feedback: key(flag(), "Tell the first prompt which checks are red already.", DEFAULTS.baseline.feedback),
});

const PROTECT_WANTED = 'a list of patterns such as "test/**" or "package.json#scripts", true or false';

const pristine = section({
  enabled: key(
    flag(),
    "Run the tests as they were when the run began against the new sources too. Absent: for the criterion `test_pass`.",
  ),
  tests: key(
    v.array(notBlank(), "a list of patterns"),
    "Which files are tests. Without it, those in folders and with names that are usual for tests.",
  ),
  setup: key(
    notBlank(),
    "A shell line that installs what the tests need, such as `npm ci`. Without it, installed dependencies are linked.",
  ),
});

const output = section({
  emoji: key(flag(), "Emoji rather than text markers.", DEFAULTS.output.emoji),
  color: key(oneOf(["auto", "always", "never"]), "Colour on the terminal.", DEFAULTS.output.color),
  timestamps: key(flag(), "The time in front of each line.", DEFAULTS.output.timestamps),
  maxOutputLines: key(wholeNumber(0), "Lines shown of a tool's output.", DEFAULTS.output.maxOutputLines),
  maxOutputChars: key(wholeNumber(0), "Characters shown of a tool's output.", DEFAULTS.output.maxOutputChars),
});

/** The settings of a project, as one file may hold them. */
export const SettingsSchema = section({
  $schema: key(text(), "Where editors find the description of this file."),
  maximumIterations: key(wholeNumber(1), "Iterations before the run gives up.", DEFAULTS.maximumIterations),
  maximumFailures: key(
    wholeNumber(1),
    "Failed turns of the agent in a row before the run gives up.",
    DEFAULTS.maximumFailures,
  ),
  noProgressThreshold: key(
    wholeNumber(0),
    "Iterations in a row without progress before the run gives up: nothing changed, or only the same failure again. 0: never.",
    DEFAULTS.noProgressThreshold,
  ),
  maximumDuration: key(
    durationOrOff(),
    "How long a run may work, waits apart, before it gives up. `ralph start`: 30m.",
    "off",
  ),
  timeouts: key(timeouts, "How long an agent's turn may take."),
  processes: key(
    oneOf(["auto", "namespace", "cgroup", "group"]),
    "What holds the processes of agents and guardrails together, so that none is left behind. `auto` is the strongest that works; in a namespace of a user who is not root, `sudo` does not work.",
    DEFAULTS.processes,
  ),
  sandbox: key(sandbox, "The fence around agents and checks: what they may read, write, reach and use."),
  taskDir: key(
    notBlank(),
    "The task's folder, inside the project: where DONE, WAIT_WITHOUT_RESTART and the task's messages are.",
    ".",
  ),
  restart: key(restart, "What happens between two turns, and how a task's folder speaks for the agent."),
  completionResponse: key(
    response(),
    "What the agent puts in <response>…</response> to say that it is done. Empty: no such claim.",
    DEFAULTS.completionResponse,
  ),
  claimHint: key(flag(), "Tell the agent how to say that it is done.", DEFAULTS.claimHint),
  outputTruncateChars: key(
    wholeNumber(0),
    "Characters of a failed check's output that the next prompt quotes.",
    DEFAULTS.outputTruncateChars,
  ),
  streamAgentOutput: key(flag(), "Show what the agent does while it does it.", DEFAULTS.streamAgentOutput),
  includeIterationCountInPrompt: key(
    flag(),
    'Begin each prompt with "Iteration X of Y, Z remaining."',
    DEFAULTS.includeIterationCountInPrompt,
  ),
  agent: key(agent, "The coding agent that is run."),
  fallbackAgent: key(
    v.union([notBlank(), agent, v.array(standIn)], `${AGENT_WANTED}, or a list of them`),
    'Who has the turns while the agent\'s service holds it back: "codex", "codex:gpt-5", an object as for `agent`, or a list of them, in order.',
  ),
  guardrails: key(
    v.array(guardrail, "a list of guardrails"),
    "Checks that ralph runs after each turn of the agent. The run is proven done only when all pass.",
    [],
  ),
  criteria: key(
    v.array(v.union([oneOf(CRITERIA), criterion], CRITERION_WANTED), "a list of criteria"),
    'What is to be true in the end: "test_pass", or an object with a type. With criteria no claim is needed: a run whose checks all pass is done.',
    [],
  ),
  judge: key(judge, "Who reads outputs where the exit code is not enough."),
  progress: key(progress, "How the progress of a run is seen."),
  protect: key(
    v.union([flag(), v.array(notBlank())], PROTECT_WANTED),
    "Files that the agent may not change, besides the settings and what defines the guardrails: `test/**`, `package.json#scripts`, `!docs/**`. What it changes is put back, and the iteration is refused. `false`: none.",
    [],
  ),
  pristine: key(pristine, "The check that old tests still pass."),
  scm: key(scm, "What is done with version control when all checks pass."),
  baseline: key(baseline, "The run of the checks before the first iteration."),
  snapshots: key(
    flag(),
    "Keep a snapshot of the files before each iteration, for `ralph rollback`, `diff`, `fork` and `bisect`.",
    DEFAULTS.snapshots,
  ),
  tasks: key(tasks, "Runs on a task list (`ralph run --tasks`)."),
  review: key(review, "Who reviews the stories of a task list."),
  contextMonitor: key(
    oneOf(["runs", "always"]),
    "Where the plugin's hook tells an agent how full its context is: in the sessions of runs on a task list, or in every session in this project.",
    DEFAULTS.contextMonitor,
  ),
  guard: key(guard, "What the agent may not do, where no sandbox holds it."),
  verify: key(verify, "How a receipt is checked."),
  output: key(output, "How the agent's work is shown."),
});

/** The settings of a project. */
export type Settings = v.InferOutput<typeof SettingsSchema>;

/** What is wrong in a file's settings; `settings` when nothing is. */
export function checkSettings(
  value: unknown,
): { readonly settings: Settings } | { readonly issues: readonly v.BaseIssue<unknown>[] } {
  const result = v.safeParse(SettingsSchema, value, { abortPipeEarly: true });
  return result.success ? { settings: result.output } : { issues: result.issues };
}
