import type { AgentEvent, LimitScope, Todo } from "../../events.ts";
import { clean } from "../clean.ts";
import { formatMoment } from "../format.ts";
import type { Memory } from "./memory.ts";
import type { Page } from "./page.ts";
import { showToolEnd, showToolStart } from "./tools.ts";

/** Shows what the agent said, and keeps count of its tools even when nothing of it is to be shown. */
export function showAgentEvent(page: Page, memory: Memory, event: AgentEvent): void {
  remember(memory, event);
  const isAboutService = event.type === "limited" || event.type === "notice";
  if (!page.options.streamAgentOutput || (memory.wording && !isAboutService)) return;
  show(page, memory, event);
}

function remember(memory: Memory, event: AgentEvent): void {
  if (event.type === "tool.started") memory.tools.set(event.callId, event.name);
  if (event.type === "tool.ended" && !event.ok && !event.denied) memory.toolErrors += 1;
}

function show(page: Page, memory: Memory, event: AgentEvent): void {
  switch (event.type) {
    case "session":
      page.detail(`Agent session ${event.sessionId}${event.model ? `, model ${event.model}` : ""}`);
      break;
    case "text":
      // A subagent talks to its agent, not to the user: it is no part of the answer on the output stream.
      if (event.sub === undefined) page.speech(event.text);
      else showAside(page, "", event.text, event.sub);
      break;
    case "thinking":
      if (page.options.verbose) showAside(page, `${page.marks.thought} `, event.text, event.sub);
      break;
    case "tool.started":
      showToolStart(page, event);
      break;
    case "tool.ended":
      showToolEnd(page, memory, event);
      break;
    case "todos":
      showTodos(page, event.items);
      break;
    case "limited":
      showLimit(page, memory, event);
      break;
    case "notice":
      showNotice(page, event);
      break;
    case "unrecognised":
      page.detail(`Unrecognised line: ${page.word(event.line, 200)}`);
      break;
    case "usage":
    case "result":
      // Shown once, when the turn is over: a stream may hold several.
      break;
  }
}

/** Words that are not for the user, faint, under one mark. */
function showAside(page: Page, mark: string, text: string, sub: string | undefined): void {
  const [first, ...rest] = clean(text).trim().split("\n");
  if (first === undefined || first === "") return;
  const indent = mark === "" ? "" : "   ";
  page.status(
    [
      mark + page.paint.faint(first),
      ...rest.map((line) => (line === "" ? "" : indent + page.paint.faint(line))),
    ],
    sub,
  );
}

/** No list of a sane agent is longer, and a screen is not for the other ones. */
const MOST_TODOS = 50;

function showTodos(page: Page, items: readonly Todo[]): void {
  if (items.length === 0) return;
  const { marks, paint } = page;
  const done = items.filter((item) => item.state === "done").length;
  const lines = items.slice(0, MOST_TODOS).map((item) => {
    const text = page.word(item.text);
    if (item.state !== "active")
      return `  ${marks[item.state]} ${item.state === "done" ? paint.faint(text) : text}`;
    return `  ${marks.active} ${paint.strong(text)} ${marks.from} ACTIVE`;
  });
  if (items.length > MOST_TODOS) lines.push(`  ${marks.more} +${items.length - MOST_TODOS} more`);
  const percent = Math.round((done / items.length) * 100);
  page.gap();
  page.status([
    `${marks.todos} ${paint.strong("Todo List")}`,
    ...lines,
    `  ${marks.progress}Progress: ${done}/${items.length} (${percent}%)`,
  ]);
  page.gap();
}

/** Each scope in the words of a user who never read about scopes. */
export const SCOPE_WORDS: Readonly<Record<LimitScope, string>> = {
  rate: "Rate limit",
  quota: "Usage limit",
  context: "Context full",
  overload: "Service overloaded",
  offline: "No connection",
};

function showLimit(page: Page, memory: Memory, event: Extract<AgentEvent, { type: "limited" }>): void {
  const again =
    event.retryAtMs === undefined ? "retrying" : `retrying at ${formatMoment(event.retryAtMs, page.now())}`;
  const what = `${SCOPE_WORDS[event.scope]}: ${page.word(event.message)}`;
  page.status([`${page.marks.wait} ${page.paint.warn(what)} (${event.final ? "the agent gave up" : again})`]);
  if (event.final) memory.toldLimit = event.message;
}

function showNotice(page: Page, event: Extract<AgentEvent, { type: "notice" }>): void {
  const { marks, paint } = page;
  const text = page.word(event.text);
  if (event.level === "debug") page.detail(`Agent: ${text}`);
  else
    page.status([event.level === "warning" ? `${marks.warn} ${paint.warn(text)}` : `${marks.info} ${text}`]);
}
