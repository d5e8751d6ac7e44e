const UNITS = ["", "K", "M", "B", "T"] as const;

/** A count of tokens, short: 950, 1.2K, 45K, 1.2M. */
export function formatTokens(tokens: number): string {
  let value = Math.round(atLeastZero(tokens));
  for (const unit of UNITS) {
    // From 999.5 on it would round to 1000 of this unit, which is 1 of the next.
    if (value < (unit === "" ? 1000 : 999.5)) return `${unit === "" ? value : short(value)}${unit}`;
    value /= 1000;
  }
  return `${Math.round(value * 1000)}T`;
}

/** A length of time: 850ms, 1.2s, 45s, 6m7s, 1h02m. */
export function formatDuration(ms: number): string {
  const rounded = Math.round(atLeastZero(ms));
  if (rounded < 1000) return `${rounded}ms`;
  if (rounded < 9950) return `${short(rounded / 1000)}s`;
  const seconds = Math.round(rounded / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${seconds % 60}s`;
  return `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, "0")}m`;
}

/** The time that is left, to the second: 45s, 12m 03s, 1h 02m 03s. */
export function formatCountdown(ms: number): string {
  const seconds = Math.ceil(atLeastZero(ms) / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return `${seconds}s`;
  const short = `${two(seconds % 60)}s`;
  if (minutes < 60) return `${minutes}m ${short}`;
  return `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m ${short}`;
}

/** Dollars: $5.76, with four places under a cent, where two would say that it was free. */
export function formatMoney(usd: number): string {
  const amount = atLeastZero(usd);
  if (amount === 0) return "$0.00";
  if (amount < 0.00005) return "<$0.0001";
  return amount < 0.00995 ? `$${amount.toFixed(4)}` : `$${Math.max(amount, 0.01).toFixed(2)}`;
}

/** The local time of day, HH:MM:SS. */
export function formatClock(atMs: number): string {
  const at = new Date(atMs);
  if (Number.isNaN(at.getTime())) return "--:--:--";
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(":");
}

/** A moment to come: the local time of day, with the date before it when that is not today. */
export function formatMoment(atMs: number, nowMs: number): string {
  const at = new Date(atMs);
  const now = new Date(nowMs);
  if (Number.isNaN(at.getTime()) || Number.isNaN(now.getTime())) return "an unknown time";
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} `;
  return `${at.toDateString() === now.toDateString() ? "" : date}${formatClock(atMs)}`;
}

/** A number with its noun: "1 line", "3 lines". */
export function count(number: number, noun: string, several = `${noun}s`): string {
  const known = atLeastZero(number);
  return `${known} ${known === 1 ? noun : several}`;
}

/** One decimal under ten, none from there on, and no ".0". */
function short(value: number): string {
  const tenths = Math.round(value * 10) / 10;
  return String(tenths < 10 ? tenths : Math.round(value));
}

/** Figures come from agents: what is no number counts as nothing. */
function atLeastZero(value: number): number {
  return Number.isFinite(value) && value > 0 ? value : 0;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
