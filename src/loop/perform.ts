import { consumeWait, isDone } from "../claims/task-folder.ts";
import { diskError, messageOf, UserError } from "../errors.ts";
import { type LoopEvent, NO_USAGE, type Step, type Verdict } from "../events.ts";
import { judgeGate, notRun } from "../gates/judge-gate.ts";
import { logPaths } from "../gates/log-name.ts";
import { hasSomethingToCommit, runScm, type ScmResult } from "../scm/commit.ts";
import { headOf } from "../scm/git.ts";
import { MESSAGE_PROMPT, messageIn } from "../scm/message.ts";
import type { Tree } from "../snapshot/tree.ts";
import type { GateSpec, ScmSpec } from "../spec.ts";
import { askAgent, JudgeBench, judgeProgress } from "./ask.ts";
import { awaitChildren } from "./children.ts";
import type { Perform } from "./drive.ts";
import { runAgent, startIteration } from "./iteration.ts";
import { describeEnding, isWaitable } from "./limits.ts";
import { endedEvent } from "./outcome.ts";
import { threeDigits } from "./prompt-copy.ts";
import { AT_END } from "./snapshots.ts";
import type { LoopState } from "./state.ts";
import { mendList, reopenStory } from "./task-turn.ts";
import { rememberLeft, rememberUncommitted, uncommittedWork } from "./uncommitted.ts";
import { agentIn, environmentOf, treeIn, type Workshop } from "./workshop.ts";

