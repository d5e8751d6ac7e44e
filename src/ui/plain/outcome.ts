import type { LoopEvent, Outcome } from "../../events.ts";
import { count, formatDuration, formatMoney, formatTokens } from "../format.ts";
import type { Memory } from "./memory.ts";
import type { Page } from "./page.ts";

type Ended = Extract<LoopEvent, { type: "run.ended" }>;

/** Shows the last block of a run: how it ended, what it used, and what to do next. */
export function showOutcome(page: Page, memory: Memory, event: Ended): void {
  const { outcome } = event;
  const figures = page.paint.faint(runFigures(event));
  page.gap();
  page.status([
    `${headline(page, memory, outcome)} ${figures}`,
    ...[...advice(page, memory, outcome), ...wayBack(page, memory, event)].map((line) => `   ${line}`),
  ]);
}

function headline(page: Page, memory: Memory, outcome: Outcome): string {
  const { marks, paint } = page;
  const reason = sentence(page.word(outcome.reason, 1000));
  switch (outcome.kind) {
    case "verified":
      return `${marks.ok} ${paint.good("Verified:")} ${reason}`;
    case "claimed":
      return `${marks.warn} ${paint.warn("Claimed done; no guardrail was configured, so nothing was checked.")}`;
    case "exhausted":
      return `${marks.bad} ${paint.bad("Limit reached:")} ${reason}`;
    case "stuck":
      return `${marks.bad} ${paint.bad("Stuck:")} ${reason}`;
    case "failed":
      // The fault stands in full right above.
      return `${marks.bad} ${paint.bad("Failed:")} ${memory.faulted ? "the run could not go on, see above." : reason}`;
    case "waiting":
      return `${marks.needed} ${paint.warn("Waiting:")} ${reason}`;
    case "stopped":
      return `${marks.stopped} ${paint.warn(/^stopped\b/i.test(reason) ? capital(reason) : `Stopped: ${reason}`)}`;
  }
}

function advice(page: Page, memory: Memory, outcome: Outcome): string[] {
  switch (outcome.kind) {
    case "verified":
      return [];
    case "claimed":
      return ["Next: name your test command as a guardrail, and a run can end with proof."];
    case "exhausted":
      return [
        ...missing(page, memory),
        `Next: see what is left, then run again${higher(memory, outcome.limit)}.`,
      ];
    case "stuck":
      return ["Next: more of the same would not help; mend the cause, then run again."];
    case "failed":
      return memory.faulted || !outcome.fix ? [] : [`Fix: ${page.word(outcome.fix, 1000)}`];
    case "waiting":
      return outcome.needs === undefined
        ? ["Next: when what it waits for is there, go on: ralph resume"]
        : [`Needed: ${page.word(outcome.needs, 1000)}`, "Next: see to it, then go on: ralph resume"];
    case "stopped":
      return ["Next: what the agent changed is still there; to go on from it: ralph resume"];
  }
}

/** How to get rid of what a run that did not get there has done: with ralph, or without it. */
function wayBack(page: Page, memory: Memory, { outcome, snapshot, snapshotPath }: Ended): string[] {
  const gaveUp = ["exhausted", "stuck", "failed", "stopped"].includes(outcome.kind);
  if (!gaveUp || snapshotPath === undefined || memory.snapshot === snapshot) return [];
  const store = page.word(snapshotPath, 1000);
  return [
    `${page.marks.commit} Snapshots: ${store}`,
    "See what it did: ralph diff",
    "Rollback: ralph rollback",
    `Manual: git --git-dir='${store.replaceAll("'", "'\\''")}' checkout ralph/before-1 -- :/`,
  ];
}

/** What kept a run from being verified, as far as it was seen. */
function missing(page: Page, memory: Memory): string[] {
  if (memory.failing.length > 0) {
    return memory.failing.map(
      ({ name, logPath }) =>
        `Still failing: ${page.word(name)}${logPath === "" ? "" : `, log ${page.word(logPath)}`}`,
    );
  }
  if (memory.spec?.claim.needed === false) return [];
  const wanted = memory.spec?.claim.response.trim() ?? "";
  const got = memory.claims.response?.trim() ?? "";
  if (wanted === "" || wanted.toLowerCase() === got.toLowerCase()) return [];
  return [`Missing: the agent never ended with <response>${page.word(wanted)}</response>`];
}

function higher({ spec }: Memory, limit: string): string {
  const flag = spec?.kind === "supervise" ? "--max-restarts" : "--maximum-iterations";
  return limit === "iterations" ? `, with a higher ${flag} if it was getting there` : "";
}

function runFigures(event: Ended): string {
  return [
    count(event.iterations, "iteration"),
    ...(event.costUsd > 0 ? [formatMoney(event.costUsd)] : []),
    ...(event.tokens > 0 ? [`${formatTokens(event.tokens)} tokens`] : []),
    formatDuration(event.wallMs),
  ].join(", ");
}

function sentence(text: string): string {
  return text === "" || /[.!?…]$/.test(text) ? text : `${text}.`;
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
