import { isAbsolute, relative } from "node:path";
import type { LoopEvent } from "../events.ts";
import { isInside } from "../files.ts";
import { redact } from "../redact.ts";
import { agentsOf, type RunSpec } from "../spec.ts";
import { truncate } from "../text.ts";
import { claimsIn } from "./claims.ts";
import { seal } from "./digest.ts";
import { RECEIPT_VERSION, type Receipt } from "./schema.ts";
import { type KeptTasks, tasksPart } from "./tasks.ts";

type EventOf<T extends LoopEvent["type"]> = Extract<LoopEvent, { type: T }>;

/** What a receipt holds that no event tells. */
export interface Facts {
  readonly journal: Receipt["journal"];
  /** The first prompt as it was composed. */
  readonly prompt?: string;
  /** Absent outside git. */
  readonly work?: NonNullable<Receipt["work"]>;
  /** Of a run on a task list. */
  readonly tasks?: KeptTasks & { readonly isInTree: boolean };
}

/** The trees and commits that the events of a run name. */
export interface Named {
  readonly tree?: string;
  readonly base?: { readonly tree: string; readonly head?: string };
  readonly commit?: { readonly id: string; readonly iteration: number };
}

const MOST_PROMPT_CHARS = 8_000;

/** The receipt of a verified run, from its events and a few facts. Pure; undefined for a run that proved nothing. */
export function composeReceipt(events: readonly LoopEvent[], facts: Facts): Receipt | undefined {
  const [first] = events;
  const last = events.at(-1);
  if (first?.type !== "run.started" || last?.type !== "run.ended" || last.outcome.kind !== "verified")
    return undefined;
  const { spec, machine } = first;
  const means = events.findLast((event) => "means" in event && event.means !== undefined);
  return seal({
    receipt: RECEIPT_VERSION,
    run: first.run,
    ralph: first.ralph,
    startedAt: new Date(first.at).toISOString(),
    endedAt: new Date(last.at).toISOString(),
    asked: askedIn(spec, events, facts.prompt),
    reason: redact(last.outcome.reason),
    ...(facts.work === undefined ? {} : { work: facts.work }),
    ...(spec.work.kind === "tasks" && facts.tasks !== undefined
      ? { tasks: tasksPart(spec.work, facts.tasks, facts.tasks.isInTree) }
      : {}),
    gates: gatesIn(spec, events),
    claims: claimsIn(spec, events),
    totals: totalsIn(last, events),
    agents: agentsIn(spec, events),
    ...(machine === undefined ? {} : { machine }),
    ...(means !== undefined && "means" in means && means.means !== undefined
      ? { processes: means.means }
      : {}),
    journal: facts.journal,
  });
}

/** The trees and commits of a run, by its events. */
export function namedIn(events: readonly LoopEvent[]): Named {
  const tree = lastRound(events)[0]?.treeBefore;
  const begun = ofType(events, "iteration.started").find((event) => event.tree !== undefined);
  const made = ofType(events, "committed").findLast((event) => event.commit !== undefined);
  const last = ofType(events, "iteration.started").at(-1);
  return {
    ...(tree === undefined ? {} : { tree }),
    ...(begun?.tree === undefined
      ? {}
      : { base: { tree: begun.tree, ...(begun.head === undefined ? {} : { head: begun.head }) } }),
    // One of an earlier iteration holds an earlier tree.
    ...(made?.commit === undefined || made.iteration !== last?.iteration
      ? {}
      : { commit: { id: made.commit, iteration: made.iteration } }),
  };
}

function askedIn(spec: RunSpec, events: readonly LoopEvent[], prompt: string | undefined): Receipt["asked"] {
  const { work, project } = spec;
  const sent = ofType(events, "iteration.started")[0]?.promptSha256;
  const text = work.kind === "prompt" ? work.text : work.kind === "prompt-file" ? prompt : undefined;
  return {
    kind: work.kind,
    ...(work.kind === "prompt-file" ? { file: withoutHome(project, work.path) } : {}),
    ...(work.kind === "tasks" ? { file: `${work.dir}/tasks.json` } : {}),
    ...(text === undefined ? {} : { text: truncate(redact(text), MOST_PROMPT_CHARS).text }),
    ...(sent === undefined || work.kind === "none" ? {} : { sha256: sent }),
  };
}