/** The real performer. What the user has to mend while a run is under way becomes an event, and ends it in order. */
export function createPerform(shop: Workshop): Perform {
  return async (step, state, record) => {
    try {
      return await perform(shop, step, state, record);
    } catch (error) {
      const known = error instanceof UserError ? error : diskError("cannot write what the run needs", error);
      if (known === undefined) throw error;
      const { what, why } = known;
      const fix = known === error ? known.fix : `${known.fix} Then go on: ralph resume ${shop.run}`;
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
      // Nobody but the user and the baseline has changed anything yet.
      if (state.iteration === 0) await shop.trees?.begin();
      if (state.trust === undefined && hasCleanTree(shop)) await rememberUncommitted(shop);
      if (shop.spec.claim.done && !state.doneRefused && isDone(shop.spec.taskDir)) {
        return { ...stamp(shop, state.iteration), type: "done.found" };
      }
      return startIteration(shop, state, step);
    case "run-agent":
      return runAgent(shop, state, record);
    case "judge":
      return judgeAt(shop, step, state);
    case "judge-progress":
      return judgeProgress(shop, state);
    case "reopen-story":
      return reopenStory(shop, step, state);
    case "word-commit":
      return wordCommit(shop, state);
    case "commit":
      return commit(shop, step, state);
    case "wait":
      await shop.clock.sleepUntil(step.untilMs, shop.softStop);
      return { ...stamp(shop, step.iteration), type: "waited", untilMs: step.untilMs };
    case "pause":
      await shop.clock.sleepUntil(step.untilMs, shop.softStop);
      return { ...stamp(shop, step.iteration), type: "waited", untilMs: step.untilMs, pause: true };
    case "await-children":
      return awaitChildren(shop, step.iteration);
    case "end":
      return ended(shop, step, state);
  }
};

async function judgeAt(
  shop: Workshop,
  step: Extract<Step, { do: "judge" }>,
  state: LoopState,
): Promise<LoopEvent> {
  const { gates, project, prompt } = shop.spec;
  const gate = gates[step.gate];
  const logPath = logPaths(gates, step.iteration)[step.gate];
  if (gate === undefined || logPath === undefined) throw new Error(`there is no gate ${step.gate}`);
  // The baseline proves nothing about a tree, so it is not measured.
  const meter = state.phase === "baseline" ? undefined : shop.meter;
  // The tree of the first round was named when the turn was over; a later round looks anew.
  const known = step.round === 1 && state.turnTree !== undefined ? { name: state.turnTree } : undefined;
  const before = step.gate === 0 ? ((meter && known) ?? (await meter?.measure())) : undefined;
  const trees = shop.trees?.of(threeDigits(step.iteration));
  const useless = uselessness(gate, state);
  const bench = new JudgeBench(shop, state, step.iteration);
  shop.reporter.detail(`Running ${gate.kind}: ${gate.command || gate.name}`);
  const found =
    useless !== undefined
      ? notRun(useless)
      : await judgeGate({
          gate,
          project,
          logPath,
          truncateChars: prompt.outputTruncateChars,
          means: shop.means.check,
          env: environmentOf(shop, step.iteration),
          hardStop: shop.hardStop,
          bench,
          ...(trees === undefined ? {} : { trees }),
          uncommitted: () => uncommittedWork(shop, state),
        });
  // Nobody waits for a judge before the first turn, nor inside somebody's session.
  if (found.unjudged === true && bench.held !== undefined && state.phase === "judging" && !state.inSession) {
    const { held: ending, usage = NO_USAGE } = bench;
    return { ...stamp(shop, step.iteration), type: "answer.held", from: "judge", ending, usage };
  }
  const mended = useless === undefined ? mendList(shop, { ...state, iteration: step.iteration }) : [];
  const told = mended.length === 0 ? found : { ...found, warnings: [...(found.warnings ?? []), ...mended] };
  shop.reporter.detail(
    `${gate.kind === "criterion" ? "Criterion" : "Guardrail"} exited with code ${found.exitCode} (${(found.wallMs / 1000).toFixed(1)}s)`,
  );
  // A look at protected files that found nothing has changed nothing.
  const isLook = gate.kind === "protect" || gate.kind === "clean-tree";
  const after = isLook && found.pass ? before : await meter?.measure();
  const verdict = provable(told, [before, after]);
  const treeBefore = before !== undefined && "name" in before ? before.name : undefined;
  const treeAfter = after !== undefined && "name" in after ? after.name : undefined;
  return {
    ...stamp(shop, step.iteration),
    type: "gate.judged",
    round: step.round,
    gate: step.gate,
    name: gate.name,
    verdict,
    ...(bench.usage === undefined ? {} : { usage: bench.usage }),
    ...(treeBefore === undefined ? {} : { treeBefore }),
    ...(treeAfter === undefined ? {} : { treeAfter }),
  };
}

/** Why there is no use in running a gate now; undefined when there is. */
function uselessness(gate: GateSpec, state: LoopState): string | undefined {
  if (gate.kind !== "protect" && gate.kind !== "pristine" && gate.kind !== "clean-tree") return undefined;
  if (state.phase === "baseline") return "the agent has changed nothing yet";
  const isLate = gate.kind === "pristine" && state.verdicts.some((verdict) => !verdict.pass);
  return isLate ? "another check failed" : undefined;
}

/** A gate that passed on a tree that cannot be named has proven nothing. */
function provable(verdict: Verdict, trees: readonly (Tree | undefined)[]): Verdict {
  const blind = trees.find((tree) => tree !== undefined && "fault" in tree);
  if (blind === undefined || !("fault" in blind) || !verdict.pass) return verdict;
  const reason = `git cannot tell what stands in the work tree (${blind.fault}), so nothing is proven about it`;
  return { ...verdict, pass: false, reason };
}

/** Asks the agent that did the work for a commit message, with its write tools off where it can. */
async function wordCommit(
  shop: Workshop,
  { iteration, agent: number, inSession }: LoopState,
): Promise<LoopEvent> {
  const { scm, project } = shop.spec;
  const moment = stamp(shop, iteration);
  if (scm === undefined) return { ...moment, type: "committed", error: "there is no scm to commit with" };
  await shop.sync?.tidy?.();
  if (!(await hasSomethingToCommit(whereOf(shop, scm)))) {
    return { ...moment, type: "commit.intended", message: "", usage: NO_USAGE };
  }
  const end = await askAgent(shop, {
    agent: agentIn(shop, number),
    iteration,
    prompt: MESSAGE_PROMPT,
    name: "commit", // its answer is shown as the message that it is
  });
  const { usage } = end.reader;
  if (isWaitable(end.ending) && !inSession) {
    // Its program may have tried for long by itself: the wait begins now.
    return { ...stamp(shop, iteration), type: "answer.held", from: "agent", ending: end.ending, usage };
  }
  if (end.ending.kind !== "finished") {
    const error = `no commit message: the agent's turn failed (${describeEnding(end.ending)})`;
    return { ...moment, type: "committed", error, usage };
  }
  const message = messageIn(end.finalText);
  if (message === undefined) {
    return { ...moment, type: "committed", error: "no commit message: the agent gave none", usage };
  }
  const after = await treeIn(shop);
  if (after !== undefined && "fault" in after) {
    return { ...moment, type: "committed", error: after.fault, usage };
  }
  const head = shop.meter === undefined ? undefined : await headOf(project);
  return {
    ...moment,
    type: "commit.intended",
    message,
    usage,
    ...(after === undefined ? {} : { tree: after.name }),
    ...(head === undefined ? {} : { head }),
  };
}

async function commit(
  shop: Workshop,
  step: Extract<Step, { do: "commit" }>,
  state: LoopState,
): Promise<LoopEvent> {
  const { scm } = shop.spec;
  const moment = stamp(shop, step.iteration);
  if (scm === undefined) return { ...moment, type: "committed", error: "there is no scm to commit with" };
  // Checks, and whoever worded the message, have been inside since the turn; git goes into what they left.
  await shop.sync?.tidy?.();
  const result = await runScm({
    ...whereOf(shop, scm),
    message: step.message,
    mark: `${shop.run}/${step.iteration}`,
    after: step.head,
    signal: shop.hardStop,
  });
  return { ...moment, type: "committed", ...result, ...(await lookAfter(shop, state, result)) };
}

/** Is what stands there, and what was committed, still what was judged? */
async function lookAfter(
  shop: Workshop,
  state: LoopState,
  done: ScmResult,
): Promise<{ tree?: string; mismatch?: string }> {
  const now = await treeIn(shop);
  if (now === undefined || state.tree === undefined) return {};
  if ("fault" in now) return { mismatch: now.fault };
  // Nothing to commit says that HEAD holds it all, which is looked at too: an index can hide files from git.
  const commit = done.commit ?? (done.nothingToCommit === true ? "HEAD" : undefined);
  const differing =
    commit === undefined || done.error !== undefined ? [] : await shop.meter?.differences(state.tree, commit);
  // Files that were the user's before the run are left out of the commit on purpose.
  const strange = (differing ?? []).filter((name) => !shop.untrackedBefore.has(name));
  return { tree: now.name, ...(strange.length === 0 ? {} : { mismatch: strange.slice(0, 5).join(", ") }) };
}

function whereOf(shop: Workshop, scm: ScmSpec) {
  const { meter, untrackedBefore } = shop;
  const git = meter === undefined ? {} : { top: meter.top, programs: meter.programs };
  return { scm, project: shop.spec.project, untrackedBefore, ...git };
}

async function ended(
  shop: Workshop,
  step: Extract<Step, { do: "end" }>,
  state: LoopState,
): Promise<LoopEvent> {
  // A run that cannot remember this must come to its end all the same.
  if (hasCleanTree(shop))
    await rememberLeft(shop).catch((error: unknown) => shop.reporter.detail(messageOf(error)));
  const seen = await shop.snapshots?.take(AT_END);
  if (seen?.snapshotFault !== undefined) shop.reporter.detail(`No snapshot: ${seen.snapshotFault}`);
  if (step.outcome.kind === "waiting" && state.claims.wait !== undefined) consumeWait(shop.spec.taskDir);
  return {
    ...endedEvent(state, step.outcome, shop.clock.now()),
    ...seen,
    ...(seen?.snapshot === undefined ? {} : { snapshotPath: shop.snapshots?.path ?? "" }),
  };
}

function hasCleanTree({ spec }: Workshop): boolean {
  return spec.gates.some(({ kind }) => kind === "clean-tree");
}

function stamp(shop: Workshop, iteration: number): { at: number; run: string; iteration: number } {
  return { at: shop.clock.now(), run: shop.run, iteration };
}
