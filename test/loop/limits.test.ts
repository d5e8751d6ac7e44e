import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { waitUntil } from "../../src/loop/limits.ts";

const HOUR = 3_600_000;
const MONTH = 32 * 24 * HOUR;
const AT = 1_750_000_000_000;

const at = fc.integer({ min: AT, max: AT + 10 * MONTH });
const earlier = fc.nat({ max: 200 });
const seed = fc.string();
/** When the service says it is over, from the moment it says so. */
const toldIn = fc.oneof(fc.integer({ min: -MONTH, max: MONTH }), fc.constantFrom(0, 1, -1, MONTH));

/** The back-off without jitter, worked out another way. */
function backOff(times: number): number {
  let ms = 30_000;
  for (let n = 0; n < times && ms < HOUR; n++) ms *= 2;
  return Math.min(ms, HOUR);
}

describe("a wait for the agent's service", () => {
  it("never ends before the time that was told", () => {
    fc.assert(
      fc.property(at, toldIn, earlier, seed, (atMs, inMs, times, word) => {
        const until = waitUntil({ atMs, retryAtMs: atMs + inMs, earlier: times, seed: word });
        expect(until).toBeGreaterThanOrEqual(atMs + inMs);
      }),
    );
  });

  it("never spins: without a time to come, and from the second time on, it is at least the back-off", () => {
    const stale = fc.option(fc.integer({ min: -AT, max: 0 }), { nil: undefined });
    fc.assert(
      fc.property(at, stale, earlier, seed, (atMs, inMs, times, word) => {
        const retryAtMs = inMs === undefined ? undefined : atMs + inMs;
        const until = waitUntil({ atMs, retryAtMs, earlier: times, seed: word });
        expect(until - atMs).toBeGreaterThanOrEqual(backOff(times));
      }),
    );
    fc.assert(
      fc.property(at, toldIn, earlier, seed, (atMs, inMs, times, word) => {
        const until = waitUntil({ atMs, retryAtMs: atMs + inMs, earlier: times + 1, seed: word });
        expect(until - atMs).toBeGreaterThanOrEqual(backOff(times + 1));
      }),
    );
  });

  it("is bounded: by the told time or the back-off, and a tenth of the back-off more", () => {
    fc.assert(
      fc.property(at, toldIn, earlier, seed, (atMs, inMs, times, word) => {
        const until = waitUntil({ atMs, retryAtMs: atMs + inMs, earlier: times, seed: word });
        expect(until - atMs).toBeLessThanOrEqual(Math.max(inMs, backOff(times)) + backOff(times) / 10);
      }),
    );
  });

  it.each([1e300, Number.MAX_SAFE_INTEGER, Number.NaN, Number.POSITIVE_INFINITY, AT + 2 * MONTH])(
    "does not believe a reset at %s",
    (retryAtMs) => {
      const until = waitUntil({ atMs: AT, retryAtMs, earlier: 0, seed: "r" });
      expect(until - AT).toBeGreaterThanOrEqual(30_000);
      expect(until - AT).toBeLessThanOrEqual(33_000);
    },
  );

  it("is the same for the same facts, and another for another run or moment", () => {
    const waits = (word: string, atMs: number) =>
      waitUntil({ atMs, retryAtMs: undefined, earlier: 3, seed: word }) - atMs;
    fc.assert(
      fc.property(seed, at, (word, atMs) => {
        expect(waits(word, atMs)).toBe(waits(word, atMs));
      }),
    );
    const ofRuns = Array.from({ length: 100 }, (_, n) => waits(`run-${n}`, AT));
    const ofMoments = Array.from({ length: 100 }, (_, n) => waits("run", AT + n));
    for (const spread of [ofRuns, ofMoments]) {
      expect(new Set(spread).size).toBeGreaterThan(90);
      // Not only different: spread over the tenth that they may be.
      expect(Math.max(...spread) - Math.min(...spread)).toBeGreaterThan(backOff(3) / 20);
    }
  });

  it("grows from time to time, until it is an hour", () => {
    fc.assert(
      fc.property(at, seed, fc.nat({ max: 20 }), (atMs, word, times) => {
        const facts = { atMs, retryAtMs: undefined, seed: word };
        const one = waitUntil({ ...facts, earlier: times }) - atMs;
        const next = waitUntil({ ...facts, earlier: times + 1 }) - atMs;
        expect(next).toBeGreaterThan(Math.min(one, HOUR - 1));
      }),
    );
  });
});
