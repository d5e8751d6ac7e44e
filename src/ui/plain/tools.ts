import type { AgentEvent } from "../../events.ts";
import { clean, cut } from "../clean.ts";
import { count } from "../format.ts";
import type { Memory } from "./memory.ts";
import type { Page } from "./page.ts";

type ToolStarted = Extract<AgentEvent, { type: "tool.started" }>;
type ToolEnded = Extract<AgentEvent, { type: "tool.ended" }>;

/** Shows a tool call: `⏺ Read(/path/to/file)`. */
export function showToolStart(page: Page, event: ToolStarted): void {
  const name = page.word(event.name, 60) || "tool";
  const summary = page.word(event.summary, 200);
  page.status(
    [`${page.marks.tool} ${page.paint.tool(name)}${summary === "" ? "" : `(${summary})`}`],
    event.sub,
  );
}

/** Shows what a tool call gave, named after its call; a result whose call was never seen has no name. */
export function showToolEnd(page: Page, memory: Memory, event: ToolEnded): void {
  const { marks, paint } = page;
  const called = memory.tools.get(event.callId);
  const head = event.ok
    ? `${marks.ok} ${paint.good("Result")}`
    : `${marks.bad} ${paint.bad(event.denied ? "Denied" : "Failed")}`;
  const name = called === undefined ? "" : ` ${marks.from} ${page.word(called, 60) || "tool"}`;
  const size =
    event.chars === 0 ? "no output" : `${count(event.lines, "line")}, ${count(event.chars, "char")}`;
  page.status([`${head}${name} ${paint.faint(`(${size})`)}`, ...preview(page, event)], event.sub);
}

/** The beginning of a tool's output, within the limits of the page, and how much was left out. */
function preview(page: Page, event: ToolEnded): string[] {
  const { maxOutputLines, maxOutputChars } = page.options;
  const { marks, paint } = page;
  const body = clean(event.output).replace(/^\n+/, "").trimEnd();
  if (body === "" || maxOutputLines <= 0 || maxOutputChars <= 0) return [];

  const all = body.split("\n");
  const shown: string[] = [];
  let left = maxOutputChars;
  for (const line of all.slice(0, maxOutputLines)) {
    if (left <= 0) break;
    shown.push(line.length > left ? cut(line, left) + marks.more : line);
    left -= line.length;
  }
  // The event holds the first part only: what it left out itself is counted too.
  const isWhole = event.output.length >= event.chars;
  const hidden = (isWhole ? all.length : Math.max(event.lines, all.length)) - shown.length;
  const lines = shown.map((line, index) => (index === 0 ? marks.hook : marks.under) + line);
  if (hidden > 0) lines.push(`${marks.under}${marks.more} +${count(hidden, "line")}`);
  return lines.map((line) => paint.faint(line.trimEnd()));
}
