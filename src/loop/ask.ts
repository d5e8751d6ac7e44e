import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type AgentEnding, type LoopEvent, NO_USAGE, type Usage } from "../events.ts";
import type { Answer, Bench } from "../gates/gate.ts";
import { parseProgress, progressPrompt } from "../gates/judgment.ts";
import { runTurn, type TurnEnd } from "./agent-turn.ts";
import { addUsage } from "./evolve.ts";
import { freeRawPath, isRoot } from "./iteration.ts";
import { describeEnding, isWaitable } from "./limits.ts";
import { failureMessage } from "./prompt.ts";
import { threeDigits } from "./prompt-copy.ts";
import type { Feedback, LoopState } from "./state.ts";
import { agentIn, EXCHANGE, environmentOf, type ReadyAgent, type Workshop } from "./workshop.ts";

/** A question to an agent beside the work: one plain answer, with its write tools off where it can. */
interface Question {
  readonly agent: ReadyAgent;
  readonly iteration: number;
  readonly prompt: string;
  /** What its raw stream is kept under. */
  readonly name: string;
  /** How long the answer may take; 0 is as long as a turn. */
  readonly limitMs?: number;
}

/** Asks an agent in a turn of its own, of which nothing is shown but what becomes of the answer. */
export async function askAgent(shop: Workshop, question: Question): Promise<TurnEnd> {
  const { agent, iteration } = question;
  const exchange = join(shop.folder.folder, EXCHANGE);
  mkdirSync(exchange, { recursive: true, mode: 0o700 });
  const answerPath = join(exchange, "answer.txt");
  rmSync(answerPath, { force: true });
  const command = agent.adapter.command({
    agent: agent.spec,
    prompt: question.prompt,
    mode: "text",
    help: agent.help,
    isRoot: isRoot(),
    fenced: shop.fenced,
    answerPath,
  });
  const { timeouts } = shop.spec;
  const { limitMs = 0 } = question;
  const end = await runTurn({
    adapter: agent.adapter,
    command,
    cwd: shop.spec.project,
    means: shop.means.agent,
    env: environmentOf(shop, iteration),
    rawPath: freeRawPath(shop, `${threeDigits(iteration)}-${question.name}`),
    ...(command.answerFromFile ? { answerPath } : {}),
    timeouts: timeouts.turnMs === 0 ? { ...timeouts, turnMs: limitMs } : timeouts,
    hardStop: shop.hardStop,
    now: () => shop.clock.now(),
    onEvent: () => {},
    onStarted: () => {},
    exchange: shop.sync?.exchange,
  });
  rmSync(answerPath, { force: true });
  return end;
}

/** The most of an output that a judge is given where a description names no judge. */
const USUAL_CHARS = 200_000;

/** The judge of a moment: the one of the settings, or whoever had the turn. Counts what its answers used. */
export class JudgeBench implements Bench {
  usage: Usage | undefined;
  /** Why the judge that was asked last could not answer, when waiting helps. */
  held: Extract<AgentEnding, { kind: "limited" }> | undefined;
  readonly #shop: Workshop;
  readonly #number: number;
  readonly #iteration: number;

  constructor(shop: Workshop, { agent }: Pick<LoopState, "agent">, iteration: number) {
    this.#shop = shop;
    this.#number = agent;
    this.#iteration = iteration;
  }

  get maxChars(): number {
    return this.#shop.spec.judge?.maxChars ?? USUAL_CHARS;
  }

  /** Never rejects for anything that the judge does: one that cannot answer is a fault, in words. */
  async judge(prompt: string, limitMs: number): Promise<Answer> {
    // Looked for when it is needed: a session's own agent cannot be asked.
    const agent = this.#shop.judge ?? agentIn(this.#shop, this.#number);
    this.#shop.reporter.detail(`Asking the judge: ${agent.spec.command}`);
    const end = await askAgent(this.#shop, {
      agent,
      iteration: this.#iteration,
      prompt,
      name: "judge",
      limitMs,
    });
    this.usage = addUsage(this.usage ?? NO_USAGE, end.reader.usage);
    this.held = isWaitable(end.ending) ? end.ending : undefined;
    return end.ending.kind === "finished" ? { text: end.finalText } : { fault: describeEnding(end.ending) };
  }
}

/** How long the judge may compare two iterations. */
const COMPARING_MS = 600_000;

/** Asks the judge whether an iteration that failed got further than the one before. */
export async function judgeProgress(shop: Workshop, state: LoopState): Promise<LoopEvent> {
  const bench = new JudgeBench(shop, state, state.iteration);
  const results = (feedback: readonly Feedback[]) =>
    feedback.map((one) => failureMessage(one, shop.spec.gates[one.gate])).join("\n\n");
  const answer = await bench.judge(
    progressPrompt({
      before: results(state.compared?.feedback ?? []),
      now: results(state.feedback),
      changed: await changedSince(shop, state),
      maxChars: bench.maxChars,
      boundary: randomBytes(9).toString("hex"),
    }),
    COMPARING_MS,
  );
  const said = "text" in answer ? parseProgress(answer.text) : undefined;
  const silence = "fault" in answer ? `could not be asked: ${answer.fault}` : "could not be understood";
  return {
    type: "progress.judged",
    at: shop.clock.now(),
    run: shop.run,
    iteration: state.iteration,
    ...(said ?? { reason: `the judge ${silence}` }),
    usage: bench.usage ?? NO_USAGE,
  };
}

async function changedSince(shop: Workshop, { compared, measured }: LoopState): Promise<string> {
  if (shop.meter === undefined || compared === undefined || measured === undefined) return "not known";
  const names = await shop.meter.differences(compared.tree, measured.tree);
  return names.join("\n");
}