/** Where a file is on the user's machine is nobody's business but theirs. */
function withoutHome(project: string, path: string): string {
  if (!isAbsolute(path)) return path;
  return isInside(project, path) ? relative(project, path) : (path.split(/[\\/]/).at(-1) ?? "");
}

function gatesIn(spec: RunSpec, events: readonly LoopEvent[]): Receipt["gates"] {
  const begun = events.findIndex(
    (event) => event.type === "iteration.started" || event.type === "done.found",
  );
  const before = ofType(events.slice(0, begun), "gate.judged");
  return lastRound(events).map(({ gate: number, name, verdict }) => {
    const gate = spec.gates[number];
    if (gate === undefined) throw new Error(`there is no gate ${number}`);
    const command = redact(gate.command);
    const earlier = before.findLast(
      (event) => event.gate === number && event.verdict.skipped === undefined,
    )?.verdict;
    const { whole, judgment } = verdict;
    return {
      name: redact(name),
      kind: gate.kind,
      command,
      ...(command === gate.command ? {} : { redacted: true as const }),
      timeoutMs: gate.timeoutMs,
      flaky: gate.flaky,
      exitCode: verdict.exitCode,
      wallMs: verdict.wallMs,
      ...(verdict.passedOnRetry === true ? { passedOnRetry: true as const } : {}),
      ...(whole === undefined ? {} : { output: { ...whole, tail: redact(whole.tail) } }),
      ...(earlier === undefined ? {} : { before: { pass: earlier.pass, exitCode: earlier.exitCode } }),
      ...(judgment === undefined
        ? {}
        : { judgment: { success: judgment.success, reason: redact(judgment.reason) } }),
      ...(verdict.warnings === undefined ? {} : { warnings: verdict.warnings.map(redact) }),
    };
  });
}

/** The verdicts that the run ended on. Every round begins with the first gate. */
function lastRound(events: readonly LoopEvent[]): EventOf<"gate.judged">[] {
  const all = ofType(events, "gate.judged");
  return all.slice(all.findLastIndex((event) => event.gate === 0));
}

function totalsIn(end: EventOf<"run.ended">, events: readonly LoopEvent[]): Receipt["totals"] {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = end.usage;
  return {
    iterations: end.iterations,
    resumed: ofType(events, "run.resumed").length,
    wallMs: end.wallMs,
    costUsd: end.costUsd,
    tokens: end.tokens,
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens,
  };
}

/** Who had the turns. */
function agentsIn(spec: RunSpec, events: readonly LoopEvent[]): Receipt["agents"] {
  const main = agentsOf(spec);
  const reviewer = spec.work.kind === "tasks" ? spec.work.reviewer : undefined;
  const all = reviewer === undefined ? main : [...main, reviewer];
  const had = turnsIn(events, main.length);
  return all.flatMap(({ kind, command, model }, number) => {
    const turns = had.filter(({ whose }) => whose === number).map(({ turn }) => turn);
    if (turns.length === 0) return [];
    const models = turns.flatMap((turn) => turn.model ?? model ?? []);
    return [
      {
        kind,
        command: redact(command),
        models: [...new Set(models)].map(redact),
        versions: [...new Set(turns.flatMap((turn) => turn.version ?? []))].map(redact),
        turns: turns.length,
      },
    ];
  });
}

/** Every turn and the number of whoever had it. A reviewer comes after all others. */
function turnsIn(
  events: readonly LoopEvent[],
  reviewer: number,
): { readonly turn: EventOf<"agent.exited">; readonly whose: number }[] {
  let main = 0;
  return events.flatMap((event) => {
    if (event.type === "iteration.started") main = event.task?.reviewer === true ? reviewer : 0;
    return event.type === "agent.exited" ? [{ turn: event, whose: event.agent ?? main }] : [];
  });
}

function ofType<T extends LoopEvent["type"]>(events: readonly LoopEvent[], type: T): EventOf<T>[] {
  return events.filter((event): event is EventOf<T> => event.type === type);
}
