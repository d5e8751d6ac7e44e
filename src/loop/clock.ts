import { setTimeout as sleep } from "node:timers/promises";

/** Time, as a port: tests pass one that they move themselves. */
export interface Clock {
  now(): number;
  /**
   * Resolves at that time, or as soon as the signal is aborted; never rejects. A clock that is set back meanwhile makes the
   * wait no longer.
   */
  sleepUntil(untilMs: number, signal: AbortSignal): Promise<void>;
}

/** A sleep of this length at most: a laptop that slept wakes up late otherwise, and long timers overflow. */
const LONGEST_NAP_MS = 60_000;

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleepUntil(untilMs, signal) {
    // Two clocks: one goes on while the machine sleeps, the other is never set back. The first to get there counts.
    const enoughMs = performance.now() + (untilMs - Date.now());
    for (;;) {
      const leftMs = Math.min(untilMs - Date.now(), enoughMs - performance.now());
      if (signal.aborted || leftMs <= 0) return;
      await sleep(Math.min(leftMs, LONGEST_NAP_MS), undefined, { signal }).catch(() => {}); // aborted: we look again
    }
  },
};
