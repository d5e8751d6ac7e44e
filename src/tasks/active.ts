import * as v from "valibot";
import type { Mode, ReviewFields, TaskList } from "./list.ts";
import { parseJson } from "./schema.ts";

export { ACTIVE_FILE } from "../files.ts";

/** The review fields of every story before an iteration, by id. */
export type Snapshot = Readonly<Record<string, ReviewFields>>;

/** What the marker says. */
export interface Active {
  /** When the run began, ISO 8601. */
  readonly timestamp: string;
  readonly pid: number;
  readonly max_iterations: number;
  readonly mode: "sandbox" | "direct";
  readonly skipReview: boolean;
  readonly reviewCap: number;
  readonly iterationMode?: Mode;
  readonly preIterationSnapshot?: Snapshot;
}

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const ACTIVE = v.object({
  timestamp: v.string(),
  pid: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  max_iterations: count,
  mode: v.picklist(["sandbox", "direct"]),
  skipReview: v.boolean(),
  reviewCap: count,
  iterationMode: v.exactOptional(v.picklist(["implement", "review", "review-fix"])),
  preIterationSnapshot: v.exactOptional(
    v.record(
      v.string(),
      v.object({
        passes: v.boolean(),
        reviewStatus: v.nullable(v.picklist(["needs_review", "changes_requested", "approved"])),
        reviewCount: count,
      }),
    ),
  ),
});

/** The text of a marker. */
export function formatActive(active: Active): string {
  return `${JSON.stringify(active, null, 2)}\n`;
}

/** Reads a marker; undefined when it is none. */
export function parseActive(text: string): Active | undefined {
  const json = parseJson(text);
  const parsed = json.ok ? v.safeParse(ACTIVE, json.value) : undefined;
  return parsed?.success === true ? parsed.output : undefined;
}

/** What a marker says of the stories before an iteration. */
export function snapshotOf(list: TaskList): Snapshot {
  return Object.fromEntries(
    list.userStories.map(({ id, passes, reviewStatus, reviewCount }) => [
      id,
      { passes, reviewStatus, reviewCount },
    ]),
  );
}
