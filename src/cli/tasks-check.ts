import { checkList } from "../tasks/check.ts";
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
  for (const { path, message } of faults) {
    process.stdout.write(`${oneLine(`${place.paths.tasks}${path === "" ? "" : ` ${path}`}: ${message}`)}\n`);
  }
  if (faults.length === 0) {
    const stories = list?.userStories.length ?? 0;
    process.stdout.write(
      `${place.paths.tasks} is valid: ${stories} ${stories === 1 ? "story" : "stories"}.\n`,
    );
  }
}
