import { checkList } from "../tasks/check.ts";
import type { Fault } from "../tasks/list.ts";
import { oneLine, placeOf, readList, refuseUnfilled, rulesOf, type TaskFlags } from "./tasks-place.ts";

/** `ralph tasks check`: exit code 1 and every fault of the list with its path. */
export function checkTasks(flags: TaskFlags & { readonly json?: boolean }): void {
  const rules = rulesOf(flags);
  const place = placeOf(flags);
  const text = readList(place);
  if (flags.json !== true) refuseUnfilled(place, text);
  const { faults, list } = checkList(text, rules);
  if (faults.length > 0) process.exitCode = 1;
  if (flags.json === true) {
    process.stdout.write(`${JSON.stringify({ ok: faults.length === 0, faults })}\n`);
    return;
  }
  for (const fault of faults) process.stdout.write(`${faultLine(place.paths.tasks, fault)}\n`);
  if (faults.length === 0) {
    process.stdout.write(`${place.paths.tasks} is valid: ${storyCount(list?.userStories.length ?? 0)}.\n`);
  }
}

/** A fault as people read it: the file, the place in it, what is wrong there. */
export function faultLine(file: string, { path, message }: Fault): string {
  return oneLine(`${file}${path === "" ? "" : ` ${path}`}: ${message}`);
}

/** "1 story", "2 stories". */
export function storyCount(stories: number): string {
  return `${stories} ${stories === 1 ? "story" : "stories"}`;
}
