import * as v from "valibot";
import { type Fault, isBlank, type Story, type TaskList } from "./list.ts";

/*
 * Check 1: the shape of the list. Every key that the review cycle needs must be there; notes, descriptions, dependencies and
 * commands may be left out and are then empty; unknown keys are kept, for lists have other readers too.
 */

/** An agent that writes stories without end must not keep ralph busy with them. */
export const MOST_STORIES = 1000;
const MOST_LEVELS = 100;

const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/;
const NON_NEGATIVE = "must be a non-negative integer";
const STATUS = 'must be null or one of "needs_review", "changes_requested", "approved"';
const CRITERIA = "must be a non-empty array of strings";

const text = v.string("must be a string");
const texts = v.array(v.string("must be a string"), "must be an array of strings");

/** The known fields of a story, one schema each: what is malformed can be told from what is not. */
export const STORY_FIELDS = {
  id: v.pipe(
    text,
    v.check((id) => !isBlank(id), "must not be blank"),
    v.maxLength(100, "must not be longer than 100 characters"),
    // An id stands in prompts and on screens, in ralph's own words.
    v.check((id) => !UNPRINTABLE.test(id), "must not hold line breaks or control characters"),
  ),
  title: text,
  description: v.optional(text, ""),
  acceptanceCriteria: v.pipe(v.array(v.string("must be a string"), CRITERIA), v.minLength(1, CRITERIA)),
  priority: v.pipe(v.number("must be a number"), v.finite("must be a number")),
  passes: v.boolean("must be a boolean"),
  reviewStatus: v.nullable(v.picklist(["needs_review", "changes_requested", "approved"], STATUS)),
  reviewCount: v.pipe(v.number(NON_NEGATIVE), v.safeInteger(NON_NEGATIVE), v.minValue(0, NON_NEGATIVE)),
  reviewFeedback: text,
  notes: v.optional(text, ""),
  dependsOn: v.optional(texts, []),
};

/** The known fields of a list, but for its stories. */
export const LIST_FIELDS = {
  project: text,
  branchName: text,
  description: text,
  verifyCommands: v.optional(texts, []),
};

const LIST = object({
  ...LIST_FIELDS,
  userStories: v.pipe(
    v.array(object(STORY_FIELDS), "must be an array of stories"),
    v.maxLength(MOST_STORIES, `must not hold more than ${MOST_STORIES} stories`),
  ),
});

/** A list, or all that is wrong with it. */
export type Parsed =
  | { readonly ok: true; readonly list: TaskList }
  | { readonly ok: false; readonly faults: readonly Fault[] };

/** Reads the text of a `tasks.json`. */
export function parseList(json: string): Parsed {
  const value = parseJson(json);
  return value.ok ? checkSchema(value.value) : { ok: false, faults: [value.fault] };
}

/** The value that a text holds, or why it is no JSON. */
export function parseJson(
  json: string,
): { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly fault: Fault } {
  try {
    const value: unknown = JSON.parse(json.replace(/^\uFEFF/, ""));
    if (!isTooDeep(value)) return { ok: true, value };
    return { ok: false, fault: { path: "", message: `is nested more than ${MOST_LEVELS} levels deep` } };
  } catch (error) {
    return { ok: false, fault: { path: "", message: `is not valid JSON (${String(error)})` } };
  }
}

/** What is nested without end can be read, but not written again. */
function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= MOST_LEVELS; depth++) {
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
    if (level.length === 0) return false;
  }
  return true;
}

/** Check 1 on a value that was parsed: every fault, not only the first. */
export function checkSchema(value: unknown): Parsed {
  const parsed = v.safeParse(LIST, value);
  const faults = [...(parsed.issues ?? []).map(faultOf), ...acrossFields(value)];
  return parsed.success && faults.length === 0
    ? { ok: true, list: parsed.output }
    : { ok: false, faults: faults.map((fault) => naming(fault, value)) };
}

/** The text of a list as ralph writes it. */
export function formatList(list: TaskList): string {
  return `${JSON.stringify(list, null, 2)}\n`;
}

/** Has nobody written a story yet? Also true of the template, which is no valid list. */
export function isUnfilled(value: unknown): boolean {
  if (!isRecord(value) || !Array.isArray(value["userStories"])) return false;
  return value["userStories"].every(
    (story: unknown) =>
      isRecord(story) &&
      typeof story["title"] === "string" &&
      isBlank(story["title"]) &&
      Array.isArray(story["acceptanceCriteria"]) &&
      story["acceptanceCriteria"].length === 0,
  );
}

/** Is this an object with keys, and no array? */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function object<const E extends v.ObjectEntries>(entries: E) {
  return v.pipe(v.unknown(), v.check(isRecord, "must be an object"), v.looseObject(entries, "is required"));
}

function faultOf(issue: v.BaseIssue<unknown>): Fault {
  const path = (issue.path ?? []).reduce(
    (way, { key }) =>
      typeof key === "number" ? `${way}[${key}]` : `${way === "" ? "" : `${way}.`}${String(key)}`,
    "",
  );
  return { path, message: issue.message };
}

/** What no field can tell by itself. Looks at the raw value, so that it is told beside everything else. */
function acrossFields(value: unknown): Fault[] {
  if (!isRecord(value) || !Array.isArray(value["userStories"])) return [];
  const first = new Map<string, number>();
  return value["userStories"].flatMap((story: unknown, index): Fault[] => {
    if (!isRecord(story)) return [];
    const faults: Fault[] = [];
    const { id, notes = "" } = story as Partial<Story>;
    if (typeof id === "string") {
      const earlier = first.get(id);
      if (earlier === undefined) first.set(id, index);
      else
        faults.push({
          path: `userStories[${index}].id`,
          message: `is a duplicate of userStories[${earlier}].id`,
        });
    }
    if (story["passes"] === true && typeof notes === "string" && isBlank(notes)) {
      faults.push({
        path: `userStories[${index}].notes`,
        message: "must not be empty when passes=true: say what was done",
      });
    }
    return faults;
  });
}

/** Puts the story's id beside a fault: people know their stories by it, not by a number. */
function naming(fault: Fault, value: unknown): Fault {
  const index = /^userStories\[(\d+)\]/.exec(fault.path)?.[1];
  if (index === undefined || !isRecord(value) || !Array.isArray(value["userStories"])) return fault;
  const story: unknown = value["userStories"][Number(index)];
  const id = isRecord(story) && typeof story["id"] === "string" ? story["id"] : undefined;
  return id === undefined || isBlank(id) ? fault : { ...fault, message: `${fault.message} (story ${id})` };
}
