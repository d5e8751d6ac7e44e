import * as v from "valibot";
import type { Story, TaskList } from "./list.ts";
import { checkSchema, isRecord, LIST_FIELDS, STORY_FIELDS } from "./schema.ts";

/** A list of the right shape, and what had to be left out to get it. */
export interface Salvaged {
  readonly list: TaskList;
  readonly undone: readonly string[];
}

/** What may be missing from a new story: everything but what only its author can say. */
const START = { passes: false, reviewStatus: null, reviewCount: 0, reviewFeedback: "", notes: "" };

/**
 * Makes a list of the right shape out of whatever stands in the file: a field that is malformed is as it was before, a new story
 * that cannot be understood is left out.
 */
export function salvage(before: TaskList, after: unknown): Salvaged {
  const parsed = checkSchema(after);
  if (parsed.ok) return { list: parsed.list, undone: [] };
  if (!isRecord(after)) return { list: before, undone: ["The task list is not a JSON object."] };
  const undone = parsed.faults.map(({ path, message }) => `${path} ${message}.`);
  const list = { ...after, ...wellFormed(LIST_FIELDS, after, before), userStories: storiesOf(before, after) };
  return { list: list as TaskList, undone };
}

function storiesOf(before: TaskList, after: Readonly<Record<string, unknown>>): readonly Story[] {
  if (!Array.isArray(after["userStories"])) return before.userStories;
  const known = new Map(before.userStories.map((story) => [story.id, story]));
  const taken = new Map<string, Story>();
  for (const raw of after["userStories"] as unknown[]) {
    if (!isRecord(raw) || typeof raw["id"] !== "string" || taken.has(raw["id"])) continue;
    const fields = wellFormed(STORY_FIELDS, raw, known.get(raw["id"]) ?? START);
    if (isWhole(fields)) taken.set(raw["id"], { ...raw, ...fields });
  }
  return [...taken.values()];
}

function isWhole(fields: object): fields is Story {
  return Object.keys(STORY_FIELDS).every((field) => Object.hasOwn(fields, field));
}

/** The fields that are well formed, and for the others what they were, where that is known. */
function wellFormed(
  fields: Readonly<Record<string, v.GenericSchema>>,
  raw: Readonly<Record<string, unknown>>,
  was: object,
): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  const old = new Map(Object.entries(was));
  for (const [name, schema] of Object.entries(fields)) {
    const parsed = v.safeParse(schema, raw[name]);
    if (parsed.success) found[name] = parsed.output;
    else if (old.has(name)) found[name] = old.get(name);
  }
  return found;
}
