import type { LoopEvent, Step } from "../../events.ts";
import { checksWork } from "../../spec.ts";
import { formatDuration } from "../format.ts";
import type { Memory } from "./memory.ts";
import type { Page } from "./page.ts";

type Judge = Extract<Step, { do: "judge" }>;
type Judged = Extract<LoopEvent, { type: "gate.judged" }>;

/** Shows that a guardrail starts; a further round says why the guardrails run once more. */
export function showGateStart(page: Page, memory: Memory, step: Judge): void {
  const { marks, paint } = page;
  const gates = memory.spec?.gates ?? [];
  const gate = gates[step.gate];
  // Files are looked at in a moment, and are worth a word only when something is wrong with them.
  if ((gate !== undefined && !checksWork(gate)) || (gate?.kind === "pristine" && step.iteration === 0))
    return;
  const before = memory.round;
  const isFurther = before?.iteration === step.iteration && step.round > before.round;
  if (before?.iteration !== step.iteration) {
    page.gap();
    if (step.iteration === 0 && !memory.found)
      page.status(["Before the agent starts, the guardrails show where things stand:"]);
  }
  if (isFurther) {
    const why = `Files changed while they were being checked: the guardrails run again (round ${step.round})`;
    page.status([`${marks.again} ${paint.warn(why)}`]);
  }
  memory.round = { iteration: step.iteration, round: step.round };

  const shown = gates.filter(checksWork);
  const number = gate === undefined ? step.gate + 1 : shown.indexOf(gate) + 1;
  const place = `${number}${shown.length > 0 ? `/${shown.length}` : ""}`;
  const title = `${kindOf(memory, step)} ${place}${gate === undefined ? "" : `: ${page.word(gate.name)}`}`;
  page.status([`${marks.gate} ${title}`]);
}

/** Shows what a guardrail found: its exit, and when it failed what is done about it and where to read more. */
export function showVerdict(page: Page, memory: Memory, event: Judged): void {
  const { marks, paint } = page;
  const { verdict } = event;
  remember(memory, event);
  const gate = memory.spec?.gates[event.gate];
  if (gate === undefined || checksWork(gate) || isWorthAWord(event)) tell(page, memory, event);
  for (const warning of verdict.warnings ?? []) {
    page.status([`${marks.warn} ${paint.warn(`${page.word(event.name)}: ${page.word(warning, 1000)}`)}`]);
  }
  const isLast = event.gate === (memory.spec?.gates.length ?? 0) - 1;
  if (isLast && memory.failing.length > 0 && claimsDone(memory)) {
    page.status([
      `${marks.bad} ${paint.bad("Claim refused:")} the agent says that it is done, the guardrails say that it is not`,
    ]);
  }
}

/** Files that are as they should be are no news. */
function isWorthAWord({ verdict }: Judged): boolean {
  return !verdict.pass && verdict.skipped === undefined;
}

function tell(page: Page, memory: Memory, event: Judged): void {
  const { marks, paint } = page;
  const { verdict } = event;
  if (verdict.skipped !== undefined) {
    if (event.iteration > 0)
      page.status([`${marks.info} ${page.word(event.name)} was not run: ${page.word(verdict.skipped)}`]);
    return;
  }
  const exit = verdict.exitCode === null ? [] : [`exit ${verdict.exitCode}`];
  const facts = [
    `${page.word(event.name)} ${paint.faint(`(${[...exit, formatDuration(verdict.wallMs)].join(", ")})`)}`,
    ...(verdict.reason === undefined ? [] : [page.word(verdict.reason)]),
    ...(verdict.passedOnRetry ? ["passed on its second run (flaky)"] : []),
    ...(verdict.pass ? [] : consequences(page, memory, event)),
  ].join(", ");
  const kind = kindOf(memory, event);
  page.status([
    verdict.pass
      ? `${marks.ok} ${paint.good(`${kind} passed:`)} ${facts}`
      : `${marks.bad} ${paint.bad(`${kind} failed:`)} ${facts}`,
    ...judgment(page, memory, event),
  ]);
}

function claimsDone({ claims, spec }: Memory): boolean {
  if (claims.done === true || claims.tasks === true) return true;
  const wanted = spec?.claim.response.trim().toLowerCase();
  return wanted !== "" && claims.response?.trim().toLowerCase() === wanted;
}

function remember(memory: Memory, event: Judged): void {
  if (event.gate === 0) memory.failing = [];
  // A red baseline is where the work begins, not what is left of it.
  if (event.verdict.pass || event.verdict.skipped !== undefined || event.iteration === 0) return;
  memory.failing = [...memory.failing, { name: event.name, logPath: event.verdict.logPath }];
}

function consequences(page: Page, memory: Memory, event: Judged): string[] {
  const action = memory.spec?.gates[event.gate]?.failAction;
  const isTold = event.iteration > 0 || memory.spec?.prompt.baselineFeedback === true;
  const log = page.word(event.verdict.logPath);
  return [
    ...(action !== undefined && isTold ? [`fail action ${page.word(action, 20)}`] : []),
    ...(log === "" ? [] : [`log ${log}`]),
  ];
}

/** What the judge said, where one was asked. */
function judgment(page: Page, memory: Memory, { gate, verdict }: Judged): string[] {
  const spec = memory.spec?.gates[gate];
  const said = verdict.judgment;
  if (spec?.kind !== "criterion" || spec.judged !== true || said === undefined) return [];
  const { suggestions = [] } = said;
  return [
    `   Judge: ${page.word(said.reason, 1000)}`,
    ...(verdict.pass ? [] : suggestions.map((one) => `   ${page.marks.dot} ${page.word(one, 500)}`)),
  ];
}

function kindOf({ spec, found }: Memory, { iteration, gate }: { iteration: number; gate: number }): string {
  if (iteration === 0 && !found) return "Baseline";
  return spec?.gates[gate]?.kind === "criterion" ? "Criterion" : "Guardrail";
}
