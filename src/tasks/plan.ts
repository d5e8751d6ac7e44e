import { quote } from "shlex";
import { RALPH_DIR } from "./files.ts";
import type { Fault, Story, TaskList } from "./list.ts";
import { closing, deriveSteps, fullSteps, opening, RULES, SECTIONS, SHAPE } from "./plan-text.ts";
import { isRecord, parseJson } from "./schema.ts";
import { PRD_TEMPLATE } from "./template-prd.ts";

/** `full`: the requirements are still to be written; `derive`: they are there, and only stories are wanted. */
export type PlanMode = "full" | "derive";

/** So many faults are told at once: the rest shows when these are mended. */
const MOST_FAULTS = 50;

/** Lines of the template that are neither headings nor comments: the heads of its tables. */
const FILLER = new Set(linesOf(PRD_TEMPLATE));

/** The mode that this `prd.md` asks for. Headings, comments and what the template came with are no content. */
export function planMode(prd: string | undefined): PlanMode {
  const isScaffold = linesOf(prd ?? "").every(
    (line) => FILLER.has(line) || /^#{1,6}(\s|$)/.test(line) || !/[\p{L}\p{N}]/u.test(line),
  );
  return isScaffold ? "full" : "derive";
}

/** What an agent is told that is to plan with the user. */
export function planInstructions({ mode, dir }: { readonly mode: PlanMode; readonly dir: string }): string {
  return page([
    [undefined, opening(dir)],
    ["What to do", mode === "full" ? fullSteps(dir) : deriveSteps(dir)],
    ...(mode === "full" ? [["The sections of prd.md", SECTIONS] as const] : []),
    ["Rules for the stories", RULES],
    ["The shape of tasks.json", SHAPE],
    ["At the end", closing(placeFlags(dir))],
  ]);
}

/** The flags that lead to this list, to be put behind a command; empty for the usual place. */
export function placeFlags(dir: string): string {
  return dir === RALPH_DIR ? "" : ` --ralph-dir ${quote(dir)}`;
}

/** What the agent is told first when its list was not good: a session of its own knows nothing of the one before. */
export function faultsAsTask(faults: readonly string[]): string {
  const shown = faults.slice(0, MOST_FAULTS).map((fault) => `- ${oneLine(fault)}`);
  const rest = faults.length - shown.length;
  return [
    "A session before this one has planned already, but ralph checked the result and found this:",
    "",
    ...shown,
    ...(rest > 0 ? [`- and ${rest} more`] : []),
    "",
    "Mend exactly this, keep what is good, and ask the user only where you cannot know. What planning is and how it is done follows.",
  ].join("\n");
}

/**
 * What `ralph tasks check` cannot know: planning approves nothing. A story comes out of it as one starts, or as it went in.
 * `before` is the text of the list before planning, whatever it was.
 */
export function planFaults(before: string | undefined, after: TaskList): Fault[] {
  const was = rawStories(before ?? "");
  return after.userStories.flatMap((story, index) => {
    const old = was.get(story.id);
    if (isFresh(story) || (old !== undefined && judged(old) === judged(story))) return [];
    const message =
      "must start with passes: false, reviewStatus: null, reviewCount: 0 and no reviewFeedback: planning reviews nothing";
    return [{ path: `userStories[${index}]`, message: `${message} (story ${story.id})` }];
  });
}

/** The skill `ralph-plan`: the same instructions for both modes, for an agent that was not started by `ralph plan`. */
export function planSkill(): string {
  const dir = RALPH_DIR;
  return page([
    [
      undefined,
      `---
name: ralph-plan
description: Plans a feature for a ralph loop with the user. Writes the requirements (ralph/prd.md) and derives the stories (ralph/tasks.json) from them, or only the stories when the requirements are written already. Use it for /ralph-plan, "plan this feature for ralph", "create a ralph prd" or "generate tasks for ralph".
---`,
    ],
    [undefined, opening(dir)],
    [
      "First",
      `If the folder \`${dir}/\` is not there, tell the user to run \`ralph init --tasks\`, and stop: planning needs the files that it makes.

Read \`${dir}/prd.md\`. If it is missing, empty, or holds headings, comments and empty tables only, plan in mode 1. If anything is written in
it, plan in mode 2.`,
    ],
    ["Mode 1: full planning", fullSteps(dir)],
    ["Mode 2: task derivation", deriveSteps(dir)],
    ["The sections of prd.md (mode 1)", SECTIONS],
    ["Rules for the stories", RULES],
    ["The shape of tasks.json", SHAPE],
    ["At the end", closing("")],
  ]);
}

function page(parts: readonly (readonly [heading: string | undefined, text: string])[]): string {
  return `${parts.map(([heading, text]) => (heading === undefined ? text : `## ${heading}\n\n${text}`)).join("\n\n")}\n`;
}

/** The lines that have something in them, without comments. One that is never closed is taken for text: better read than lost. */
function linesOf(text: string): string[] {
  let kept = "";
  let at = 0;
  for (;;) {
    const start = text.indexOf("<!--", at);
    const end = start < 0 ? -1 : text.indexOf("-->", start + 4);
    if (end < 0) break;
    kept += text.slice(at, start);
    at = end + 3;
  }
  return (kept + text.slice(at))
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function isFresh({ passes, reviewStatus, reviewCount, reviewFeedback }: Story): boolean {
  return !passes && reviewStatus === null && reviewCount === 0 && reviewFeedback === "";
}

/** What a review has judged: its verdict, and the criteria that it holds for. */
function judged(story: Readonly<Record<keyof Story, unknown>>): string {
  const { passes, reviewStatus, reviewCount, reviewFeedback, acceptanceCriteria } = story;
  return JSON.stringify([passes, reviewStatus, reviewCount, reviewFeedback, acceptanceCriteria]);
}

/** The stories of any text, by id: a list that is not in order may hold reviewed stories too. */
function rawStories(json: string): Map<unknown, Readonly<Record<string, unknown>>> {
  const parsed = parseJson(json);
  const stories = parsed.ok && isRecord(parsed.value) ? parsed.value["userStories"] : undefined;
  if (!Array.isArray(stories)) return new Map();
  return new Map(stories.filter(isRecord).map((story) => [story["id"], story]));
}

/** A fault holds the agent's own text; in a prompt it stays on its line. */
function oneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+/g, " ").slice(0, 500);
}
