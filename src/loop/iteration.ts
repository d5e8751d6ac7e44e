import { createHash } from "node:crypto";
import { closeSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentCommand, HOOKS_URL_VARIABLE, type HookAddress } from "../agents/agent.ts";
import { promiseHint, promiseIn } from "../claims/promise.ts";
import { claimHint, readClaims, withoutEcho } from "../claims/tags.ts";
import { codeOf, messageOf, UserError } from "../errors.ts";
import type { LoopEvent, Step, TaskTurn } from "../events.ts";
import { createInside, isInside, readInside, readPlain } from "../files.ts";
import { headOf } from "../scm/git.ts";
import type { Timeouts } from "../spec.ts";
import { runTurn } from "./agent-turn.ts";
import { childProcesses } from "./children.ts";
import type { Record } from "./drive.ts";
import { tellUnguarded } from "./guard-place.ts";
import { composePrompt } from "./prompt.ts";
import { keepPrompt, promptCopy, threeDigits } from "./prompt-copy.ts";
import { BEFORE } from "./snapshots.ts";
import { type LoopState, workedMs } from "./state.ts";
import { busEnd, taskClaims } from "./task-claims.ts";
import { settledTasks } from "./task-settle.ts";
import { beginTask, mendList, tasksOf } from "./task-turn.ts";
import {
  agentIn,
  environmentOf,
  filesArrived,
  measureIn,
  type ReadyAgent,
  type Workshop,
} from "./workshop.ts";

const LARGEST_PROMPT_BYTES = 16 * 1024 * 1024;

/** Composes the prompt of an iteration and keeps it: in the project to be read, in the run's folder to be believed. */
export async function startIteration(
  shop: Workshop,
  state: LoopState,
  step: Extract<Step, { do: "start-iteration" }>,
): Promise<LoopEvent> {
  const { do: _do, iteration, ...whose } = step;
  shop.reporter.detail(`Iteration ${iteration}/${shop.spec.limits.iterations} starting`);
  const work = tasksOf(shop);
  const begun = work === undefined ? undefined : beginTask(shop, work, state, iteration);
  if (begun !== undefined && "complete" in begun) {
    return { ...moment(shop, state.iteration), type: "done.found", list: begun.complete };
  }
  const base = begun === undefined ? basePrompt(shop) : begun.base;
  const composed = composePrompt(base, shop.spec, state, iteration);
  const prompt = begun === undefined ? composed : `${composed}\n\n${begun.task}`;
  keepPrompt(shop.folder.folder, iteration, prompt);
  const agent = turnAgent(shop, step.agent ?? 0, begun?.turn);
  const sent = commandFor(shop, agent, prompt).stdin;
  const promptPath = `.ralph/prompt_${threeDigits(iteration)}.txt`;
  const fd = createInside(shop.spec.project, promptPath);
  try {
    writeFileSync(fd, sent);
  } finally {
    closeSync(fd);
  }
  // Later iterations are compared with what the one before left behind.
  const [tree, seen] = await Promise.all([
    state.measured === undefined ? measureIn(shop) : undefined,
    shop.snapshots?.take(BEFORE(iteration)),
  ]);
  const head = seen?.head ?? (shop.meter === undefined ? undefined : await headOf(shop.spec.project));
  const isReview = begun?.turn.mode === "review";
  const before = isReview ? (seen?.snapshot ?? (await shop.trees?.mark())) : undefined;
  const moments = {
    ...(before === undefined ? {} : { before }),
    ...(isReview && head !== undefined ? { head } : {}),
  };
  const task = begun === undefined ? {} : { task: { ...begun.turn, ...moments } };
  if (seen?.snapshotFault !== undefined) shop.reporter.detail(`No snapshot: ${seen.snapshotFault}`);
  return {
    type: "iteration.started",
    ...moment(shop, iteration),
    ...whose,
    ...task,
    promptPath,
    promptSha256: createHash("sha256").update(sent).digest("hex"),
    ...(tree === undefined ? {} : { tree }),
    ...seen,
    ...(head === undefined ? {} : { head }),
  };
}

