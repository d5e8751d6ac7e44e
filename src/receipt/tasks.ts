import { redact } from "../redact.ts";
import type { TaskWork } from "../spec.ts";
import { isCapHit } from "../tasks/cap.ts";
import { isFinished } from "../tasks/complete.ts";
import { dependencyFaults } from "../tasks/dependencies.ts";
import type { TaskList } from "../tasks/list.ts";
import { parseList } from "../tasks/schema.ts";
import { type IterationRecord, taskStats } from "../tasks/stats.ts";
import type { Finding } from "./finding.ts";
import type { Receipt } from "./schema.ts";
import type { Store } from "./store.ts";

type Tasks = NonNullable<Receipt["tasks"]>;

/** What the run that worked on a task list kept of it. */
export interface KeptTasks {
  /** The list that was believed at the end. */
  readonly list: TaskList;
  /** Stories that ralph approved because their reviews were used up, as the events tell it. */
  readonly capped: readonly string[];
  readonly records: readonly IterationRecord[];
}

const what = "task list";
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_TOLD = 5;

/** What a receipt says of the task list. Pure. */
export function tasksPart(work: TaskWork, kept: KeptTasks, isInTree: boolean): Tasks {
  const { dir: folder, skipReview, reviewCap } = work;
  const { byStory } = taskStats(kept.list, kept.records, work);
  const capped = new Set(kept.capped);
  return {
    folder,
    skipReview,
    reviewCap,
    stories: byStory.map(({ id, reviews, iterations }) => ({ id: redact(id), reviews, iterations })),
    autoApproved: byStory.filter(({ id, capHit }) => capHit || capped.has(id)).map(({ id }) => redact(id)),
    ...(isInTree ? {} : { outsideTree: true as const }),
  };
}

/** Where the list stands in the judged tree. */
export function listPath(work: NonNullable<Receipt["work"]>, folder: string): string {
  return [work.folder, folder, "tasks.json"].filter((part) => part !== "").join("/");
}

/** Is the list in the judged tree what the receipt says of it? */
export async function checkTasks({ asked, tasks, work }: Receipt, store: Store): Promise<Finding[]> {
  if (work === undefined) return [];
  if (tasks === undefined) {
    if (asked.kind !== "tasks") return [];
    return [{ what, found: "missing", how: "it worked on a task list, and says nothing of it" }];
  }
  const blob = `${work.tree}:${listPath(work, tasks.folder)}`;
  const size = await store.shadow.git(["cat-file", "-s", blob]);
  if (size.code !== 0) {
    return tasks.outsideTree === true
      ? [{ what, found: "not checked", how: "git ignores it, so that the tree does not hold it" }]
      : [{ what, found: "missing", how: `the tree has no ${listPath(work, tasks.folder)}` }];
  }
  const isHuge = Number(size.stdout) > MOST_BYTES;
  const file = isHuge ? undefined : await store.shadow.git(["cat-file", "blob", blob]);
  const differing = file?.code === 0 ? differences(file.stdout, tasks) : ["it cannot be read"];
  if (differing.length > 0) {
    const more = differing.length > MOST_TOLD ? `; and ${differing.length - MOST_TOLD} more` : "";
    return [{ what, found: "different", how: `${differing.slice(0, MOST_TOLD).join("; ")}${more}` }];
  }
  const { stories, autoApproved } = tasks;
  const same: Finding = {
    what,
    found: "same",
    how: `${stories.length} ${stories.length === 1 ? "story" : "stories"}, all finished`,
  };
  if (autoApproved.length === 0) return [same];
  const how = `approved because the reviews were used up, look yourself: ${autoApproved.join(", ")}`;
  return [same, { what, found: "note", how }];
}

/** In what the list of a tree is not what the receipt says. Reviews are not held against the cap: there may have been more before. */
function differences(text: string, tasks: Tasks): string[] {
  const parsed = parseList(text);
  const faults = parsed.ok ? dependencyFaults(parsed.list) : parsed.faults;
  if (!parsed.ok || faults.length > 0) return faults.map(({ path, message }) => `${path} ${message}`.trim());
  const standing = new Map(parsed.list.userStories.map((story) => [redact(story.id), story]));
  const approved = new Set(tasks.autoApproved);
  const named = new Set(tasks.stories.map(({ id }) => id));
  return [
    ...[...standing.keys()].filter((id) => !named.has(id)).map((id) => `${id} is not in the receipt`),
    ...[...approved].filter((id) => !named.has(id)).map((id) => `${id} was approved, and is no story`),
    ...tasks.stories.flatMap(({ id, reviews }): string[] => {
      const story = standing.get(id);
      if (story === undefined) return [`${id} is not in the list`];
      return [
        ...(isFinished(story, tasks.skipReview) ? [] : [`${id} is not finished`]),
        ...(story.reviewCount === reviews
          ? []
          : [`${id} has a reviewCount of ${story.reviewCount}, was ${reviews}`]),
        ...(isCapHit(story) === approved.has(id) ? [] : [capWords(id, approved.has(id))]),
      ];
    }),
  ];
}

function capWords(id: string, isInReceipt: boolean): string {
  return isInReceipt
    ? `${id} was approved because its reviews were used up, and the list does not say so`
    : `${id} was approved because its reviews were used up, and the receipt does not say so`;
}
