import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../errors.ts";
import type { Answer } from "./answer.ts";
import { fillOf, measuresIn, nextLook, THRESHOLDS } from "./context.ts";
import type { HookInput } from "./input.ts";
import { agentOf, askAgainAt, readSeen, watchFolder, writeSeen } from "./watch.ts";

/** So many tokens of so many that fit. */
interface Used {
  readonly tokens: number;
  readonly window: number;
}

/** A tool was used. Tells the agent how full its context is, at each threshold once. */
export function notice(input: HookInput, root: string, env: NodeJS.ProcessEnv): Answer {
  const folder = watchFolder(root, env);
  if (folder === undefined || !isWatched(input, folder, env)) return undefined;
  mkdirSync(join(folder, "told"), { recursive: true, mode: 0o700 });
  const { transcript, contextTokens } = input;
  const measures = measuresIn(env);
  // A program that tells it itself is asked at each call: there is no file whose size the shell could look at.
  if (contextTokens !== undefined)
    return told(input, folder, { tokens: contextTokens, window: measures.window });
  if (transcript === undefined) {
    askAgainAt(folder, undefined, 0);
    return undefined;
  }
  const fill = fillOf(transcript, readSeen(folder), measures);
  if (fill === undefined) return undefined;
  writeSeen(folder, fill.seen);
  const answer = told(input, folder, { tokens: fill.tokens, window: measures.window });
  const next = THRESHOLDS.find(({ at }) => !existsSync(toldPath(folder, at)));
  askAgainAt(folder, transcript, nextLook(fill, next?.at, measures));
  return answer;
}

/** A subagent has a context of its own, of which nothing is known here. */
function told({ isSub }: HookInput, folder: string, used: Used): Answer {
  const words = isSub ? undefined : due(folder, used);
  return words === undefined ? undefined : { context: words };
}

/** Outside of runs only the session that the settings ask it for, and none that was started inside of it. */
function isWatched({ session }: HookInput, folder: string, env: NodeJS.ProcessEnv): boolean {
  if (agentOf(env) !== undefined) return true;
  return session === env["CLAUDE_CODE_SESSION_ID"] && existsSync(folder);
}

/** The words for the highest threshold that was passed; those below it are not told any more. */
function due(folder: string, { tokens, window }: Used): string | undefined {
  const used = (tokens / window) * 100;
  const passed = THRESHOLDS.filter(({ at }) => used >= at);
  const isNew = passed.map(({ at }) => claim(toldPath(folder, at))).at(-1) ?? false;
  const percent = Math.min(100, Math.floor(used));
  return isNew ? `About ${percent}% of the context window is used. ${passed.at(-1)?.words}` : undefined;
}

/** Of hooks that run at the same time one makes the file, and tells it. */
function claim(path: string): boolean {
  try {
    closeSync(openSync(path, "wx", 0o600));
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

function toldPath(folder: string, at: number): string {
  return join(folder, "told", String(at));
}
