import { rmSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../errors.ts";
import { type LoopEvent, NO_USAGE, type Step } from "../events.ts";
import { judgeGuardrail } from "../gates/guardrail.ts";
import { logPaths } from "../gates/log-name.ts";
import { hasSomethingToCommit, runScm } from "../scm/commit.ts";
import { headOf } from "../scm/git.ts";
import { MESSAGE_PROMPT, messageIn } from "../scm/message.ts";
import { runTurn } from "./agent-turn.ts";
import type { Perform } from "./drive.ts";
import { freeRawPath, isRoot, runAgent, startIteration, threeDigits } from "./iteration.ts";
import { describeEnding } from "./limits.ts";
import { chargedIterations, type LoopState } from "./state.ts";
import { environmentOf, treeIn as tree, type Workshop } from "./workshop.ts";

/** The real performer. What the user has to mend while a run is under way becomes an event, and ends it in order. */
export function createPerform(shop: Workshop): Perform {
  return async (step, state, record) => {
    try {
      return await perform(shop, step, state, record);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      const { what, why, fix } = error;
      return { type: "run.faulted", at: shop.clock.now(), run: shop.run, what, why, fix };
    }
  };
}

const perform = async (
  shop: Workshop,
  step: Step,
  state: LoopState,
  record: Parameters<Perform>[2],
): Promise<LoopEvent> => {
  switch (step.do) {
    case "start-iteration":
      return startIteration(shop, state, step.iteration);
    case "run-agent":
      return runAgent(shop, step.iteration, record);
    case "judge":
      return judge(shop, step, state);
    case "word-commit":
      return wordCommit(shop, step.iteration);
    case "commit":
      return commit(shop, step);
    case "wait":
      await shop.clock.sleepUntil(step.untilMs, shop.softStop);
      return { ...stamp(shop, step.iteration), type: "waited", untilMs: step.untilMs };
    case "end":
      return ended(shop, step, state);
  }
};

async function judge(
  shop: Workshop,
  step: Extract<Step, { do: "judge" }>,
  state: LoopState,
): Promise<LoopEvent> {
  const { gates, project, prompt } = shop.spec;
  const gate = gates[step.gate];
  const logPath = logPaths(gates, step.iteration)[step.gate];
  if (gate === undefined || logPath === undefined) throw new Error(`there is no gate ${step.gate}`);
  // The baseline proves nothing about a tree, so it is not measured.
  const measured = shop.inGit && step.iteration > 0;
  // The tree of the first round was named when the turn was over; a later round looks anew.
  const known = step.round === 1 && !state.turnTree?.startsWith("files:") ? state.turnTree : undefined;
  const treeBefore = measured && step.gate === 0 ? (known ?? (await tree(shop))) : undefined;
  shop.reporter.detail(`Running guardrail: ${gate.command}`);
  const verdict = await judgeGuardrail({
    gate,
    project,
    logPath,
    truncateChars: prompt.outputTruncateChars,
    env: environmentOf(shop, step.iteration),
    hardStop: shop.hardStop,
  });
  shop.reporter.detail(
    `Guardrail exited with code ${verdict.exitCode} (${(verdict.wallMs / 1000).toFixed(1)}s)`,
  );
  const treeAfter = measured && step.gate === gates.length - 1 ? await tree(shop) : undefined;
  return {
    ...stamp(shop, step.iteration),
    type: "gate.judged",
    round: step.round,
    gate: step.gate,
    name: gate.name,
    verdict,
    ...(treeBefore === undefined ? {} : { treeBefore }),
    ...(treeAfter === undefined ? {} : { treeAfter }),
  };
}

/** Asks the agent for a commit message, with its write tools off where it can. */
async function wordCommit(shop: Workshop, iteration: number): Promise<LoopEvent> {
  const { scm, agent, project } = shop.spec;
  const moment = stamp(shop, iteration);
  if (scm === undefined) return { ...moment, type: "committed", error: "there is no scm to commit with" };
  if (!(await hasSomethingToCommit({ scm, project, untrackedBefore: shop.untrackedBefore }))) {
    return { ...moment, type: "commit.intended", message: "", usage: NO_USAGE };
  }
  const answerPath = join(shop.folder.folder, "answer.txt");
  rmSync(answerPath, { force: true });
  const command = shop.adapter.command({
    agent,
    prompt: MESSAGE_PROMPT,
    mode: "text",
    help: shop.help,
    isRoot: isRoot(),
    answerPath,
  });
  const end = await runTurn({
    adapter: shop.adapter,
    command,
    cwd: project,
    env: environmentOf(shop, iteration),
    rawPath: freeRawPath(shop, `${threeDigits(iteration)}-commit`),
    ...(command.answerFromFile ? { answerPath } : {}),
    timeouts: shop.spec.timeouts,
    hardStop: shop.hardStop,
    now: () => shop.clock.now(),
    onEvent: () => {}, // its answer is shown as the message that it is
    onStarted: () => {},
  });
  rmSync(answerPath, { force: true });
  const { usage } = end.reader;
  if (end.ending.kind !== "finished") {
    const error = `no commit message: the agent's turn failed (${describeEnding(end.ending)})`;
    return { ...moment, type: "committed", error, usage };
  }
  const message = messageIn(end.finalText);
  if (message === undefined) {
    return { ...moment, type: "committed", error: "no commit message: the agent gave none", usage };
  }
  const after = shop.inGit ? await tree(shop) : undefined;
  const head = shop.inGit ? await headOf(project) : undefined;
  return {
    ...moment,
    type: "commit.intended",
    message,
    usage,
    ...(after === undefined ? {} : { tree: after }),
    ...(head === undefined ? {} : { head }),
  };
}

async function commit(shop: Workshop, step: Extract<Step, { do: "commit" }>): Promise<LoopEvent> {
  const { scm, project } = shop.spec;
  const moment = stamp(shop, step.iteration);
  if (scm === undefined) return { ...moment, type: "committed", error: "there is no scm to commit with" };
  const result = await runScm({
    scm,
    project,
    message: step.message,
    mark: `${shop.run}/${step.iteration}`,
    after: step.head,
    untrackedBefore: shop.untrackedBefore,
    signal: shop.hardStop,
  });
  return { ...moment, type: "committed", ...result };
}

function ended(shop: Workshop, step: Extract<Step, { do: "end" }>, state: LoopState): LoopEvent {
  const { usage } = state;
  return {
    type: "run.ended",
    at: shop.clock.now(),
    run: shop.run,
    outcome: step.outcome,
    iterations: chargedIterations(state),
    usage,
    costUsd: usage.costUsd,
    tokens: usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
    wallMs: shop.clock.now() - state.startedAtMs,
  };
}

function stamp(shop: Workshop, iteration: number): { at: number; run: string; iteration: number } {
  return { at: shop.clock.now(), run: shop.run, iteration };
}
