import { setTimeout as sleep } from "node:timers/promises";

/** Time, as a port: tests pass one that they move themselves. */
export interface Clock {
  now(): number;
  /** Resolves at that time, or as soon as the signal is aborted; never rejects. */
  sleepUntil(untilMs: number, signal: AbortSignal): Promise<void>;
}

/** A sleep of this length at most: a laptop that slept wakes up late otherwise, and long timers overflow. */
const LONGEST_NAP_MS = 60_000;

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleepUntil(untilMs, signal) {
    while (!signal.aborted && Date.now() < untilMs) {
      const napMs = Math.min(untilMs - Date.now(), LONGEST_NAP_MS);
      await sleep(Math.max(napMs, 0), undefined, { signal }).catch(() => {}); // aborted: the loop ends by itself
    }
  },
};
