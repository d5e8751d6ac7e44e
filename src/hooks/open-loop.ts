import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { lockOwner, takeLock } from "../journal/lock.ts";
import { LIVENESS } from "../loop/liveness.ts";
import type { RunSpec } from "../spec.ts";
import type { Marker } from "./places.ts";
import { readStanding, type Standing } from "./standing.ts";

/** A loop that is the session's to go on with. */
export interface OpenLoop extends Standing {
  readonly marker: Marker;
  readonly spec: RunSpec;
}

/** Why a loop is not the session's (any more). */
export interface NotOurs {
  readonly why: string;
}

/** Reads the loop that a session's marker names. Throws when its journal is damaged. */
export function openLoop(marker: Marker, session: string): OpenLoop | NotOurs {
  const { state, recent } = readStanding(marker);
  const { spec } = state;
  // A state that does not say whose it is is nobody's.
  if (spec?.session === undefined || spec.session.id !== session) return { why: "it is another session's" };
  if (state.phase === "ended") return { why: "it has ended" };
  if (!state.inSession) return { why: "it was resumed without the session" };
  if (lockOwner(join(dirname(marker.folder), "lock"), LIVENESS)?.run === marker.run)
    return { why: "another process drives it" };
  return { marker, spec, state, recent };
}

const PATIENCE_MS = 1_000;
const STEP_MS = 20;

/**
 * Does something with a run while nobody else does. Who holds the lock for longer than a moment is not waited for: undefined is
 * the answer then, and the session is left to itself.
 */
export async function holding<T>(marker: Marker, work: () => Promise<T>): Promise<T | undefined> {
  const path = join(marker.folder, "lock");
  if (!existsSync(marker.folder)) throw new Error(`${marker.folder} is gone`);
  const deadline = process.uptime() * 1000 + PATIENCE_MS;
  for (;;) {
    const lock = takeLock(path, marker.run, LIVENESS, Date.now());
    if (lock.held) {
      try {
        return await work();
      } finally {
        lock.release();
      }
    }
    if (process.uptime() * 1000 > deadline) return undefined;
    await sleep(STEP_MS);
  }
}
