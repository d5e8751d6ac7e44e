import type { LoopEvent } from "../events.ts";
import type { Journal } from "../journal/journal.ts";

/** A journal that lives in memory. */
export function memoryJournal(): Journal & { readonly events: readonly LoopEvent[] } {
  const events: LoopEvent[] = [];
  return {
    events,
    append: async (event) => {
      events.push(event);
    },
    close: async () => {},
  };
}
