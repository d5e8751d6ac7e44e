import { dependencyFaults } from "./dependencies.ts";
import { type Fault, isBlank, type Mode, type ReviewFields, type Story, type TaskList } from "./list.ts";

/** What the review fields of a story were before an iteration; a snapshot does not hold the feedback. */
export type Before = ReviewFields & { readonly reviewFeedback?: string };

/** Who moved in an iteration, and what for. */
export interface Iteration {
  readonly mode: Mode;
  /** The story that was selected. Without it the first one that moved legally is taken for it. */
  readonly story?: string | undefined;
  readonly skipReview: boolean;
}

/**
 * Check 2.5: whether an iteration of this mode may have made `after` out of `before`, in the words that the agent is told.
 * A list that was left as it was is always legal.
 */
export function transitionFaults(before: TaskList, after: TaskList, iteration: Iteration): Fault[] {
  const was = new Map(before.userStories.map((story) => [story.id, story]));
  return [
    ...structureFaults(before, after),
    ...(iteration.skipReview ? [] : reviewFaults(was, after.userStories, iteration)),
    ...dependencyFaults(after),
  ];
}

/** The part of Check 2.5 that a snapshot of the review fields is enough for. */
export function reviewFaults(
  before: ReadonlyMap<string, Before>,
  after: readonly Story[],
  iteration: Iteration,
): Fault[] {
  const mover = moverOf(before, after, iteration);
  return after.flatMap((story, index) => {
    const was = before.get(story.id);
    const messages = was === undefined ? newFaults(story) : moveFaults(was, story, iteration.mode, mover);
    return messages.map((message) => ({ path: `userStories[${index}]`, message }));
  });
}

/** The one story whose review fields may change in this iteration. */
export function moverOf(
  before: ReadonlyMap<string, Before>,
  after: readonly Story[],
  { mode, story }: Iteration,
): string | undefined {
  if (story !== undefined) return story;
  return after.find((now) => {
    const was = before.get(now.id);
    return was !== undefined && hasMoved(was, now) && faultsByMode[mode](was, now).length === 0;
  })?.id;
}

/** Why a story that is in both lists may not have moved as it did; nothing when it may, or did not move. */
export function moveFaults(was: Before, now: Story, mode: Mode, mover: string | undefined): string[] {
  if (!hasMoved(was, now)) return [];
  const faults = faultsByMode[mode](was, now);
  return faults.length === 0 && now.id !== mover ? [notItsTurn(now.id, mode)] : faults;
}

/** Why a new story may not begin as it does. */
export function newFaults({ id, passes, reviewStatus, reviewCount }: Story): string[] {
  if (!passes && reviewStatus === null && reviewCount === 0) return [];
  return [
    `New stories must start incomplete: passes=false, reviewStatus=null, reviewCount=0. Story ${id} starts with passes=${passes}, reviewStatus=${reviewStatus}, reviewCount=${reviewCount}.`,
  ];
}

/** A review iteration that left no verdict. The list is legal, and the iteration is not finished. */
export function missingVerdict(
  before: ReadonlyMap<string, Before>,
  after: readonly Story[],
  { mode, story, skipReview }: Iteration,
): string | undefined {
  if (skipReview || mode !== "review") return undefined;
  const isCounted = after.some(({ id, reviewCount }) => reviewCount > (before.get(id)?.reviewCount ?? 0));
  if (isCounted) return undefined;
  const asked = story ?? after.find(({ reviewStatus }) => reviewStatus === "needs_review")?.id ?? "(none)";
  return reviewed(asked, ["review must increment reviewCount, and approve the story or request changes"]);
}

/** The texts of `before` that `after` no longer has. */
export function cutFrom(before: readonly string[], after: readonly string[]): string[] {
  const left = new Set(after);
  return before.filter((text) => !left.has(text));
}

/** May a review iteration have changed this file? Paths are relative to the project; `dir` is the folder of the list. */
export function mayReviewChange(path: string, dir: string): boolean {
  return path === `${dir}/tasks.json` || path === `${dir}/progress.txt`;
}

function structureFaults(before: TaskList, after: TaskList): Fault[] {
  const now = new Map(after.userStories.map((story, index) => [story.id, { story, index }]));
  const faults: Fault[] = cutFrom(before.verifyCommands, after.verifyCommands).map((command) => ({
    path: "verifyCommands",
    message: goneCommand(command),
  }));
  for (const old of before.userStories) {
    const found = now.get(old.id);
    if (found === undefined) faults.push({ path: "userStories", message: goneStory(old.id) });
    else {
      for (const criterion of cutFrom(old.acceptanceCriteria, found.story.acceptanceCriteria)) {
        const path = `userStories[${found.index}].acceptanceCriteria`;
        faults.push({ path, message: goneCriterion(old.id, criterion) });
      }
    }
  }
  return faults;
}

