import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { readPlain } from "../files.ts";

/** What is known outside the journal of a session with a loop: which run it is. */
export interface Marker {
  readonly run: string;
  /** The run's own folder. */
  readonly folder: string;
  readonly project: string;
  /** What was said in the transcript before this byte was said before the loop. */
  readonly transcriptFrom: number;
  /** Another name that the session goes by in the environment of its hooks. */
  readonly alias?: string;
}

/** A session of an id that is no plain word cannot have a loop: it could not be told from a path. */
export function isPlainId(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(id);
}

/** One folder for each session with a loop. That it is there is all that the shell guards look at. */
export function sessionFolder(root: string, id: string): string {
  return join(root, "hooks", id);
}

/** Where tool calls are noted, for the next reader to take in. */
export function spoolFolder(root: string): string {
  return join(root, "spool");
}

/** Where it is remembered what sessions were told that have no loop of their own. */
export function watchedFolder(root: string): string {
  return join(root, "sessions");
}

const MARKER_BYTES = 64 * 1024;

/** The loop of a session; undefined when it has none. Throws when what stands there cannot be understood. */
export function readMarker(root: string, id: string): Marker | undefined {
  const path = markerPath(root, id);
  if (!isPlainId(id) || !existsSync(path)) return undefined;
  const value = JSON.parse(readPlain(path, MARKER_BYTES)) as Partial<Marker> | null;
  const { run, folder, project, transcriptFrom } = value ?? {};
  if (typeof run !== "string" || typeof folder !== "string" || typeof project !== "string") {
    throw new Error(`${path} is damaged`);
  }
  const alias = typeof value?.alias === "string" && isPlainId(value.alias) ? { alias: value.alias } : {};
  return { run, folder, project, transcriptFrom: Number(transcriptFrom) || 0, ...alias };
}

/** Marks a session as one with a loop, whole or not at all. */
export function writeMarker(root: string, id: string, marker: Marker): void {
  mkdirSync(spoolFolder(root), { recursive: true, mode: 0o700 });
  for (const name of [id, ...(marker.alias === undefined ? [] : [marker.alias])]) {
    mkdirSync(sessionFolder(root, name), { recursive: true, mode: 0o700 });
  }
  const path = markerPath(root, id);
  writeFileSync(`${path}.new`, JSON.stringify(marker), { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
}

/** The session has no loop any more. */
export function removeMarker(root: string, id: string): void {
  if (!isPlainId(id)) return;
  const alias = understood(root, id)?.alias;
  rmSync(sessionFolder(root, id), { recursive: true, force: true });
  // Sessions inside of another one's share its name: the guards find them by its folder.
  const shared = new Set(namesIn(join(root, "hooks")).map((other) => understood(root, other)?.alias));
  if (shared.has(id)) mkdirSync(sessionFolder(root, id), { recursive: true, mode: 0o700 });
  if (alias === undefined || shared.has(alias)) return;
  try {
    rmdirSync(sessionFolder(root, alias));
  } catch {
    // The other name is that of a session with a loop of its own.
  }
}

/** Is there a session that has this run? */
export function isInSession(root: string, id: string, run: string): boolean {
  return understood(root, id)?.run === run;
}

/** The loop of a session; undefined also when what stands there is damaged. */
function understood(root: string, id: string): Marker | undefined {
  try {
    return readMarker(root, id);
  } catch {
    return undefined;
  }
}

/** A session that was not heard of for so long is not coming back. */
const FORGOTTEN_MS = 30 * 24 * 60 * 60_000;

/** Removes what sessions left that ended without a word, long ago. */
export function forgetOldSessions(root: string, nowMs: number): void {
  for (const folder of [join(root, "hooks"), join(root, "guards"), watchedFolder(root), spoolFolder(root)]) {
    for (const name of namesIn(folder)) {
      const info = statSync(join(folder, name), { throwIfNoEntry: false });
      if (info !== undefined && nowMs - info.mtimeMs > FORGOTTEN_MS) {
        rmSync(join(folder, name), { recursive: true, force: true });
      }
    }
  }
}

/** Removes what was remembered of the sessions of a run's agents: those that were ended had no time to. */
export function forgetRun(root: string, run: string): void {
  for (const name of namesIn(watchedFolder(root)).filter((one) => one.startsWith(`${run}.`))) {
    rmSync(join(watchedFolder(root), name), { recursive: true, force: true });
  }
}

/** The names in a folder; none when there is no such folder. */
export function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function markerPath(root: string, id: string): string {
  return join(sessionFolder(root, id), "loop.json");
}