/** Runs the agent's turn on the prompt that was kept. */
export async function runAgent(shop: Workshop, state: LoopState, record: Record): Promise<LoopEvent> {
  const { iteration } = state;
  const agent = turnAgent(shop, state.agent, state.task);
  const whose = state.agent === 0 ? {} : { agent: state.agent };
  const prompt = keptPrompt(shop, iteration);
  const command = commandFor(shop, agent, prompt, shop.desk?.at(iteration));
  shop.reporter.detail(`Agent command: ${[command.file, ...command.args].join(" ")}`);
  shop.reporter.detail(`Prompt (${command.stdin.length} chars): ${command.stdin.slice(0, 200)}`);
  // A try that was cut short by a crash may have left anything in the list: this one begins with what is believed.
  mendList(shop, state);
  await shop.sync?.refresh?.();
  const busFrom = busEnd(shop);
  const unwritten = new AbortController();
  const made = new Set<string>();
  let noted: Promise<void> = Promise.resolve();
  const end = await runTurn({
    adapter: agent.adapter,
    command,
    cwd: shop.spec.project,
    means: shop.means.agent,
    keep: () => childProcesses(shop),
    env: environmentOf(shop, iteration),
    rawPath: freeRawPath(shop, threeDigits(iteration)),
    timeouts: timeoutsFor(shop, state),
    hardStop: AbortSignal.any([shop.hardStop, unwritten.signal]),
    now: () => shop.clock.now(),
    onEvent: (event) => {
      if (event.type === "tool.started") made.add(event.callId);
      shop.reporter.said(iteration, event);
    },
    full: () => shop.reporter.full?.(),
    exchange: shop.sync?.exchange,
    onStarted: (process) => {
      // Synced while the agent works. When it cannot be written the turn could not be kept either: it is ended.
      const event = { type: "agent.started", ...moment(shop, iteration), ...whose, process } as const;
      noted = record(event).catch((error: unknown) => unwritten.abort(error));
    },
  });
  if (end.kept !== undefined) shop.kept.push(end.kept);
  await noted;
  tellUnguarded(shop, { iteration, made, asks: HOOKS_URL_VARIABLE in command.env });
  await filesArrived(shop);
  if (unwritten.signal.aborted) throw unwritten.signal.reason;
  const finished = end.ending.kind === "finished";
  const said = finished ? saidBy(end, command) : "";
  // First the list is what it may be, then the tree is named: what is judged is what stays.
  const settled = await settledTasks(shop, state, { finished, said });
  const tree = await measureIn(shop);
  const claims = {
    ...(finished ? readClaims(said) : {}),
    ...(finished && promiseIn(said, shop.spec.claim) ? { promise: true } : {}),
    ...taskClaims(shop, { exitCode: end.exitCode, busFrom }),
    ...settled.claims,
  };
  shop.reporter.detail(`Agent ended: ${end.ending.kind} (${(end.wallMs / 1000).toFixed(1)}s)`);
  shop.reporter.detail(
    `Completion: looked for <response>${shop.spec.claim.response}</response>, found ${found(claims)}`,
  );
  return {
    type: "agent.exited",
    ...moment(shop, iteration),
    ...whose,
    ending: end.ending,
    exitCode: end.exitCode,
    claims,
    usage: end.reader.usage,
    wallMs: end.wallMs,
    toolCalls: end.reader.toolCalls,
    denials: end.reader.denials,
    ...(tree === undefined ? {} : { tree }),
    ...(end.lingered ? { lingered: true } : {}),
    ...(end.reader.model === undefined ? {} : { model: end.reader.model }),
    ...(end.reader.version === undefined ? {} : { version: end.reader.version }),
    ...(await settled.facts({ tree, said, toolCalls: end.reader.toolCalls })),
  };
}

