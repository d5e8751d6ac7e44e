import { readFileSync } from "node:fs";
import { codeOf, messageOf, UserError } from "../errors.ts";
import type { LoopEvent } from "../events.ts";

/** The events of a journal. A torn last line was never acknowledged and is left out; any other damage is told. */
export function readJournal(path: string): LoopEvent[] {
  return eventsIn(textOf(path), path);
}

/** The same of a part of its text, which begins with a whole line. */
export function eventsIn(text: string, path: string): LoopEvent[] {
  const lines = text.split("\n");
  lines.pop(); // the rest after the last newline: empty, or torn
  return lines.map((line, index) => {
    const event = eventIn(line);
    if (event?.type === "run.started" && event.journal !== JOURNAL) {
      throw new UserError(
        "cannot read the run's journal",
        `${path} was written by ralph ${event.ralph}, in a way that this one does not know`,
        "Install that version, or start a new run.",
      );
    }
    if (event !== undefined) return event;
    throw new UserError(
      "cannot read the run's journal",
      `line ${index + 1} of ${path} is damaged`,
      "Restore the file from a backup, or start a new run.",
    );
  });
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new UserError(
      "cannot read the run's journal",
      `${path} cannot be read (${codeOf(cause) ?? messageOf(cause)})`,
      "Put it back as it was, or start a new run.",
      { cause },
    );
  }
}

/** The version of the journal that we write and read. */
const JOURNAL = 1;

/** Written by us, outside the agent's reach: that it is an event at all is enough. */
function eventIn(line: string): LoopEvent | undefined {
  try {
    const value = JSON.parse(line) as Partial<LoopEvent> | null;
    return typeof value?.type === "string" && typeof value.at === "number" ? (value as LoopEvent) : undefined;
  } catch {
    return undefined;
  }
}
