import type { LoopEvent, Step } from "../../events.ts";
import { type AgentSpec, agentsOf, checksWork, type FenceNote } from "../../spec.ts";
import { count, formatCountdown, formatDuration, formatMoment } from "../format.ts";
import { showGateStart, showVerdict } from "./gates.ts";
import { forgetTurn, type Memory } from "./memory.ts";
import { showOutcome } from "./outcome.ts";
import type { Page } from "./page.ts";
import { showReopened, showTask, showTaskResult, taskHeader } from "./tasks.ts";
import { showTurnEnd } from "./turn.ts";

/** Shows what is about to be done, where that takes long enough for somebody to wonder. */
export function showStep(page: Page, memory: Memory, step: Step): void {
  memory.wording = step.do === "word-commit";
  switch (step.do) {
    case "start-iteration":
      showBanner(page, memory, step);
      break;
    case "judge":
      showGateStart(page, memory, step);
      break;
    case "word-commit":
      page.gap();
      page.status([`${page.marks.commit} Asking the agent for a commit message`]);
      break;
    case "wait":
      showWait(page, step);
      break;
    case "run-agent":
    case "commit":
    case "end":
      break;
  }
}

/** Shows what happened to the run. */
export function showLoopEvent(page: Page, memory: Memory, event: LoopEvent): void {
  const { marks, paint } = page;
  switch (event.type) {
    case "run.started":
      memory.spec = event.spec;
      page.status(header(page, event));
      break;
    case "iteration.started":
      // A journal that is read back has no steps: its banners come from here.
      if (memory.bannered !== event.iteration) showBanner(page, memory, event);
      else showChange(page, memory, event);
      showTask(page, event.task);
      memory.snapshot ??= event.snapshot;
      showUnkept(page, memory, event.snapshotFault);
      break;
    case "agent.started":
      break;
    case "agent.exited":
      showTurnEnd(page, memory, event);
      showTaskResult(page, event.tasks);
      break;
    case "done.found":
      memory.found = true;
      memory.claims = event.list === undefined ? { done: true } : { tasks: true };
      if (event.list !== undefined)
        page.status([`${marks.info} Every story is finished already: only the checks run`]);
      break;
    case "story.reopened":
      showReopened(page, event);
      break;
    case "gate.judged":
      showVerdict(page, memory, event);
      break;
    case "answer.held":
      page.status([
        `${marks.warn} ${paint.warn(`The ${event.from} is held back:`)} ${page.word(event.ending.message)}`,
      ]);
      break;
    case "progress.judged":
      showComparison(page, event);
      break;
    case "commit.intended":
      memory.wording = false;
      if (event.message !== "") page.status([`${marks.commit} Commit message: ${page.word(event.message)}`]);
      break;
    case "committed":
      memory.wording = false;
      showCommit(page, event);
      break;
    case "waited":
      // One that a stop request cut short is not worth a word, nor is the pause before a restart.
      if (event.at >= event.untilMs && event.pause !== true) page.status([`${marks.wait} The wait is over`]);
      break;
    case "stop.requested":
      // The command line answers a signal itself, at once.
      page.detail(`Stop requested by ${page.word(event.by)}`);
      break;
    case "run.faulted":
      memory.faulted = true;
      page.gap();
      page.status([
        `${marks.bad} ${paint.bad(page.word(event.what, 1000))}`,
        ...[event.why, event.fix].map((line) => `   ${page.word(line, 1000)}`),
      ]);
      break;
    case "run.ended":
      showUnkept(page, memory, event.snapshotFault);
      showOutcome(page, memory, event);
      break;
  }
}

function header(page: Page, event: Extract<LoopEvent, { type: "run.started" }>): string[] {
  const { spec } = event;
  const checks = spec.gates.filter(checksWork);
  const criteria = checks.filter((gate) => gate.kind === "criterion");
  const others = checks.length - criteria.length;
  const gates =
    checks.length === 0
      ? "no guardrails: nothing will be checked"
      : [
          ...(others > 0 ? [count(others, "guardrail")] : []),
          ...(criteria.length > 0 ? [count(criteria.length, "criterion", "criteria")] : []),
        ].join(", ");
  return [
    page.paint.strong(
      `ralph ${page.word(event.ralph, 40)} ${page.marks.dot} run ${page.word(event.run, 80)}`,
    ),
    `Agent ${agentsOf(spec)
      .map((agent) => agentName(page, agent))
      .join(", else ")}, at most ${count(spec.limits.iterations, "iteration")}, ${gates}`,
    ...taskHeader(page, spec),
    ...fenceLine(page, event.fence),
    ...criteria.map(({ name, foundIn }) => {
      const found = foundIn === undefined ? "" : ` (found in ${page.word(foundIn, 80)})`;
      return `Criterion ${page.word(name)}${found}`;
    }),
  ];
}

