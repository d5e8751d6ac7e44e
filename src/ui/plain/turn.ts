import type { AgentEnding, LoopEvent, Usage } from "../../events.ts";
import type { RunSpec } from "../../spec.ts";
import { formatDuration, formatMoment, formatMoney, formatTokens } from "../format.ts";
import { SCOPE_WORDS } from "./agent.ts";
import { forgetTurn, type Memory } from "./memory.ts";
import type { Page } from "./page.ts";

type Exited = Extract<LoopEvent, { type: "agent.exited" }>;

/** Shows how the agent's turn ended and what it used: the Complete line, or why there is none. */
export function showTurnEnd(page: Page, memory: Memory, event: Exited): void {
  const figures = page.paint.faint(`(${turnFigures(event, memory.toolErrors)})`);
  page.gap();
  if (memory.spec?.kind === "supervise") {
    page.status([attemptLine(memory.spec, event)]);
    memory.claims = event.claims;
    forgetTurn(memory);
    return;
  }
  page.status([`${endingWords(page, memory, event.ending)} ${figures}`]);
  memory.claims = event.claims;
  forgetTurn(memory);
}

/** What became of one attempt of a supervised command, in the words of spec 002. */
function attemptLine(spec: RunSpec, event: Exited): string {
  const how = event.ending.kind === "killed" ? event.ending.why : `exit ${event.exitCode ?? "unknown"}`;
  const what =
    event.ending.kind === "not-started"
      ? `Fatal error: ${event.ending.message}`
      : event.exitCode === 0
        ? `Agent exited (${how})`
        : `Agent failed (${how})`;
  const { done, wait } = event.claims;
  if (done === true) return `Attempt ${event.iteration}: ${what}, DONE is there`;
  if (wait !== undefined)
    return `Attempt ${event.iteration}: ${what}, wait-without-restart signal detected (${wait})`;
  if (event.ending.kind === "not-started") return `Attempt ${event.iteration}: ${what}`;
  const isLast = event.iteration >= spec.limits.iterations;
  return `Attempt ${event.iteration}: ${what}, ${isLast ? "max restarts exceeded, stopping" : "restarting..."}`;
}

function endingWords(page: Page, memory: Memory, ending: AgentEnding): string {
  const { marks, paint } = page;
  const bad = (text: string) => `${marks.bad} ${paint.bad(text)}`;
  switch (ending.kind) {
    case "finished":
      return `${marks.ok} ${paint.good("Complete")}`;
    case "error":
      return bad(`Agent failed: ${page.word(ending.message)}`);
    case "unauthorised":
      return bad(`Agent was refused its log-in: ${page.word(ending.message)}`);
    case "not-started":
      return bad(`Agent could not be started: ${page.word(ending.message)}`);
    case "killed":
      return ending.why === "stopped" ? `${marks.stopped} ${KILLED.stopped}` : bad(killedWords(page, ending));
    case "limited": {
      if (ending.scope === "context") return bad(`Agent ran out of context: ${page.word(ending.message)}`);
      const told = memory.toldLimit === ending.message ? "" : `, ${page.word(ending.message)}`;
      const reset =
        ending.retryAtMs === undefined ? "" : `, resets at ${formatMoment(ending.retryAtMs, page.now())}`;
      return `${marks.wait} ${paint.warn(`Agent held back: ${SCOPE_WORDS[ending.scope].toLowerCase()}${told}${reset}`)}`;
    }
  }
}

const KILLED = {
  idle: "Agent killed: it was silent for too long (idle limit)",
  timeout: "Agent killed: it took too long (time limit)",
  stopped: "Agent ended: the run was stopped",
  limit: "Agent killed: it used more memory or processes than the sandbox allows",
  signal: "Agent killed from outside",
} as const;

function killedWords(page: Page, ending: Extract<AgentEnding, { kind: "killed" }>): string {
  const signal =
    ending.why === "signal" && ending.signal !== undefined ? ` by ${page.word(ending.signal, 20)}` : "";
  return `${KILLED[ending.why]}${signal}`;
}

function turnFigures(event: Exited, errors: number): string {
  const { usage } = event;
  return [
    ...(usage.costUsd > 0 ? [`cost: ${formatMoney(usage.costUsd)}`] : []),
    ...tokenFigures(usage),
    `tools: ${event.toolCalls}`,
    `errors: ${errors}`,
    ...(event.denials > 0 ? [`denied: ${event.denials}`] : []),
    `time: ${formatDuration(event.wallMs)}`,
  ].join(", ");
}

function tokenFigures(usage: Usage): string[] {
  const { outputTokens, cacheReadTokens } = usage;
  // The figures of a usage do not overlap; to a reader what came from the cache went in too.
  const inputTokens = usage.inputTokens + cacheReadTokens + usage.cacheWriteTokens;
  if (!(inputTokens > 0 || outputTokens > 0)) return [];
  const cached = cacheReadTokens > 0 ? ` (${formatTokens(cacheReadTokens)} cached)` : "";
  return [`tokens: ${formatTokens(inputTokens)} in${cached} / ${formatTokens(outputTokens)} out`];
}
