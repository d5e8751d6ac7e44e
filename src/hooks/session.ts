import type { Answer } from "./answer.ts";
import type { HookInput } from "./input.ts";
import { log } from "./log.ts";
import { openLoop } from "./open-loop.ts";
import { forgetOldSessions, readMarker, removeMarker } from "./places.ts";
import { runHook } from "./run-hook.ts";
import { noteOpened } from "./waiting.ts";
import { arm, disarm } from "./watch.ts";
import { contract } from "./words.ts";

void runHook((input, root) => (input.event === "SessionEnd" ? ended(input, root) : began(input, root)));

/** A session that goes on, or whose conversation was made shorter, is told its task again: it may have forgotten it. */
function began(input: HookInput, root: string): Answer {
  forgetOldSessions(root, Date.now());
  arm(input, root, process.env);
  const { session, why } = input;
  const marker = readMarker(root, session);
  const loop = marker === undefined ? undefined : openLoop(marker, session);
  if (loop === undefined || "why" in loop) return undefined;
  if (why !== "compact") noteOpened(root, session);
  if (!/^(?:resume|compact)$/.test(why)) return undefined;
  return { context: contract(loop.spec) };
}

/** The loop stays: the same session may be opened again, and `ralph resume` goes on without it. One that was cleared is gone. */
function ended({ session, why }: HookInput, root: string): Answer {
  disarm(root, process.env);
  const marker = readMarker(root, session);
  if (marker === undefined) return undefined;
  log(
    root,
    `${marker.run}: the session ended (${why}); open it again, or go on without it: ralph resume ${marker.run}`,
  );
  if (why === "clear") removeMarker(root, session);
  return undefined;
}
