/*
 * Digits are bounded so that no accepted duration reaches 2^31 ms (24.8 days): a timer set beyond that fires at once.
 * The same pattern stands in the published JSON Schema, so that the editor and the parser agree.
 */
const UNITS =
  "(?:(\\d{1,2}(?:\\.\\d{1,3})?)h)?(?:(\\d{1,4}(?:\\.\\d{1,3})?)m)?(?:(\\d{1,6}(?:\\.\\d{1,3})?)s)?(?:(\\d{1,8})ms)?";

/** What a duration looks like: `500ms`, `5s`, `1.5s`, `10m`, `2h`, `1h30m`; never zero. */
export const DURATION_PATTERN = new RegExp(`^(?=.*[1-9])${UNITS}$`);

/** The milliseconds of a duration, or undefined when it is none. */
export function parseDuration(text: string): number | undefined {
  const match = DURATION_PATTERN.exec(text);
  if (match === null) return undefined;
  const [hours, minutes, seconds, millis] = match.slice(1).map((part) => Number(part ?? 0));
  return Math.round(
    (hours ?? 0) * 3_600_000 + (minutes ?? 0) * 60_000 + (seconds ?? 0) * 1000 + (millis ?? 0),
  );
}

/** The shortest usual way to write a number of milliseconds as a duration. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${ms}ms`;
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor((ms % 3_600_000) / 60_000);
  const seconds = (ms % 60_000) / 1000;
  const parts = [
    hours > 0 ? `${hours}h` : "",
    minutes > 0 ? `${minutes}m` : "",
    seconds > 0 ? `${seconds}s` : "",
  ];
  return parts.join("");
}
