import { createHash } from "node:crypto";
import { closeSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentCommand } from "../agents/agent.ts";
import { claimHint, readClaims, withoutEcho } from "../claims/tags.ts";
import { codeOf, messageOf, UserError } from "../errors.ts";
import type { LoopEvent, Step } from "../events.ts";
import { createInside, isInside, readInside, readPlain } from "../files.ts";
import { headOf } from "../scm/git.ts";
import type { Timeouts } from "../spec.ts";
import { runTurn } from "./agent-turn.ts";
import { childProcesses } from "./children.ts";
import type { Record } from "./drive.ts";
import { composePrompt } from "./prompt.ts";
import { BEFORE } from "./snapshots.ts";
import { type LoopState, workedMs } from "./state.ts";
import { busEnd, taskClaims } from "./task-claims.ts";
import { agentIn, environmentOf, measureIn, type ReadyAgent, type Workshop } from "./workshop.ts";

const LARGEST_PROMPT_BYTES = 16 * 1024 * 1024;

/** Composes the prompt of an iteration and keeps it: in the project to be read, in the run's folder to be believed. */
export async function startIteration(
  shop: Workshop,
  state: LoopState,
  step: Extract<Step, { do: "start-iteration" }>,
): Promise<LoopEvent> {
  const { do: _do, iteration, ...whose } = step;
  shop.reporter.detail(`Iteration ${iteration}/${shop.spec.limits.iterations} starting`);
  const prompt = composePrompt(basePrompt(shop), shop.spec, state, iteration);
  mkdirSync(join(shop.folder.folder, "prompts"), { recursive: true, mode: 0o700 });
  // On disk before the journal says so: after a power cut the turn is had on this very prompt.
  writeFileSync(promptCopy(shop, iteration), prompt, { mode: 0o600, flush: true });
  const sent = commandFor(shop, agentIn(shop, step.agent ?? 0), prompt).stdin;
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
  if (seen?.snapshotFault !== undefined) shop.reporter.detail(`No snapshot: ${seen.snapshotFault}`);
  return {
    type: "iteration.started",
    at: shop.clock.now(),
    run: shop.run,
    iteration,
    ...whose,
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
  const agent = agentIn(shop, state.agent);
  const moment = { run: shop.run, iteration, ...(state.agent === 0 ? {} : { agent: state.agent }) };
  const prompt = readFileSync(promptCopy(shop, iteration), "utf8");
  const command = commandFor(shop, agent, prompt);
  shop.reporter.detail(`Agent command: ${[command.file, ...command.args].join(" ")}`);
  shop.reporter.detail(`Prompt (${command.stdin.length} chars): ${command.stdin.slice(0, 200)}`);
  const busFrom = busEnd(shop);
  const unwritten = new AbortController();
  let noted: Promise<void> = Promise.resolve();
  const end = await runTurn({
    adapter: agent.adapter,
    command,
    cwd: shop.spec.project,
    means: shop.means,
    keep: () => childProcesses(shop),
    env: environmentOf(shop, iteration),
    rawPath: freeRawPath(shop, threeDigits(iteration)),
    timeouts: timeoutsFor(shop, state),
    hardStop: AbortSignal.any([shop.hardStop, unwritten.signal]),
    now: () => shop.clock.now(),
    onEvent: (event) => shop.reporter.said(iteration, event),
    full: () => shop.reporter.full?.(),
    onStarted: (process) => {
      // Synced while the agent works. When it cannot be written the turn could not be kept either: it is ended.
      const event = { type: "agent.started", at: shop.clock.now(), ...moment, process } as const;
      noted = record(event).catch((error: unknown) => unwritten.abort(error));
    },
  });
  if (end.kept !== undefined) shop.kept.push(end.kept);
  await noted;
  if (unwritten.signal.aborted) throw unwritten.signal.reason;
  const tree = await measureIn(shop);
  const claims = {
    ...(end.ending.kind === "finished" ? readClaims(saidBy(end, command)) : {}),
    ...taskClaims(shop, { exitCode: end.exitCode, busFrom }),
  };
  shop.reporter.detail(`Agent ended: ${end.ending.kind} (${(end.wallMs / 1000).toFixed(1)}s)`);
  shop.reporter.detail(
    `Completion: looked for <response>${shop.spec.claim.response}</response>, found ${found(claims)}`,
  );
  return {
    type: "agent.exited",
    at: shop.clock.now(),
    ...moment,
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
  };
}

/** The exact command of an agent's turn for this prompt. */
export function commandFor(
  shop: Pick<Workshop, "spec" | "folder">,
  agent: ReadyAgent,
  prompt: string,
): AgentCommand {
  const { claim } = shop.spec;
  const hint = claim.hint ? claimHint(claim.response, prompt) : undefined;
  return agent.adapter.command({
    agent: agent.spec,
    prompt,
    mode: "work",
    help: agent.help,
    isRoot: isRoot(),
    answerPath: join(shop.folder.folder, "answer.txt"),
    ...(hint === undefined ? {} : { hint }),
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
  if (work.kind === "none") return "";
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

export function threeDigits(n: number): string {
  return String(n).padStart(3, "0");
}

function promptCopy(shop: Workshop, iteration: number): string {
  return join(shop.folder.folder, "prompts", `${threeDigits(iteration)}.txt`);
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
