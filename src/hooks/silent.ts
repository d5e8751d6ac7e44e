import type { Reporter } from "../ui/reporter.ts";

/** Nobody watches a hook: what matters is in the journal, and in the log. */
export const SILENT: Reporter = { doing: () => {}, happened: () => {}, said: () => {}, detail: () => {} };