/** Who has a turn: of a review that the main agent would have, the reviewer, where there is one. */
function turnAgent(shop: Workshop, number: number, task: TaskTurn | undefined): ReadyAgent {
  return number === 0 && task?.reviewer === true && shop.reviewer !== undefined
    ? shop.reviewer
    : agentIn(shop, number);
}

function moment(shop: Workshop, iteration: number): { at: number; run: string; iteration: number } {
  return { at: shop.clock.now(), run: shop.run, iteration };
}

/** The prompt that was kept. A session's is not synced: where a power cut took it, the task itself is what is to be done. */
function keptPrompt(shop: Workshop, iteration: number): string {
  const path = promptCopy(shop.folder.folder, iteration);
  const isSession = shop.spec.session !== undefined;
  const text = isSession && !existsSync(path) ? "" : readFileSync(path, "utf8");
  return isSession && /^[\0\s]*$/.test(text) ? basePrompt(shop) : text;
}

/** The exact command of an agent's turn for this prompt. */
export function commandFor(
  shop: Pick<Workshop, "spec" | "folder" | "fenced">,
  agent: ReadyAgent,
  prompt: string,
  hooks?: HookAddress,
): AgentCommand {
  const { claim } = shop.spec;
  const hint = claim.hint ? (promiseHint(claim, prompt) ?? claimHint(claim.response, prompt)) : undefined;
  return agent.adapter.command({
    agent: agent.spec,
    prompt,
    mode: "work",
    help: agent.help,
    isRoot: isRoot(),
    fenced: shop.fenced,
    answerPath: join(shop.folder.folder, "answer.txt"),
    ...(hint === undefined ? {} : { hint }),
    ...(hooks === undefined ? {} : { hooks }),
  });
}

/** Some agents refuse full autonomy to the superuser. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** A name for the raw stream that nothing has yet: an iteration that is run again keeps its first transcript. */
export function freeRawPath(shop: Workshop, name: string): string {
  mkdirSync(shop.folder.streams, { recursive: true, mode: 0o700 });
  let path = join(shop.folder.streams, name);
  for (let n = 2; existsSync(`${path}.out`); n++) path = join(shop.folder.streams, `${name}-${n}`);
  return path;
}

/** The base prompt; a prompt file is read anew each iteration, so that people can steer. */
export function basePrompt(shop: Pick<Workshop, "spec">): string {
  const { work, project } = shop.spec;
  if (work.kind === "prompt") return work.text;
  if (work.kind === "none" || work.kind === "tasks") return "";
  try {
    const text = isInside(project, work.path)
      ? readInside(project, work.path, LARGEST_PROMPT_BYTES)
      : readPlain(work.path, LARGEST_PROMPT_BYTES);
    if (text.trim() !== "") return text;
  } catch (error) {
    const gone = codeOf(error) === "ENOENT";
    throw new UserError(
      "cannot read the prompt file",
      gone ? `${work.path} is not there` : `${work.path}: ${messageOf(error)}`,
      gone ? "Put it back, or give another with -f, and start again." : "Give a readable text file with -f.",
      { cause: error },
    );
  }
  throw new UserError(
    "the prompt file is empty",
    `${work.path} holds no text`,
    "Write down what is to be done.",
  );
}

function saidBy(end: { finalText: string; plain: boolean }, command: AgentCommand): string {
  return end.plain ? withoutEcho(end.finalText, command.stdin) : end.finalText;
}

function found(claims: { response?: string }): string {
  return claims.response === undefined ? "none" : JSON.stringify(claims.response.slice(0, 100));
}

/** No turn outlasts the run's own time. */
function timeoutsFor({ spec }: Workshop, state: LoopState): Timeouts {
  const { durationMs = 0 } = spec.limits;
  if (durationMs === 0) return spec.timeouts;
  const leftMs = Math.max(1, durationMs - workedMs(state));
  const { turnMs } = spec.timeouts;
  return { ...spec.timeouts, turnMs: turnMs === 0 ? leftMs : Math.min(turnMs, leftMs) };
}
