/** A time as a clock on a wall shows it. `month` counts from 1. */
export interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

const DAY_MS = 86_400_000;

/** Whether this machine knows a time zone of that name. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: name });
    return true;
  } catch {
    return false; // the only way that Intl has to say no
  }
}

/** What a wall clock in the zone (the machine's own when undefined) shows at an instant. */
export function wallTimeAt(ms: number, timeZone: string | undefined): WallTime {
  const format = new Intl.DateTimeFormat("en-US", {
    ...(timeZone === undefined ? {} : { timeZone }),
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const parts = new Map(format.formatToParts(ms).map((part) => [part.type, Number(part.value)]));
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  return {
    year: part("year"),
    month: part("month"),
    day: part("day"),
    hour: part("hour"),
    minute: part("minute"),
    second: part("second"),
  };
}

/**
 * The instants at which a wall clock in the zone shows this time, earliest first: two in the hour that autumn repeats.
 * A time that spring skips gives the instant at which a clock that was not put forward would show it.
 */
export function instantsOf(wall: WallTime, timeZone: string | undefined): number[] {
  const asUtc = utcOf(wall);
  if (!Number.isFinite(asUtc)) return [];
  const before = asUtc - offsetAt(asUtc - DAY_MS, timeZone);
  const after = asUtc - offsetAt(asUtc + DAY_MS, timeZone);
  const shown = [...new Set([before, after])].filter((ms) => utcOf(wallTimeAt(ms, timeZone)) === asUtc);
  return shown.length > 0 ? shown.sort((a, b) => a - b) : [before];
}

/** The wall time as if its zone were UTC, in milliseconds since 1970. */
export function utcOf(wall: WallTime): number {
  return Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute, wall.second);
}

function offsetAt(ms: number, timeZone: string | undefined): number {
  return utcOf(wallTimeAt(ms, timeZone)) - Math.floor(ms / 1000) * 1000;
}
