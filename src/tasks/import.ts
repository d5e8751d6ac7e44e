import { isBlank, type Story, type TaskList } from "./list.ts";
import { isRecord } from "./schema.ts";

/** What was found in somebody else's list. */
export interface Imported {
  readonly stories: readonly Draft[];
  /** Stories that were already done there. They are left out: no review of ours has seen them. */
  readonly done: number;
  readonly description?: string;
  readonly branchName?: string;
}

/** A story before it has its place in the list. */
export type Draft = Pick<Story, "title" | "description" | "acceptanceCriteria" | "notes" | "dependsOn"> & {
  readonly id?: string;
  readonly priority?: number;
};

/** A stranger's text must not grow the list without bounds. */
const MOST_TEXT = 4000;

/** Reads a list from the text of a file: a `prd.json`, or Markdown with checkboxes. Undefined when it is neither. */
export function fromText(text: string): Imported | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return fromMarkdown(text); // no JSON: then it may be Markdown
  }
  return fromPrd(value);
}

/** Reads a list with `userStories`, as other loops write it. */
export function fromPrd(value: unknown): Imported | undefined {
  if (!isRecord(value) || !Array.isArray(value["userStories"])) return undefined;
  const all = value["userStories"].filter(isRecord).filter((story) => textOf(story["title"]) !== "");
  const open = all.filter((story) => story["passes"] !== true);
  const description = textOf(value["description"]);
  const branchName = textOf(value["branchName"]);
  return {
    done: all.length - open.length,
    ...(description === "" ? {} : { description }),
    ...(branchName === "" ? {} : { branchName }),
    stories: open.map((story) => ({
      ...(textOf(story["id"]) === "" ? {} : { id: textOf(story["id"]) }),
      ...(typeof story["priority"] === "number" && Number.isFinite(story["priority"])
        ? { priority: story["priority"] }
        : {}),
      title: textOf(story["title"]),
      description: textOf(story["description"]),
      acceptanceCriteria: textsOf(story["acceptanceCriteria"]),
      notes: textOf(story["notes"]),
      dependsOn: textsOf(story["dependsOn"]),
    })),
  };
}

const ITEM = /^(\s*)(?:[-*+]|\d+[.)])\s+(?:\[([ xX])\]\s+)?(\S.*)$/;

/** Reads Markdown: each box without a tick is a story, and what stands indented below it are its criteria. */
export function fromMarkdown(text: string): Imported | undefined {
  const stories: { title: string; criteria: string[]; isDone: boolean; indent: number }[] = [];
  let heading: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    heading ??= /^#\s+(\S.*)$/.exec(line)?.[1]?.trim();
    const [, space = "", box, words] = ITEM.exec(line) ?? [];
    if (words === undefined) continue;
    const indent = space.replaceAll("\t", "    ").length;
    const last = stories.at(-1);
    if (last !== undefined && indent > last.indent) last.criteria.push(textOf(words));
    else if (box !== undefined)
      stories.push({ title: textOf(words), criteria: [], isDone: box !== " ", indent });
  }
  if (stories.length === 0) return undefined;
  const open = stories.filter(({ isDone }) => !isDone);
  return {
    done: stories.length - open.length,
    ...(heading === undefined ? {} : { description: textOf(heading) }),
    stories: open.map(({ title, criteria }) => draft(title, criteria)),
  };
}

/** Reads what `gh issue list --json number,title,body` prints. */
export function fromIssues(value: unknown): Imported | undefined {
  if (!Array.isArray(value)) return undefined;
  const issues = value.filter(isRecord).flatMap((issue) => {
    const { number, body } = issue;
    const title = textOf(issue["title"]);
    return typeof number === "number" && title !== "" ? [{ number, title, body: textOf(body) }] : [];
  });
  return {
    done: 0,
    stories: issues
      .toSorted((one, other) => one.number - other.number)
      .map(({ number, title, body }) => {
        const boxes = fromMarkdown(body)?.stories.map((one) => one.title) ?? [];
        return { ...draft(title, boxes), id: `GH-${number}`, description: body };
      }),
  };
}

/** Puts the stories behind those of a list; ids that are taken get a new one. `isFresh`: the list is still the template. */
export function addStories(list: TaskList, imported: Imported, isFresh: boolean): TaskList {
  const kept = isFresh ? [] : list.userStories;
  const taken = new Set(kept.map(({ id }) => id));
  const names = new Map<string, string>();
  const lowest = Math.max(0, ...kept.map(({ priority }) => priority));
  const named = imported.stories.map((one) => {
    const id = one.id !== undefined && !taken.has(one.id) ? one.id : freeId(taken);
    taken.add(id);
    if (one.id !== undefined && !names.has(one.id)) names.set(one.id, id);
    return { ...one, id };
  });
  const stories = named.map(
    (one, index): Story => ({
      id: one.id,
      title: one.title,
      description: one.description,
      acceptanceCriteria: one.acceptanceCriteria.length > 0 ? one.acceptanceCriteria : [one.title],
      priority: lowest + (one.priority ?? index + 1),
      passes: false,
      reviewStatus: null,
      reviewCount: 0,
      reviewFeedback: "",
      notes: one.notes,
      // What is done elsewhere is not in the list, so nothing can wait for it.
      dependsOn: one.dependsOn.flatMap((id) => names.get(id) ?? []),
    }),
  );
  return {
    ...list,
    ...(isFresh && imported.description !== undefined ? { description: imported.description } : {}),
    ...(isFresh && imported.branchName !== undefined ? { branchName: imported.branchName } : {}),
    userStories: [...kept, ...stories],
  };
}

function draft(title: string, acceptanceCriteria: readonly string[]): Draft {
  return { title, description: "", acceptanceCriteria, notes: "", dependsOn: [] };
}

function freeId(taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const id = `US-${String(number).padStart(3, "0")}`;
    if (!taken.has(id)) return id;
  }
}

function textOf(value: unknown): string {
  if (typeof value !== "string") return "";
  const text = value.trim();
  return text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT).replace(/[\ud800-\udbff]$/, "")}…` : text;
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(textOf).filter((text) => !isBlank(text)) : [];
}
