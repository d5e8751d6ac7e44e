import { readFileSync } from "node:fs";
import { UserError } from "../errors.ts";
import type { LoopEvent } from "../events.ts";

/** The events of a journal. A torn last line was never acknowledged and is left out; any other damage is told. */
export function readJournal(path: string): LoopEvent[] {
  const text = readFileSync(path, "utf8");
  const lines = text.split("\n");
  lines.pop(); // the rest after the last newline: empty, or torn
  return lines.map((line, index) => {
    try {
      return JSON.parse(line) as LoopEvent; // written by us, outside the agent's reach
    } catch (cause) {
      throw new UserError(
        "cannot read the run's journal",
        `line ${index + 1} of ${path} is damaged`,
        "Restore the file from a backup, or start a new run.",
        { cause },
      );
    }
  });
}
