import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { resetTimeIn } from "../../src/agents/reset-time.ts";
import { instantsOf, wallTimeAt } from "../../src/agents/zone-time.ts";
import { costOf } from "../cost.ts";

const utc = { timeZone: "UTC" };
/** 2026-11-15, a Sunday, 18:30 UTC. */
const NOW = Date.UTC(2026, 10, 15, 18, 30);
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe("the time that words name", () => {
  it.each<[string, string]>([
    ["or try again at 7:27 PM.", "2026-11-15T19:27:00Z"],
    ["or try again at 6:27 PM.", "2026-11-16T18:27:00Z"],
    ["try again at Nov 16th, 2026 7:27 PM.", "2026-11-16T19:27:00Z"],
    ["try again at December 3rd, 2026 12:05 AM.", "2026-12-03T00:05:00Z"],
    ["You've hit your limit · resets 1pm (Asia/Seoul)", "2026-11-16T04:00:00Z"],
    ["You've hit your limit · resets 4:30am (Asia/Seoul)", "2026-11-15T19:30:00Z"],
    ["resets at 13:00", "2026-11-16T13:00:00Z"],
    ["resets at 23:59:30", "2026-11-15T23:59:30Z"],
    ["resets 12am", "2026-11-16T00:00:00Z"],
    ["resets 12pm", "2026-11-16T12:00:00Z"],
    ["resets 9\u202fPM UTC", "2026-11-15T21:00:00Z"],
    ["resets Nov 20, 9am (UTC)", "2026-11-20T09:00:00Z"],
    ["resets Nov 20 at 9:30am (Europe/Berlin)", "2026-11-20T08:30:00Z"],
    ["resets Nov 20, 2026, 9am (UTC)", "2026-11-20T09:00:00Z"],
    ["spend limit reached · resets Nov 21", "2026-11-21T00:00:00Z"],
    ["limit reached|1794772800", "2026-11-15T20:00:00Z"],
    ["limit reached|1794772800000", "2026-11-15T20:00:00Z"],
    ["resets at 1794772800", "2026-11-15T20:00:00Z"],
    ['"resetsAt":1794772800', "2026-11-15T20:00:00Z"],
    ["until 2026-11-15T20:00:00Z", "2026-11-15T20:00:00Z"],
    ["until 2026-11-15T20:00:00.123+01:00", "2026-11-15T19:00:00Z"],
    ["reset at 2026-11-15 20:00 (America/New_York)", "2026-11-16T01:00:00Z"],
    ["limited, next window 2026-11-15T20:00Z", "2026-11-15T20:00:00Z"],
    ["resets on 2026-11-16", "2026-11-16T00:00:00Z"],
    ["a full date in the past: resets Nov 1, 2026 9am", "2026-11-01T09:00:00Z"],
  ])("%s: %s", (words, time) => {
    expect(resetTimeIn(words, NOW, utc)).toBe(Date.parse(time));
  });

  it.each<[string, number]>([
    ["retry-after: 30", 30 * SECOND],
    ["Retry-After=30", 30 * SECOND],
    ["retry after 30 seconds", 30 * SECOND],
    ["Please try again in 1.5s.", 1500],
    ["try again in 20ms", 20],
    ["try again in 2m30s", 150 * SECOND],
    ["try again in 1h 5m", 65 * MINUTE],
    ["try again in 1 hour, 5 minutes and 10 seconds", 65 * MINUTE + 10 * SECOND],
    ["try again in 3 days 4 hours", 3 * DAY + 4 * HOUR],
    ["wait 45 secs", 45 * SECOND],
    ["available again in 10 min", 10 * MINUTE],
    ["resets in 59m", 59 * MINUTE],
    ["retry after 0", 0],
  ])("%s: in %d ms", (words, ms) => {
    expect(resetTimeIn(words, NOW, utc)).toBe(NOW + ms);
  });

  it.each([
    "",
    "try again in a moment",
    "try again later",
    "try again in 32 days",
    "retry-after: 99999999",
    "resets at 25:00",
    "resets at 13:61",
    "resets 13pm",
    "resets 0am",
    "resets Feb 30, 9am",
    "resets Foo 20, 9am",
    "resets May 20, 9am",
    "limit reached|17947728",
    "limit reached|9999999999",
    "until 2026-13-01T00:00:00Z",
    "until 2027-11-15T20:00:00Z",
    "2020-01-01T00:00:00Z ERROR too many requests",
    "attempt 3 of 10, line 30",
    "retry 30",
    "resets 5",
  ])("no time in %j", (words) => {
    expect(resetTimeIn(words, NOW, utc)).toBeUndefined();
  });

  it("passes over a time that cannot be and takes the next that can", () => {
    expect(resetTimeIn("resets in 90 days, try again in 5m", NOW, utc)).toBe(NOW + 5 * MINUTE);
    expect(resetTimeIn("2026-11-15T18:29:00Z WARN rate limited, try again in 5m", NOW, utc)).toBe(
      NOW + 5 * MINUTE,
    );
  });

  it("does not wait a day for the minute that has just begun", () => {
    const due = Date.UTC(2026, 10, 15, 19, 27);
    expect(resetTimeIn("try again at 7:27 PM", due + 59 * SECOND, utc)).toBe(due);
    expect(resetTimeIn("try again at 7:27 PM", due + MINUTE, utc)).toBe(due + DAY);
  });

  it("takes the closest date when no year is named", () => {
    const newYear = Date.UTC(2026, 11, 30);
    expect(resetTimeIn("resets Jan 2, 9am (UTC)", newYear, utc)).toBe(Date.UTC(2027, 0, 2, 9));
    expect(resetTimeIn("resets Dec 30, 9am (UTC)", Date.UTC(2027, 0, 1), utc)).toBe(
      Date.UTC(2026, 11, 30, 9),
    );
  });

  it("uses the machine's zone when none is named, or one that does not exist", () => {
    const here = new Date(2026, 10, 18, 11, 6).getTime();
    expect(resetTimeIn("try again at Nov 18th, 2026 11:06 AM", NOW)).toBe(here);
    expect(resetTimeIn("resets Nov 18, 2026, 11:06am (Mars/Olympus)", NOW)).toBe(here);
    expect(resetTimeIn("resets Nov 18, 2026, 11:06am", NOW, { timeZone: "Mars/Olympus" })).toBe(here);
  });
});

