import { selectStory } from "../tasks/select.ts";
import { cleanLine } from "../ui/clean.ts";
import { loadList, placeOf, rulesOf, type TaskFlags } from "./tasks-place.ts";

/** `ralph tasks next`: what the next iteration would be for. */
export function nextTask(flags: TaskFlags & { readonly json?: boolean }): void {
  const rules = rulesOf(flags);
  const next = selectStory(loadList(placeOf(flags), rules), rules);
  if (flags.json === true) {
    const chosen = next.kind === "story" ? { mode: next.mode, story: next.story } : null;
    process.stdout.write(`${JSON.stringify(chosen)}\n`);
  } else if (next.kind === "story") {
    const { id, title } = next.story;
    process.stdout.write(`${next.mode} ${cleanLine(id, 40, "…")}: ${cleanLine(title, 100, "…")}\n`);
  } else {
    process.stdout.write("Nothing is left to do: every story is done.\n");
  }
}
