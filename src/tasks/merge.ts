import { dependencyFaults, layersOf } from "./dependencies.ts";
import { isBlank, type Story, type TaskList } from "./list.ts";
import { salvage } from "./salvage.ts";
import { MOST_STORIES } from "./schema.ts";
import {
  cutFrom,
  goneCommand,
  goneCriterion,
  goneStory,
  type Iteration,
  moveFaults,
  moverOf,
  newFaults,
} from "./transitions.ts";

/** The list that is believed after an iteration, and what of the agent's edit is not in it, in words. */
export interface Merged {
  readonly list: TaskList;
  readonly undone: readonly string[];
}

/**
 * Keeps every legal part of what an iteration made of the list (notes, new stories, splitting, reordering, added criteria and
 * commands, a verdict that was its to give) and undoes the rest. `before` is the trusted list, `after` whatever stands in the
 * file. The result is always a legal successor of `before`, and it is `after` itself when that is one.
 */
export function mergeList(before: TaskList, after: unknown, iteration: Iteration): Merged {
  const { list: found, undone: malformed } = salvage(before, after);
  const undone = [...malformed];
  const known = new Map(before.userStories.map((story) => [story.id, story]));
  const mover = moverOf(known, found.userStories, iteration);
  const stories = found.userStories.map((now) => {
    const was = known.get(now.id);
    if (was === undefined) return iteration.skipReview ? documented(START, now, undone) : asNew(now, undone);
    const judged = iteration.skipReview ? now : withLegalMove(was, now, iteration, mover, undone);
    return withCriteria(was, documented(was, judged, undone), undone);
  });
  const whole = bounded(known, withGoneStories(before.userStories, stories, undone), undone);
  return {
    list: {
      ...found,
      verifyCommands: extended(before.verifyCommands, found.verifyCommands, goneCommand, undone),
      userStories: withPossibleOrder(known, whole, undone),
    },
    undone,
  };
}

const START = { passes: false, reviewStatus: null, reviewCount: 0, reviewFeedback: "", notes: "" } as const;

type Judged = Pick<Story, "passes" | "reviewStatus" | "reviewCount" | "reviewFeedback">;

function judgedFields({ passes, reviewStatus, reviewCount, reviewFeedback }: Judged): Judged {
  return { passes, reviewStatus, reviewCount, reviewFeedback };
}

function asNew(story: Story, undone: string[]): Story {
  const faults = newFaults(story);
  undone.push(...faults);
  return faults.length === 0 ? story : { ...story, ...judgedFields(START) };
}

function withLegalMove(
  was: Story,
  now: Story,
  { mode }: Iteration,
  mover: string | undefined,
  undone: string[],
): Story {
  const faults = moveFaults(was, now, mode, mover);
  if (faults.length === 0) return now;
  undone.push(...faults);
  // A fix that was handed in with the old feedback left standing is a fix all the same: clearing it is all that was missing.
  const cleared = { ...now, reviewFeedback: "" };
  return moveFaults(was, cleared, mode, mover).length === 0 ? cleared : { ...now, ...judgedFields(was) };
}

/** A story that passes says what was done: without notes they are as they were, or it does not pass. */
function documented(was: Judged & Pick<Story, "notes">, now: Story, undone: string[]): Story {
  if (!now.passes || !isBlank(now.notes)) return now;
  undone.push(`Story ${now.id} has passes=true with empty notes.`);
  return was.passes ? { ...now, notes: was.notes } : { ...now, ...judgedFields(was) };
}

function withCriteria(was: Story, now: Story, undone: string[]): Story {
  const gone = (criterion: string) => goneCriterion(was.id, criterion);
  const criteria = extended(was.acceptanceCriteria, now.acceptanceCriteria, gone, undone);
  return { ...now, acceptanceCriteria: criteria };
}

/** Texts may be added. Where one was cut, all of the old ones come first, and then what was added. */
function extended(
  was: readonly string[],
  now: readonly string[],
  word: (text: string) => string,
  undone: string[],
): readonly string[] {
  const cut = cutFrom(was, now);
  if (cut.length === 0) return now;
  undone.push(...cut.map(word));
  return [...was, ...cutFrom(now, was)];
}

/** Puts each story that is gone back behind the one that it stood behind. */
function withGoneStories(before: readonly Story[], now: readonly Story[], undone: string[]): Story[] {
  const left = new Set(now.map(({ id }) => id));
  const behind = new Map<string | undefined, Story[]>();
  let anchor: string | undefined;
  for (const story of before) {
    if (left.has(story.id)) anchor = story.id;
    else {
      undone.push(goneStory(story.id));
      behind.set(anchor, [...(behind.get(anchor) ?? []), story]);
    }
  }
  return [
    ...(behind.get(undefined) ?? []),
    ...now.flatMap((story) => [story, ...(behind.get(story.id) ?? [])]),
  ];
}

/** Leaves new stories out where there are too many of all. */
function bounded(
  known: ReadonlyMap<string, Story>,
  stories: readonly Story[],
  undone: string[],
): readonly Story[] {
  if (stories.length <= MOST_STORIES) return stories;
  undone.push(`A list must not hold more than ${MOST_STORIES} stories.`);
  let room = MOST_STORIES - known.size;
  return stories.filter(({ id }) => known.has(id) || room-- > 0);
}

/** A knot of more stories than these is no slip, and not taken apart. */
const MOST_KNOTTED = 50;

/**
 * Takes up the new dependencies, but for those that could never be met. Stories in a circle, or behind one, start with what they
 * depended on before and take up theirs one after the other, while no circle comes of it; all others are none of its business.
 */
function withPossibleOrder(
  known: ReadonlyMap<string, Story>,
  stories: readonly Story[],
  undone: string[],
): readonly Story[] {
  const faults = dependencyFaults({ userStories: stories });
  if (faults.length === 0) return stories;
  undone.push(...faults.map(({ message }) => message));
  const ids = new Set(stories.map(({ id }) => id));
  const wanted = stories.map((story) => ({
    ...story,
    dependsOn: story.dependsOn.filter((id) => ids.has(id)),
  }));
  const free = new Set(layersOf(wanted).flat());
  const knot = wanted.filter((story) => !free.has(story));
  let untied = knot.map((story) => ({ ...story, dependsOn: known.get(story.id)?.dependsOn ?? [] }));
  if (knot.length <= MOST_KNOTTED) {
    knot.forEach((story, index) => {
      const tried = untied.with(index, story);
      if (layersOf(tried).flat().length === tried.length) untied = tried;
    });
  }
  const byId = new Map(untied.map((story) => [story.id, story]));
  return wanted.map((story) => byId.get(story.id) ?? story);
}