describe("clocks that are put forward and back", () => {
  const zone = { timeZone: "America/New_York" };
  // In 2026 spring forward is March 8 at 2:00 EST, fall back November 1 at 2:00 EDT.
  it.each<[string, string, string]>([
    ["resets 9am", "2026-03-08T05:00:00Z", "2026-03-08T13:00:00Z"],
    ["resets 9am", "2026-03-07T15:00:00Z", "2026-03-08T13:00:00Z"],
    ["resets 2:30am", "2026-03-08T05:00:00Z", "2026-03-08T07:30:00Z"],
    ["resets 9am", "2026-10-31T14:00:00Z", "2026-11-01T14:00:00Z"],
    ["resets 1:30am", "2026-11-01T04:00:00Z", "2026-11-01T05:30:00Z"],
    ["resets 1:30am", "2026-11-01T05:45:00Z", "2026-11-01T06:30:00Z"],
    ["resets 1:30am", "2026-11-01T06:45:00Z", "2026-11-02T06:30:00Z"],
  ])("%s at %s: %s", (words, now, time) => {
    expect(resetTimeIn(words, Date.parse(now), zone)).toBe(Date.parse(time));
  });

  it("knows both instants of a repeated hour and one for a skipped one", () => {
    const wall = { year: 2026, month: 11, day: 1, hour: 1, minute: 30, second: 0 };
    expect(instantsOf(wall, zone.timeZone)).toEqual([
      Date.UTC(2026, 10, 1, 5, 30),
      Date.UTC(2026, 10, 1, 6, 30),
    ]);
    expect(instantsOf({ ...wall, month: 3, day: 8, hour: 2 }, zone.timeZone)).toEqual([
      Date.UTC(2026, 2, 8, 7, 30),
    ]);
  });
});

describe("for all words, times and zones", () => {
  const zones = fc.constantFrom(
    "UTC",
    "America/New_York",
    "Europe/London",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "Pacific/Apia",
  );
  const now = fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2040, 0) });

  it("a time of day is the next one that a clock there shows", () => {
    const hour = fc.nat({ max: 23 });
    const minute = fc.nat({ max: 59 });
    fc.assert(
      fc.property(hour, minute, now, zones, (h, m, nowMs, timeZone) => {
        const words = `resets at ${h}:${String(m).padStart(2, "0")} (${timeZone})`;
        const at = resetTimeIn(words, nowMs) ?? Number.NaN;
        expect(at).toBeGreaterThan(nowMs - MINUTE);
        // A day on which the clock is put back is an hour longer.
        expect(at).toBeLessThanOrEqual(nowMs + 25 * HOUR);
        const shown = wallTimeAt(at, timeZone);
        const skipped = instantsOf({ ...shown, hour: h, minute: m, second: 0 }, timeZone).includes(at);
        expect((shown.hour === h && shown.minute === m) || skipped).toBe(true);
      }),
    );
  });

  it("an ISO time is read back exactly", () => {
    const ahead = fc.integer({ min: 0, max: 31 * DAY });
    fc.assert(
      fc.property(now, ahead, zones, (nowMs, ms, timeZone) => {
        const at = Math.floor((nowMs + ms) / SECOND) * SECOND;
        expect(resetTimeIn(`try again at ${new Date(at).toISOString()}`, nowMs, { timeZone })).toBe(at);
      }),
    );
  });

  it("a span is read back exactly", () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 29 }),
        fc.nat({ max: 23 }),
        fc.nat({ max: 59 }),
        fc.nat({ max: 59 }),
        now,
        (d, h, m, s, nowMs) => {
          const at = nowMs + d * DAY + h * HOUR + m * MINUTE + s * SECOND;
          expect(resetTimeIn(`try again in ${d}d ${h}h ${m}m ${s}s`, nowMs)).toBe(at);
          expect(resetTimeIn(`retry after ${d} days, ${h} hours, ${m} minutes and ${s} seconds`, nowMs)).toBe(
            at,
          );
        },
      ),
    );
  });

  it("never throws, and never names a time more than 31 days ahead", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "resets ",
        "try again ",
        "in ",
        "at ",
        "retry-after: ",
        "|",
        "Nov ",
        "9am",
        ":",
        "(UTC)",
        "(",
        "T",
        "Z",
        "-",
        "99",
      ),
      fc.nat().map(String),
      fc.string({ unit: "binary" }),
    );
    const words = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
    const anyNow = fc.oneof(
      now,
      fc.double(),
      fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -8.64e15, 8.64e15, 0),
    );
    fc.assert(
      fc.property(words, anyNow, (text, nowMs) => {
        const at = resetTimeIn(text, nowMs, utc);
        if (at !== undefined) {
          expect(Number.isFinite(at)).toBe(true);
          expect(at - nowMs).toBeLessThanOrEqual(31 * DAY);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it("is quick on long words that lead nowhere", () => {
    for (const words of ["resets at 9 ".repeat(2000), "Nov ".repeat(5000)])
      expect(costOf(() => resetTimeIn(words, NOW, utc))).toBeLessThan(2000);
  });
});
