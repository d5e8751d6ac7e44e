import { setTimeout as sleep } from "node:timers/promises";

/** Time, as a port: tests pass one that they move themselves. */
export interface Clock {
  /** Milliseconds since 1970; never less than it said before. */
  now(): number;
  /** Resolves at that time, or as soon as the signal is aborted; never rejects. */
  sleepUntil(untilMs: number, signal: AbortSignal): Promise<void>;
}

/** A sleep of this length at most: a laptop that slept wakes up late otherwise, and long timers overflow. */
const LONGEST_NAP_MS = 60_000;

let aheadMs = Number.NEGATIVE_INFINITY;

/**
 * The machine's time, but it is never set back: a wait would get longer by as much. The timer that runs since the start
 * gives the pace; the clock on the wall is followed when it is ahead of it, as after a sleep of the machine.
 */
function now(): number {
  // Not `performance`: a hook that is asked at every stop of an agent does without what Node loads for it.
  const runsMs = process.uptime() * 1000;
  aheadMs = Math.max(aheadMs, Date.now() - runsMs);
  return Math.round(runsMs + aheadMs);
}

export const systemClock: Clock = {
  now,
  async sleepUntil(untilMs, signal) {
    while (!signal.aborted && now() < untilMs) {
      const napMs = Math.min(untilMs - now(), LONGEST_NAP_MS);
      await sleep(Math.max(napMs, 0), undefined, { signal }).catch(() => {}); // aborted: the loop ends by itself
    }
  },
};
