import { layers, mermaid, stateOf } from "../tasks/describe.ts";
import { cleanLine } from "../ui/clean.ts";
import { loadList, placeOf, rulesOf, type TaskFlags } from "./tasks-place.ts";

/** `ralph tasks graph`: the stories in the order that their dependencies ask for. */
export function graphTasks(flags: TaskFlags & { readonly mermaid?: boolean }): void {
  const list = loadList(placeOf(flags), rulesOf(flags));
  if (flags.mermaid === true) {
    process.stdout.write(`${mermaid(list)}\n`);
    return;
  }
  for (const { layer, story } of layers(list)) {
    const after = story.dependsOn.length === 0 ? "" : ` ← ${cleanLine(story.dependsOn.join(", "), 60, "…")}`;
    process.stdout.write(
      `${"  ".repeat(Math.min(layer, 20) - 1)}${cleanLine(story.id, 20, "…")} ${cleanLine(story.title, 60, "…")} (${stateOf(story)})${after}\n`,
    );
  }
}
