import { readFileSync } from "node:fs";
import { promiseIn } from "../claims/promise.ts";
import { messageOf } from "../errors.ts";
import { type LoopEvent, NO_USAGE } from "../events.ts";
import { systemClock } from "../loop/clock.ts";
import { sessionStatus } from "../loop/outcome.ts";
import { promptCopy } from "../loop/prompt-copy.ts";
import { promiseOf } from "../loop/session-state.ts";
import type { EventOf, LoopState } from "../loop/state.ts";
import { advance, iterationStarted } from "./advance.ts";
import type { Answer } from "./answer.ts";
import type { HookInput } from "./input.ts";
import { log } from "./log.ts";
import { holding, type OpenLoop, openLoop } from "./open-loop.ts";
import { isInSession, type Marker, readMarker, removeMarker } from "./places.ts";
import { saidLast, takeSpoken } from "./said.ts";
import { type ToolCalls, takeSpool } from "./spool.ts";
import { givesWay, openedAtMs, typedMeanwhile } from "./waiting.ts";
import { capLine, continuation, endLine, progressLine } from "./words.ts";

/** The session's agent wants to stop. Says whether it may, and where the loop stands; after a fault of ours it may. */
export async function onStop(input: HookInput, root: string): Promise<Answer> {
  try {
    return await judgeStop(input, root);
  } catch (error) {
    log(root, `the session was left to itself, for a fault of ralph's: ${messageOf(error)}`);
    // Whoever waits for the loop hears that it stands still.
    return { tell: `ralph: the loop stands still: ${messageOf(error)}. /cancel-ralph ends it.` };
  }
}

async function judgeStop(input: HookInput, root: string): Promise<Answer> {
  const marker = readMarker(root, input.session);
  if (input.isSub) return undefined;
  if (marker === undefined) {
    takeSpool(root, input.session); // nobody will ask for what it did
    return undefined;
  }
  if (input.background > 0) {
    log(root, `${marker.run}: ${input.background} tasks run in the background; not counted, not sent back`);
    const tasks = input.background === 1 ? "a task" : `${input.background} tasks`;
    return { tell: `ralph: the loop waits for ${tasks} in the background.` };
  }
  const answer = await holding(marker, () => stopped(input, root, marker));
  if (answer === undefined)
    log(root, `${marker.run}: another process works on it; the session was left to itself`);
  return answer?.say;
}

/** The service failed in the middle of a turn: nothing is decided, and whoever goes on finds the loop as it was. */
export function onStopFailure(input: HookInput, root: string): Answer {
  const marker = readMarker(root, input.session);
  if (marker === undefined) return undefined;
  log(
    root,
    `${marker.run}: the turn failed (${input.why}); it can be gone on with, also by ralph resume ${marker.run}`,
  );
  const onward = `say something to it, or go on without the session: ralph resume ${marker.run}`;
  return { tell: `ralph: the turn failed, and the loop stands still. To go on, ${onward}` };
}

async function stopped(input: HookInput, root: string, marker: Marker): Promise<{ say: Answer }> {
  const loop = openLoop(marker, input.session);
  if ("why" in loop) {
    log(root, `${marker.run}: the session may stop: ${loop.why}`);
    removeMarker(root, input.session);
    return { say: { tell: `ralph: the loop ${marker.run} is over for this session: ${loop.why}.` } };
  }
  const sinceMs = Math.max(loop.state.startedAtMs, openedAtMs(root, input.session));
  const look = () => typedMeanwhile(input.transcript, { from: marker.transcriptFrom, sinceMs });
  const typed = look();
  if (typed.cancel) {
    const by = "/cancel-ralph";
    const { state } = await advance(loop, [
      { type: "stop.requested", at: systemClock.now(), run: marker.run, by },
    ]);
    log(root, `${marker.run}: cancelled by the user, whose command waits for the end of the turn`);
    removeMarker(root, input.session);
    return { say: { tell: endLine(state) } };
  }
  if (typed.waiting.length > 0 && (await givesWay(root, input.session, look))) {
    log(root, `${marker.run}: a message waits for the agent; not counted, not sent back`);
    return {
      say: { tell: "ralph: a message waits for the agent and comes first; the loop goes on after it." },
    };
  }
  if (isAnswered(loop)) return { say: { goOn: keptPrompt(marker, loop.state) } };
  const tools = takeSpool(root, input.session);
  const turn = await turnOver(input, root, { loop, tools });
  const again = loop.state.phase === "prompted" ? [] : [beginAgain(loop)];
  const { state, judged } = await advance(loop, [...again, turn]);
  log(root, lineOf(loop, { turn, tools, judged, state }));
  // Who cancelled the loop while its checks ran does not want to hear of it any more.
  if (!isInSession(root, input.session, marker.run)) return { say: undefined };
  if (state.phase !== "ended") {
    const tell = isNearCap(loop, state) ? capLine(state) : progressLine(loop.spec, judged);
    return { say: { goOn: keptPrompt(marker, state), tell } };
  }
  removeMarker(root, input.session);
  if (state.outcome?.kind === "verified") {
    const { leaveReceipt } = await import("./workbench.ts");
    log(root, `${marker.run}: ${await leaveReceipt(marker)}`);
  }
  return { say: { tell: endLine(state) } };
}

