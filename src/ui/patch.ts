import { clean } from "./clean.ts";
import type { Paint } from "./style.ts";

/** A diff for a terminal: what files hold cannot steer it, and the colours are ours. */
export function paintPatch(text: string, paint: Paint): string {
  return clean(text)
    .split("\n")
    .map((line) => paintLine(line, paint))
    .join("\n");
}

function paintLine(line: string, paint: Paint): string {
  if (/^(?:diff |index |--- |\+\+\+ |new file|deleted file|old mode|new mode|rename |similarity )/.test(line))
    return paint.strong(line);
  if (line.startsWith("@@")) return paint.tool(line);
  if (line.startsWith("+")) return paint.good(line);
  return line.startsWith("-") ? paint.bad(line) : line;
}
