import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HookInput } from "./input.ts";
import type { OpenLoop } from "./open-loop.ts";
import { sessionFolder } from "./places.ts";
import { lastMessage } from "./transcript.ts";

/**
 * The last message of the session's main agent: told by the program, or the end of all that it says the agent said, or from the
 * transcript. Empty when the agent said nothing since the loop began.
 */
export function saidLast(root: string, input: HookInput, { marker, state }: OpenLoop): string {
  if (input.message !== undefined) return input.message;
  if (input.saidSince !== undefined) return sinceLastStop(root, input, input.saidSince);
  if (input.transcript === undefined) return "";
  const since = { from: marker.transcriptFrom, sinceMs: state.startedAtMs };
  return lastMessage(input.transcript, since) ?? "";
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
  const isThere = existsSync(path);
  rmSync(path, { force: true });
  return isThere;
}

function spokenPath(root: string, session: string): string {
  return join(sessionFolder(root, session), "spoken");
}
