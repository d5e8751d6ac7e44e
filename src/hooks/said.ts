import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { HookInput } from "./input.ts";
import type { OpenLoop } from "./open-loop.ts";
import { sessionFolder } from "./places.ts";
import { lastMessage } from "./transcript.ts";

/**
 * The last message of the session's main agent: told by the program, or the end of all that it says the agent said, or from the
 * transcript. Empty when the agent said nothing since the loop began.
 */
export async function saidLast(root: string, input: HookInput, loop: OpenLoop): Promise<string> {
  if (input.message !== undefined) return input.message;
  if (input.saidSince !== undefined) return sinceLastStop(root, input, input.saidSince);
  if (input.transcript === undefined) return "";
  return saidInTranscript(root, { ...input, transcript: input.transcript }, loop);
}

const PATIENCE_MS = 1_000;
const STEP_MS = 20;

/**
 * A program may ask us before it has written down what was said last: a message that was not there at the last stop, and that
 * asks for no more tools, is waited for, but not for long. An agent may have said nothing.
 */
async function saidInTranscript(
  root: string,
  { session, transcript }: HookInput & { readonly transcript: string },
  { marker, state }: OpenLoop,
): Promise<string> {
  const since = { from: marker.transcriptFrom, sinceMs: state.startedAtMs };
  const path = join(sessionFolder(root, session), "said");
  const before = existsSync(path) ? readFileSync(path, "utf8") : "";
  const deadline = process.uptime() * 1000 + PATIENCE_MS;
  for (;;) {
    const found = lastMessage(transcript, since);
    const isNew = found !== undefined && (found.message === "" || found.message !== before);
    if ((isNew && found.final) || process.uptime() * 1000 > deadline) {
      writeFileSync(path, found?.message ?? before, { mode: 0o600 });
      return isNew ? found.text : "";
    }
    await sleep(STEP_MS);
  }
}

/** A program that tells all since the user's prompt tells old promises again: what was there at the last stop is left out. */
function sinceLastStop(root: string, { session }: HookInput, all: string): string {
  const path = join(sessionFolder(root, session), "said");
  const before = existsSync(path) ? readFileSync(path, "utf8") : "";
  writeFileSync(path, all, { mode: 0o600 });
  return before !== "" && all.startsWith(before) ? all.slice(before.length) : all;
}

/** Remembers that the user said something: the program then counts anew how often it was told to go on. */
export function noteSpoken(root: string, session: string): void {
  writeFileSync(spokenPath(root, session), "", { mode: 0o600 });
}

/** Was anything said since this was last asked? */
export function takeSpoken(root: string, session: string): boolean {
  const path = spokenPath(root, session);
  if (!existsSync(path)) return false;
  rmSync(path, { force: true });
  return true;
}

function spokenPath(root: string, session: string): string {
  return join(sessionFolder(root, session), "spoken");
}
