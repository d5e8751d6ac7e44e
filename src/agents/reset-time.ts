import { instantsOf, isTimeZone, utcOf, type WallTime, wallTimeAt } from "./zone-time.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const MOST_AHEAD_MS = 31 * DAY_MS;
/** Instants that Date can hold, with room for a zone's offset and a month. */
const MOST_MS = 8_000_000_000_000_000;
/** A reset time stands close behind the word that announces it. */
const TAIL_CHARS = 80;

/** Words that announce a time at which things get better. */
const ANNOUNCING = /resets?(?:[_ ]?at)?(?![a-z])|retry[-_ ]?after|retry|again|available|until|wait/gi;
const CONNECTING = /^(?:[\s:="'·∙-]|(?:at|on|in|after|is|for|about|time)\b)*/i;
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s?(Z\b|[+-]\d{2}:?\d{2}(?!\d))?)?/i;
const MONTH_DAY =
  /^([a-z]{3})[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(\d{4})(?![\d:]))?,?\s*(?:at\s+)?/i;
const TIME_12 = /^(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?\s*([ap])\.?m\b\.?/i;
const TIME_24 = /^(\d{1,2}):(\d{2})(?::(\d{2}))?(?!\d)/;
const ZONE = /^\s*(?:\(([A-Za-z][\w+-]*(?:\/[\w+-]+){0,2})\)|(UTC|GMT|[A-Za-z_]+\/[\w+-]+(?:\/[\w+-]+)?)\b)/;
const DURATION =
  /^(\d+(?:\.\d+)?)\s*(milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d)(?![a-z])[\s,]*(?:and\s+)?/i;
const UNIT_MS: readonly (readonly [RegExp, number])[] = [
  [/^(?:ms|mil)/i, 1],
  [/^s/i, 1000],
  [/^m/i, MINUTE_MS],
  [/^h/i, 60 * MINUTE_MS],
  [/^d/i, DAY_MS],
];

interface Clock {
  readonly nowMs: number;
  readonly zone: string | undefined;
}

interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
  readonly second: number | undefined;
  readonly rest: string;
}

/**
 * The time at which a limit is lifted, told from a service's own words; undefined when they tell none that can be true.
 * A time of day without a date is the next such time in the named zone (or the machine's); while its minute lasts it is
 * that minute, so that nobody waits a day for a reset that is due. A full date in the past is returned as it is.
 */
export function resetTimeIn(
  text: string,
  nowMs: number,
  options: { readonly timeZone?: string } = {},
): number | undefined {
  if (!(Math.abs(nowMs) <= MOST_MS)) return undefined;
  const zone = options.timeZone !== undefined && isTimeZone(options.timeZone) ? options.timeZone : undefined;
  const clock: Clock = { nowMs, zone };
  const found = [epochAfterPipe(text), ...announced(text, clock), ...bareIso(text, clock)];
  return found.find((ms) => ms !== undefined && Math.abs(ms) <= MOST_MS && ms - nowMs <= MOST_AHEAD_MS);
}

/** `limit reached|1763215200`, an old form of Claude's. */
function epochAfterPipe(text: string): number | undefined {
  const match = /\|\s*(\d{10}|\d{13})(?!\d)/.exec(text);
  return match === null ? undefined : epochMs(match[1] ?? "");
}

function announced(text: string, clock: Clock): (number | undefined)[] {
  return [...text.matchAll(ANNOUNCING)].map((match) => {
    const tail = text.slice(match.index + match[0].length, match.index + match[0].length + TAIL_CHARS);
    const words = tail.replace(CONNECTING, "");
    return (
      isoTime(words, clock) ??
      monthTime(words, clock) ??
      dayTime(words, clock) ??
      durationEnd(words, clock) ??
      bareNumber(words, match[0], clock)
    );
  });
}

/** A full ISO time anywhere. It may as well be the time of a log line, so only one that is still to come counts. */
function bareIso(text: string, clock: Clock): (number | undefined)[] {
  return [...text.matchAll(/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/g)]
    .map((match) => isoTime(text.slice(match.index, match.index + TAIL_CHARS), clock))
    .filter((ms) => ms !== undefined && ms > clock.nowMs);
}

function isoTime(words: string, clock: Clock): number | undefined {
  const match = ISO.exec(words);
  if (match === null) return undefined;
  const [whole, year, month, day, hour, minute, second, offset] = match;
  const wall = wallOf(Number(year), Number(month), Number(day), {
    hour: Number(hour ?? 0),
    minute: Number(minute ?? 0),
    second: Number(second ?? 0),
  });
  if (wall === undefined) return undefined;
  if (offset === undefined) return instantsOf(wall, zoneIn(words.slice(whole.length), clock))[0];
  return utcOf(wall) - offsetMs(offset);
}

function monthTime(words: string, clock: Clock): number | undefined {
  const match = MONTH_DAY.exec(words);
  const month = MONTHS.indexOf((match?.[1] ?? "").toLowerCase()) + 1;
  if (match === null || month === 0) return undefined;
  const after = words.slice(match[0].length);
  const time = timeOfDay(after) ?? { hour: 0, minute: 0, second: 0, rest: after };
  const zone = zoneIn(time.rest, clock);
  const years = match[3] === undefined ? yearsAround(clock.nowMs) : [Number(match[3])];
  const instants = years.flatMap((year) => {
    const wall = wallOf(year, month, Number(match[2]), { ...time, second: time.second ?? 0 });
    return wall === undefined ? [] : instantsOf(wall, zone);
  });
  // Without a year the closest such date is meant: early January, said in late December, is to come.
  const [closest] = instants.sort((a, b) => Math.abs(a - clock.nowMs) - Math.abs(b - clock.nowMs));
  if (closest === undefined || match[3] !== undefined) return closest;
  return clock.nowMs - closest <= MOST_AHEAD_MS ? closest : undefined;
}

function dayTime(words: string, clock: Clock): number | undefined {
  const time = timeOfDay(words);
  if (time === undefined) return undefined;
  const zone = zoneIn(time.rest, clock);
  const grace = time.second === undefined ? MINUTE_MS : 0;
  const instants = [-1, 0, 1, 2].flatMap((days) => {
    const date = new Date(utcOf(wallTimeAt(clock.nowMs, zone)) + days * DAY_MS);
    const wall = wallOf(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate(), {
      ...time,
      second: time.second ?? 0,
    });
    return wall === undefined ? [] : instantsOf(wall, zone);
  });
  return instants.sort((a, b) => a - b).find((ms) => ms + grace > clock.nowMs);
}

function durationEnd(words: string, clock: Clock): number | undefined {
  let rest = words;
  let total = 0;
  for (let match = DURATION.exec(rest); match !== null; match = DURATION.exec(rest)) {
    const unit = UNIT_MS.find(([name]) => name.test(match?.[2] ?? ""))?.[1] ?? 0;
    total += Number(match[1]) * unit;
    rest = rest.slice(match[0].length);
  }
  return rest === words ? undefined : Math.round(clock.nowMs + total);
}

/** A number alone: seconds after `retry-after`, otherwise only one that is long enough to be a date. */
function bareNumber(words: string, announcing: string, clock: Clock): number | undefined {
  const digits = /^(\d{1,13})(?![\d.:/\w-])/.exec(words)?.[1];
  if (digits === undefined) return undefined;
  if (digits.length === 10 || digits.length === 13) return epochMs(digits);
  return /after$/i.test(announcing) ? clock.nowMs + Number(digits) * 1000 : undefined;
}

function timeOfDay(words: string): TimeOfDay | undefined {
  const match = TIME_12.exec(words) ?? TIME_24.exec(words);
  if (match === null) return undefined;
  const half = match[4]?.toLowerCase();
  const hour = Number(match[1]);
  if (half === undefined ? hour > 23 : hour < 1 || hour > 12) return undefined;
  return {
    hour: half === undefined ? hour : (hour % 12) + (half === "p" ? 12 : 0),
    minute: Number(match[2] ?? 0),
    second: match[3] === undefined ? undefined : Number(match[3]),
    rest: words.slice(match[0].length),
  };
}

/** A wall time, if the calendar has that day and the clock that time. */
function wallOf(
  year: number,
  month: number,
  day: number,
  time: { readonly hour: number; readonly minute: number; readonly second: number },
): WallTime | undefined {
  const wall: WallTime = { year, month, day, hour: time.hour, minute: time.minute, second: time.second };
  if (wall.hour > 23 || wall.minute > 59 || wall.second > 59) return undefined;
  const date = new Date(utcOf(wall));
  return date.getUTCMonth() + 1 === month && date.getUTCDate() === day ? wall : undefined;
}

function zoneIn(rest: string, clock: Clock): string | undefined {
  const match = ZONE.exec(rest);
  const name = match?.[1] ?? match?.[2];
  return name !== undefined && isTimeZone(name) ? name : clock.zone;
}

function offsetMs(offset: string): number {
  if (/^z$/i.test(offset)) return 0;
  const digits = offset.replace(/\D/g, "");
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2));
  return (offset.startsWith("-") ? -minutes : minutes) * MINUTE_MS;
}

function yearsAround(nowMs: number): number[] {
  const year = new Date(nowMs).getUTCFullYear();
  return [year - 1, year, year + 1];
}

function epochMs(digits: string): number {
  return digits.length === 13 ? Number(digits) : Number(digits) * 1000;
}
