import { appendFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DeskPlace } from "../loop/desk.ts";
import type { Answer } from "./answer.ts";
import { guardAnswer } from "./guard-answer.ts";
import type { HookInput } from "./input.ts";
import { log } from "./log.ts";
import { notice } from "./notice.ts";
import type { Queue } from "./queue.ts";
import { onTaskStop, turnIn } from "./task-stop.ts";
import { arm, disarm } from "./watch.ts";

/** The turn that a question is about. */
export interface ServedPlace extends DeskPlace {
  readonly iteration: number;
  readonly oneStop: Queue;
}

type AnswerTo = (input: HookInput, place: ServedPlace) => Answer | Promise<Answer>;

/** What a running ralph answers its agents, by event. */
export const ANSWERS: ReadonlyMap<string, AnswerTo> = new Map<string, AnswerTo>([
  ["SessionStart", began],
  ["PostCompact", (input, place) => began({ ...input, why: "compact" }, place)],
  ["PreToolUse", guarded],
  ["PostToolUse", used],
  ["PostToolUseFailure", used],
  ["Stop", stopped],
  ["SessionEnd", ended],
]);

/** Seconds that an agent waits for each answer; a look at a large work tree takes its time. */
export const TIMEOUTS: Readonly<Record<string, number>> = Object.fromEntries(
  [...ANSWERS.keys()].map((event) => [event, event === "Stop" ? 120 : event === "SessionEnd" ? 3 : 30]),
);

function began(input: HookInput, { root, env }: ServedPlace): Answer {
  arm(input, root, env);
  return undefined;
}

/** The agent is about to use a tool. */
function guarded(input: HookInput, { guard, run, root }: ServedPlace): Answer {
  const place = guard();
  const answer = place === undefined ? undefined : guardAnswer(input, place);
  if (answer?.deny !== undefined)
    log(root, `${run}: denied ${input.tool.slice(0, 128)}: ${answer.deny.slice(0, 500)}`);
  return answer;
}

function ended(_: HookInput, { root, env }: ServedPlace): Answer {
  disarm(root, env);
  return undefined;
}

/** One after the other: each look at the work tree is a process, and who asks for many wants many. */
async function stopped(input: HookInput, { root, env, spec, folder, oneStop }: ServedPlace): Promise<Answer> {
  const turn = turnIn(spec, folder.folder);
  return turn === undefined ? undefined : oneStop(() => onTaskStop(input, { root, env, turn }));
}

/** A tool was used: it is written down, and the agent is told how full its context is. */
function used(input: HookInput, place: ServedPlace): Answer {
  record(input, place);
  return notice(input, place.root, place.env);
}

/** More than any run comes to: who writes on wants to fill the disk. */
const LARGEST_RECORD_BYTES = 64 * 1024 * 1024;

/** Writes down which tool was used in which run and iteration. */
function record({ event, session, tool }: HookInput, { run, iteration, folder }: ServedPlace): void {
  const path = join(folder.folder, "tools.ndjson");
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LARGEST_RECORD_BYTES) return;
  const failed = event === "PostToolUseFailure" ? { failed: true } : {};
  const call = {
    at: Date.now(),
    run,
    iteration,
    session: session.slice(0, 128),
    tool: tool.slice(0, 128),
    ...failed,
  };
  appendFileSync(path, `${JSON.stringify(call)}\n`, { mode: 0o600 });
}