/**
 * Two copies of this hook are asked about the same stop when the plugin is installed twice: the second began before the first
 * had answered, and repeats its words.
 */
function isAnswered({ recent }: OpenLoop): boolean {
  const last = recent.at(-1);
  if (last?.type !== "iteration.started" || last.iteration === 1) return false;
  const aheadMs = last.at - (Date.now() - process.uptime() * 1000);
  // Who waits longer for the lock gives up: an answer that is further ahead comes from a clock that was set back.
  return aheadMs > 0 && aheadMs < TOGETHER_MS;
}

const TOGETHER_MS = 5_000;

function keptPrompt({ folder }: Marker, { iteration }: LoopState): string {
  return readFileSync(promptCopy(folder, iteration), "utf8");
}

/** The turn as an event. What its agent claims stands in its last message, and nowhere else. */
async function turnOver(
  input: HookInput,
  root: string,
  { loop, tools }: { readonly loop: OpenLoop; readonly tools: ToolCalls },
): Promise<EventOf<"agent.exited">> {
  const { marker, spec, state, recent } = loop;
  const said = await saidLast(root, input, loop);
  const at = systemClock.now();
  const began = recent.findLast((event) => event.type === "iteration.started")?.at ?? at;
  const isUncounted = spec.session?.uncounted === true;
  return {
    type: "agent.exited",
    at,
    run: marker.run,
    iteration: Math.max(1, state.iteration),
    ending: { kind: "finished" },
    exitCode: null,
    claims: promiseIn(said, spec.claim) ? { promise: true } : {},
    usage: NO_USAGE,
    wallMs: Math.max(0, at - began),
    toolCalls: tools.count,
    denials: 0,
    ...(isUncounted && (await hasChanged(loop)) ? { changed: true } : {}),
    ...(takeSpoken(root, input.session) ? { spoken: true } : {}),
  };
}

async function hasChanged({ marker, state }: OpenLoop): Promise<boolean> {
  const { treeNow } = await import("./workbench.ts");
  const now = await treeNow(marker);
  return now !== undefined && state.measured !== undefined && now !== state.measured.tree;
}

/** A hook that was ended in the middle of its checks left an iteration half judged: what it found is forgotten. */
function beginAgain({ marker, spec, state }: OpenLoop): LoopEvent {
  return iterationStarted(marker, Math.max(1, state.iteration), continuation(spec, state));
}

/** The next time but one the program would end the turn without a word. */
function isNearCap({ spec }: OpenLoop, { sentBack }: LoopState): boolean {
  const most = spec.session?.mostBlocks ?? 0;
  return most > 0 && sentBack === Math.max(1, most - 1);
}

interface Story {
  readonly turn: EventOf<"agent.exited">;
  readonly tools: ToolCalls;
  readonly judged: LoopState;
  readonly state: LoopState;
}

const FOUND = {
  none: "no promise asked for",
  missing: "promise missing",
  "without-work": "promise rejected (no work)",
  stands: "promise found",
} as const;

/** One line of the log for a turn: which it was, what was found or rejected, and why. */
function lineOf({ marker, spec }: OpenLoop, { turn, tools, judged, state }: Story): string {
  const used = [...tools.byName].map(([name, count]) => `${name} ${count}`).join(", ");
  const heard = FOUND[promiseOf({ ...judged, claims: turn.claims }, spec)];
  const failed = judged.feedback.map(({ gate }) => spec.gates[gate]?.command ?? "").join("; ");
  const end =
    state.outcome === undefined
      ? `sent back (${turn.iteration} of ${spec.limits.iterations - 1})`
      : `${sessionStatus(state.outcome)} (${state.outcome.reason})`;
  return [
    `${marker.run} iteration ${turn.iteration}: ${heard}`,
    `${tools.count} tool calls${used === "" ? "" : ` (${used})`}`,
    ...(failed === "" ? [] : [`failed: ${failed}`]),
    ...(turn.spoken === true ? ["the user spoke"] : []),
    `${end}`,
  ].join("; ");
}