/** What keeps the agent in; that nothing does is said in every run. */
function fenceLine(page: Page, fence: FenceNote | undefined): string[] {
  if (fence === undefined) return [];
  const words = page.word(fence.words, 200);
  return [fence.kind === "none" ? page.paint.warn(`Sandbox: none; ${words}`) : `Sandbox: ${words}`];
}

function agentName(page: Page, agent: AgentSpec): string {
  const name = agent.kind === "custom" ? page.word(agent.command, 80) : agent.kind;
  return agent.model === undefined ? name : `${name} (${page.word(agent.model, 80)})`;
}

/** Whose turn an iteration is, and which. */
interface Begun {
  readonly at?: number;
  readonly iteration: number;
  readonly agent?: number;
  readonly heldUntilMs?: number;
}

function showBanner(page: Page, memory: Memory, begun: Begun): void {
  const { iteration } = begun;
  const { rule, bannerWidth } = page.marks;
  const most = memory.spec === undefined ? "" : `/${memory.spec.limits.iterations}`;
  // A turn that the service held back is not charged: its number comes round again.
  const again = memory.bannered === iteration ? ", again" : "";
  const noun = memory.spec?.kind === "supervise" ? "Attempt" : "Iteration";
  const title = `${rule}${rule} ${noun} ${iteration}${most}${again} ${rule}${rule}`;
  page.gap();
  page.status([page.paint.strong(title.padEnd(bannerWidth, rule))]);
  memory.bannered = iteration;
  forgetTurn(memory);
  showChange(page, memory, begun);
}

/** Says so when another agent has the turn than the one before. */
function showChange(page: Page, memory: Memory, { agent: number = 0, heldUntilMs = 0, at }: Begun): void {
  const nowMs = at ?? page.now();
  const isSame = memory.agent === number;
  memory.agent = number;
  if (isSame || memory.spec === undefined) return;
  const names = agentsOf(memory.spec).map((agent) => agentName(page, agent));
  const until = heldUntilMs > nowMs ? ` until ${formatMoment(heldUntilMs, page.now())}` : "";
  page.status([
    number === 0
      ? `${page.marks.info} ${names[0]} goes on again`
      : `${page.marks.wait} ${names[0]} is held back${until}; ${names[number] ?? "another"} goes on meanwhile`,
  ]);
}

/** Without a snapshot there is no way back: said once, when it can still be mended. */
function showUnkept(page: Page, memory: Memory, fault: string | undefined): void {
  if (fault === undefined || memory.toldUnkept) return;
  memory.toldUnkept = true;
  page.status([
    `${page.marks.warn} ${page.paint.warn("No snapshot, so no way back with ralph rollback:")} ${page.word(fault, 400)}`,
  ]);
}

function showWait(page: Page, step: Extract<Step, { do: "wait" }>): void {
  const until = formatMoment(step.untilMs, page.now());
  const long = formatDuration(step.untilMs - page.now());
  page.status([`${page.marks.wait} Waiting ${long}, until ${until}: ${page.word(step.why)}`]);
  const what = step.offline === true ? "a connection" : `the ${step.whom ?? "agent"}'s service`;
  page.live(() => {
    const left = formatCountdown(step.untilMs - page.now());
    return `${page.marks.wait} Waiting for ${what}: ${left} left (until ${until}). Ctrl-C stops.`;
  });
}

function showComparison(page: Page, event: Extract<LoopEvent, { type: "progress.judged" }>): void {
  const { marks, paint } = page;
  const reason = page.word(event.reason, 1000);
  if (event.progress === undefined)
    page.status([`${marks.warn} ${paint.warn("Progress not judged:")} ${reason}`]);
  else if (event.progress) page.status([`${marks.info} Progress, says the judge: ${reason}`]);
  else page.status([`${marks.warn} ${paint.warn("No progress, says the judge:")} ${reason}`]);
}

function showCommit(page: Page, event: Extract<LoopEvent, { type: "committed" }>): void {
  const { marks, paint } = page;
  const hash = event.commit === undefined ? "" : page.word(event.commit).slice(0, 7);
  if (event.error !== undefined) {
    const what = hash === "" ? "Commit failed" : `Committed ${hash}, but what came after failed`;
    page.status([`${marks.bad} ${paint.bad(`${what}:`)} ${page.word(event.error)} (the run goes on)`]);
  } else if (event.nothingToCommit) {
    page.status([`${marks.commit} Nothing to commit`]);
  } else {
    page.status([`${marks.ok} ${paint.good(hash === "" ? "SCM tasks done" : `Committed ${hash}`)}`]);
  }
}
