const TIMEOUTS: Readonly<Record<string, number>> = { Stop: 7200, UserPromptSubmit: 120, SessionEnd: 3 };
const TIMEOUT = 30;

/** Seconds that the hook for one of our events may take; one that runs checks takes as long as they do. */
export function timeoutOf(event: string): number {
  return TIMEOUTS[event] ?? TIMEOUT;
}
