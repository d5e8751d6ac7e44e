import { messageOf } from "../errors.ts";
import { systemClock } from "../loop/clock.ts";
import { sessionStatus } from "../loop/outcome.ts";
import { promptCopy } from "../loop/prompt-copy.ts";
import { advance } from "./advance.ts";
import type { HookInput } from "./input.ts";
import { log, logPath } from "./log.ts";
import { holding, openLoop } from "./open-loop.ts";
import { type Marker, readMarker, removeMarker } from "./places.ts";

/** Ends the loop of a session, whatever state it is in. Returns what to tell its user. */
export async function cancel(input: HookInput, root: string): Promise<string> {
  const { marker, damage } = markerHere(input, root);
  if (marker === undefined && damage === undefined) {
    removeMarker(root, input.session); // half of one, if anything
    return "There is no ralph loop in this session.";
  }
  let ended: string | undefined = damage;
  try {
    if (marker !== undefined) ended = await holding(marker, () => stop(marker, input.session));
  } catch (error) {
    ended = messageOf(error);
  }
  // Also when it could not be written down: nobody is kept in a loop that they want to leave.
  removeMarker(root, input.session);
  log(
    root,
    `${marker?.run ?? input.session}: cancelled by the user (${ended ?? "another process works on it"})`,
  );
  return "The ralph loop of this session is cancelled. The agent may stop.";
}

async function stop(marker: Marker, session: string): Promise<string> {
  const loop = openLoop(marker, session);
  if ("why" in loop) return loop.why;
  const at = systemClock.now();
  const { state } = await advance(loop, [
    { type: "stop.requested", at, run: marker.run, by: "/cancel-ralph" },
  ]);
  return state.outcome === undefined ? "" : sessionStatus(state.outcome);
}

/** Where the loop of a session stands, for its user. */
export function describeLoop(input: HookInput, root: string): string {
  const { marker, damage } = markerHere(input, root);
  if (damage !== undefined)
    return `The state of this session's ralph loop is damaged (${damage}). /cancel-ralph removes it.`;
  if (marker === undefined) return "There is no ralph loop in this session.";
  try {
    const loop = openLoop(marker, input.session);
    if ("why" in loop) return `The ralph loop ${marker.run} is not this session's any more: ${loop.why}.`;
    const { spec, state } = loop;
    const { promise = "" } = spec.claim;
    return [
      `A ralph loop is under way in this session: run ${marker.run}.`,
      `Told to go on ${Math.max(0, state.iteration - 1)} of ${spec.limits.iterations - 1} times; ${state.toolCalls} tool calls up to the last stop.`,
      promise === "" ? "It has no completion promise." : `It ends on <promise>${promise}</promise>.`,
      spec.gates.length === 0
        ? "Nothing is checked before that is believed."
        : `Checks: ${spec.gates.map(({ command }) => command).join("; ")}.`,
      `The log is ${logPath(root)}, the words it was last given ${promptCopy(marker.folder, state.iteration)}.`,
    ].join("\n");
  } catch (error) {
    return `The state of this session's ralph loop is damaged (${messageOf(error)}). /cancel-ralph removes it.`;
  }
}

/** How to bring the files back to what they were before the loop. */
export function describeRollback(input: HookInput, root: string): string {
  const { marker } = markerHere(input, root);
  const of = marker === undefined ? "" : ` --of ${marker.run}`;
  return [
    "A rollback changes files, so ralph asks before it does that, and cannot ask here.",
    `In a terminal in this project: ralph rollback${of} (or npx ralph-proof rollback${of}) shows what it would change, and ralph undo takes it back.`,
  ].join("\n");
}

function markerHere(
  { session }: HookInput,
  root: string,
): { readonly marker?: Marker; readonly damage?: string } {
  try {
    const marker = readMarker(root, session);
    return marker === undefined ? {} : { marker };
  } catch (error) {
    return { damage: messageOf(error) };
  }
}
