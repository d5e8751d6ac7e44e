import type { Clock } from "../loop/clock.ts";

/** A clock that stands still until it is told to sleep, and then jumps there at once. */
export function fakeClock(startMs = 1_750_000_000_000): Clock & { readonly slept: readonly number[] } {
  let nowMs = startMs;
  const slept: number[] = [];
  return {
    slept,
    now: () => nowMs,
    sleepUntil: async (untilMs) => {
      slept.push(Math.max(0, untilMs - nowMs));
      nowMs = Math.max(nowMs, untilMs);
    },
  };
}
