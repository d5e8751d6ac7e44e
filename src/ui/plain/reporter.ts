import type { Reporter } from "../reporter.ts";
import { showAgentEvent } from "./agent.ts";
import { freshMemory } from "./memory.ts";
import { openPage, type PageSetup } from "./page.ts";
import { showLoopEvent, showStep } from "./run.ts";

/** The reporter for people: what the agent says goes to `out`, everything else, line by line, to `err`. */
export function createPlainReporter(setup: PageSetup): Reporter {
  const page = openPage(setup);
  const memory = freshMemory();
  return {
    doing: (step) => safely(() => showStep(page, memory, step)),
    happened: (event) => safely(() => showLoopEvent(page, memory, event)),
    said: (_iteration, event) => safely(() => showAgentEvent(page, memory, event)),
    detail: (line) => safely(() => page.detail(line)),
  };
}

/** A terminal that was closed, or an event from a newer journal, must not end a run. */
function safely(show: () => void): void {
  try {
    show();
  } catch {
    // What cannot be shown is still in the journal.
  }
}