/** What is said of a story that is no longer there. */
export function goneStory(id: string): string {
  return `Story ${id} is gone. A story may not be removed or change its id; a story that is split stays and depends on its parts.`;
}

/** What is said of a criterion that is no longer there. */
export function goneCriterion(id: string, criterion: string): string {
  return `Story ${id} lost an acceptance criterion. Criteria may be added, not cut or reworded: "${criterion}".`;
}

/** What is said of a command that is no longer there. */
export function goneCommand(command: string): string {
  return `verifyCommands lost a command. Commands may be added, not cut or reworded: "${command}".`;
}

const FIELDS = ["passes", "reviewStatus", "reviewCount"] as const;

function hasMoved(was: Before, now: Story): boolean {
  return FIELDS.some((field) => was[field] !== now[field]) || hasNewFeedback(was, now);
}

function hasNewFeedback(was: Before, now: Story): boolean {
  return was.reviewFeedback !== undefined && was.reviewFeedback !== now.reviewFeedback;
}

const faultsByMode: Readonly<Record<Mode, (was: Before, now: Story) => string[]>> = {
  implement(was, now) {
    const illegal = `Story ${now.id} had illegal transition:`;
    const isHandedIn = was.reviewStatus === null && now.reviewStatus === "needs_review";
    const faults = FIELDS.filter((field) => was[field] !== now[field]).flatMap((field) => {
      if (field === "reviewStatus" && isHandedIn) return [];
      const approves = now[field] === true || now[field] === "approved";
      const rule = approves
        ? "Implement iterations cannot set passes=true or approve stories. Only review iterations may approve."
        : field === "reviewCount"
          ? "Implement iterations cannot increment reviewCount."
          : "Implement iterations may only set reviewStatus from null to 'needs_review'.";
      return [`${rule} ${illegal} ${step(field, was, now)}.`];
    });
    if (hasNewFeedback(was, now) && !(isHandedIn && isBlank(now.reviewFeedback))) {
      faults.push(
        `Implement iterations cannot change reviewFeedback. ${illegal} reviewFeedback was changed.`,
      );
    }
    return faults;
  },

  review(was, now) {
    const details: string[] = [];
    const added = now.reviewCount - was.reviewCount;
    const approved = now.reviewStatus === "approved";
    if (was.reviewStatus !== "needs_review") {
      details.push(`it was not waiting for a review (reviewStatus was ${was.reviewStatus})`);
    }
    if (added === 0) details.push("review must increment reviewCount");
    else if (added !== 1) details.push(`reviewCount changed by ${added}, not by 1`);
    if (approved !== now.passes) details.push("reviewStatus 'approved' and passes=true must be set together");
    if (now.reviewStatus === "changes_requested" && isBlank(now.reviewFeedback)) {
      details.push("changes were requested with an empty reviewFeedback");
    }
    if (!approved && now.reviewStatus !== "changes_requested") {
      details.push(
        `reviewStatus must become 'approved' or 'changes_requested': ${step("reviewStatus", was, now)}`,
      );
    }
    return details.length === 0 ? [] : [reviewed(now.id, details)];
  },

  "review-fix"(was, now) {
    const isHandedIn = was.reviewStatus === "changes_requested" && now.reviewStatus === "needs_review";
    const faults = FIELDS.filter((field) => was[field] !== now[field]).flatMap((field) => {
      if (field === "reviewStatus" && isHandedIn) return [];
      const rule =
        field === "reviewCount"
          ? "Review-fix iterations cannot increment reviewCount."
          : "Review-fix iterations cannot approve stories.";
      return [
        `${rule} Story ${now.id} must go back to needs_review for re-review. Illegal transition: ${step(field, was, now)}.`,
      ];
    });
    if (isHandedIn && !isBlank(now.reviewFeedback)) {
      faults.push(
        `Review-fix iterations clear reviewFeedback when they hand a story in again. Story ${now.id} still has some.`,
      );
    } else if (!isHandedIn && hasNewFeedback(was, now)) {
      faults.push(
        `Review-fix iterations cannot change reviewFeedback without handing the story in again. Story ${now.id} has other feedback now.`,
      );
    }
    return faults;
  },
};

function step(field: (typeof FIELDS)[number], was: Before, now: Story): string {
  return `${field} ${was[field]} → ${now[field]}`;
}

function reviewed(id: string, details: readonly string[]): string {
  return `Review iteration made illegal transition on story ${id}: ${details.join("; ")}.`;
}

function notItsTurn(id: string, mode: Mode): string {
  if (mode === "review") return reviewed(id, ["review may only modify one story, the one that was selected"]);
  const name = mode === "implement" ? "Implement" : "Review-fix";
  return `${name} iterations may only hand in one story, the one that was selected. Story ${id} was not.`;
}
