import { mkdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RALPH_FOLDER, readPlainText } from "../config/read-file.ts";
import { ACTIVE_FILE } from "../files.ts";
import { type HookInput, projectOf } from "./input.ts";
import { isPlainId, watchedFolder } from "./places.ts";
import { transcriptSize } from "./transcript.ts";

/** The run on a task list whose agent's session this is. */
export interface AgentOf {
  readonly run: string;
  readonly project: string;
}

/** ralph answers the hooks of this session itself: those that it is also wired with have nothing to say. */
function isServed(env: NodeJS.ProcessEnv): boolean {
  return (env["RALPH_HOOKS_URL"] ?? "") !== "";
}

/** ralph names the run to the agents that it starts. Without that a session is its user's own, whatever runs in the folder. */
export function agentOf(env: NodeJS.ProcessEnv): AgentOf | undefined {
  const run = env["RALPH_RUN_ID"] ?? "";
  const project = env["RALPH_PROJECT"] ?? "";
  if (isServed(env) || !isPlainId(run) || !project.startsWith("/")) return undefined;
  const marker = statSync(join(project, ACTIVE_FILE), { throwIfNoEntry: false });
  return marker?.isFile() === true ? { run, project } : undefined;
}

/**
 * Where it is remembered what a session was told. The shell guards find it by the environment alone, so that is what names it: the
 * turn of the run, or the session that its program names to hooks.
 */
export function watchFolder(root: string, env: NodeJS.ProcessEnv): string | undefined {
  if (isServed(env)) return undefined;
  const agent = agentOf(env);
  const session = env["CLAUDE_CODE_SESSION_ID"] ?? "";
  const name = agent === undefined ? session : `${agent.run}.${env["RALPH_ITERATION"] ?? ""}.${session}`;
  return isPlainId(name) ? join(watchedFolder(root), name) : undefined;
}

/** What the context monitor knows from one look to the next. */
export interface Seen {
  /** The transcript up to here is of a conversation that was made shorter since. */
  readonly base: number;
  /** Up to here it was read. */
  readonly upTo: number;
  /** The last figure that stood in it. */
  readonly tokens?: number;
}

/** What was seen of a transcript; what cannot be understood was not seen. */
export function readSeen(folder: string): Seen {
  try {
    const value = JSON.parse(readPlainText(seenPath(folder), "") ?? "{}") as Partial<Seen> | null;
    const { base, upTo, tokens } = value ?? {};
    return {
      base: Number(base) || 0,
      upTo: Number(upTo) || 0,
      ...(typeof tokens === "number" ? { tokens } : {}),
    };
  } catch {
    return { base: 0, upTo: 0 };
  }
}

/** Remembers it. */
export function writeSeen(folder: string, seen: Seen): void {
  writeWhole(seenPath(folder), JSON.stringify(seen));
}

/**
 * Tells the shell guard when to ask again: when the transcript has so many bytes. Without a transcript it never does.
 */
export function askAgainAt(folder: string, transcript: string | undefined, bytes: number): void {
  const link = join(folder, "transcript");
  if (transcript === undefined) rmSync(link, { force: true });
  else putWhole(link, (own) => symlinkSync(transcript, own));
  writeWhole(join(folder, "next"), `${Math.min(Math.ceil(bytes), Number.MAX_SAFE_INTEGER)}\n`);
}

/** A session begins, or begins anew: every threshold can be told again. */
export function arm(input: HookInput, root: string, env: NodeJS.ProcessEnv): void {
  const folder = watchFolder(root, env);
  if (folder === undefined) return;
  if (agentOf(env) === undefined && !isAlways(projectOf(input, env))) {
    rmSync(folder, { recursive: true, force: true });
    return;
  }
  for (const name of ["told", "next", "transcript", "seen.json"]) {
    rmSync(join(folder, name), { recursive: true, force: true });
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (input.why !== "compact") return;
  // The file goes on behind what the agent has forgotten.
  const size = transcriptSize(input.transcript);
  writeSeen(folder, { base: size, upTo: size });
}

/** A session is over. */
export function disarm(root: string, env: NodeJS.ProcessEnv): void {
  const folder = watchFolder(root, env);
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}

/** Do the settings ask for the monitor in every session? What is wrong with them is told by others. */
function isAlways(project: string): boolean {
  const asked = ["settings.local.json", "settings.json"].map((name) => {
    try {
      const settings = JSON.parse(readPlainText(join(project, RALPH_FOLDER, name), name) ?? "{}") as {
        readonly contextMonitor?: unknown;
      } | null;
      return settings?.contextMonitor;
    } catch {
      return undefined;
    }
  });
  return asked.find((one) => one !== undefined) === "always";
}

function seenPath(folder: string): string {
  return join(folder, "seen.json");
}

function writeWhole(path: string, text: string): void {
  putWhole(path, (own) => writeFileSync(own, text, { mode: 0o600 }));
}

/** Two hooks may be at it at the same time: each makes its own, and the last one stays. */
function putWhole(path: string, make: (own: string) => void): void {
  const own = `${path}.${process.pid}`;
  rmSync(own, { force: true });
  make(own);
  renameSync(own, path);
}
