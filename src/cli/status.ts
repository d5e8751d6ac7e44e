import type { RunSummary } from "../loop/summary.ts";
import { clean, cleanLine } from "../ui/clean.ts";
import { formatCountdown, formatDuration, formatMoment, formatMoney, formatTokens } from "../ui/format.ts";
import { findRun, summaryOf } from "./find-run.ts";
import { wordOf } from "./list.ts";
import { projectHere } from "./project.ts";

/** `ralph status [run]`: where a run stands, from its journal; works from another terminal. */
export function statusCommand(asked: string | undefined, flags: { json?: boolean }): void {
  const project = projectHere();
  const run = summaryOf(project, findRun(project, asked));
  const text = flags.json === true ? JSON.stringify(run) : describe(run).join("\n");
  process.stdout.write(`${text}\n`);
}

function describe(run: RunSummary): string[] {
  const now = Date.now();
  const rows: [string, string][] = [
    ["run", run.id],
    ["status", statusOf(run)],
    ["task", cleanLine(run.task, 200, "…")],
    ...(run.session === undefined ? [] : [["session", sessionOf(run.session)] as [string, string]]),
    ["agent", cleanLine([run.agent, ...run.fallback].join(", else "), 200, "…")],
    [
      "iterations",
      `${run.iterations} of ${run.maxIterations}${run.outcome === undefined ? doing(run, now) : ""}`,
    ],
    ...stories(run),
    ...heldBack(run, now),
    [
      "gates",
      run.criteria.length === 0 ? "none: a claim would be taken unchecked" : clean(run.criteria.join("; ")),
    ],
    ...(run.failing.length > 0 ? [["failing", clean(run.failing.join("; "))] as [string, string]] : []),
    ...(run.processes === undefined ? [] : [["processes", run.processes] as [string, string]]),
    ["used", `${formatMoney(run.costUsd)}, ${formatTokens(run.tokens)} tokens`],
    [
      "began",
      `${formatMoment(run.startedAt, now)}, ${formatDuration((run.endedAt ?? now) - run.startedAt)} in all`,
    ],
  ];
  if (run.endedAt === undefined) {
    rows.push(["last event", `${formatDuration(now - run.lastEventAt)} ago`]);
  }
  const next = nextStep(run);
  return [
    ...rows.map(([name, value]) => `${name.padEnd(12)}${value}`),
    ...(next === undefined ? [] : ["", next]),
  ];
}

/** How far the task list is, and which story is worked on. */
function stories({ tasks }: RunSummary): [string, string][] {
  if (tasks === undefined) return [];
  const { turn } = tasks;
  const done: [string, string] = ["stories", `${tasks.finished} of ${tasks.stories} finished`];
  if (turn === undefined) return [done];
  const story = `${cleanLine(turn.story, 100, "…")} (${turn.mode}): ${cleanLine(turn.title, 100, "…")}`;
  return [done, [turn.underWay ? "story now" : "last story", story]];
}

function doing(run: RunSummary, now: number): string {
  if (run.waitsUntil === undefined) return `, now ${PHASES[run.phase]}`;
  const left = run.waitsUntil - now;
  const until = formatMoment(run.waitsUntil, now);
  const service = `the ${run.waitsFor ?? "agent"}'s service`;
  if (run.interrupted) return `, held back by ${service} until ${until}`;
  return `, now waiting for ${service} until ${until}${left > 0 ? ` (${formatCountdown(left)} left)` : ""}`;
}

/** Who cannot work now, and who does instead. */
function heldBack(run: RunSummary, now: number): [string, string][] {
  if (run.outcome !== undefined) return [];
  return run.heldBack
    .filter(({ until }) => until > now)
    .map(({ agent, until, why }) => {
      const isReplaced = run.waitsUntil === undefined && run.turnOf !== agent;
      const instead = isReplaced ? `; ${cleanLine(run.turnOf, 80, "…")} goes on meanwhile` : "";
      const who = cleanLine(agent, 80, "…");
      return [
        "held back",
        `${who} until ${formatMoment(until, now)}${instead} (${cleanLine(why, 200, "…")})`,
      ];
    });
}

function statusOf(run: RunSummary): string {
  const word = wordOf(run);
  return run.outcome === undefined ? word : `${word}: ${clean(run.outcome.reason)}`;
}

function sessionOf({ agent, id, status }: NonNullable<RunSummary["session"]>): string {
  return cleanLine(`${agent} ${id}${status === undefined ? "" : `: ${status}`}`, 200, "…");
}

function nextStep(run: RunSummary): string | undefined {
  if (run.status === "running" && run.session !== undefined)
    return "To end it: /cancel-ralph in its session. To go on without the session: ralph resume";
  if (run.status === "running") return "To end it: ralph stop";
  return run.status === "success" ? undefined : "To go on with it: ralph resume";
}

const PHASES: Readonly<Record<RunSummary["phase"], string>> = {
  baseline: "running the gates before the first iteration",
  ready: "between two iterations",
  prompted: "at the agent's turn",
  judging: "running the gates",
  passed: "past its gates",
  worded: "committing",
  settled: "past its gates",
  ended: "over",
};
