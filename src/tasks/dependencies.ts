import type { Fault, Story, TaskList } from "./list.ts";

/** What of `dependsOn` cannot be obeyed: ids that are not in the list, and stories that wait for each other. */
export function dependencyFaults(list: Pick<TaskList, "userStories">): Fault[] {
  const stories = list.userStories;
  const ids = new Set(stories.map(({ id }) => id));
  const unknown = stories.flatMap((story, index) =>
    story.dependsOn
      .map((id, at) => ({ id, path: `userStories[${index}].dependsOn[${at}]` }))
      .filter(({ id }) => !ids.has(id))
      .map(({ id, path }) => ({
        path,
        message: `Story ${story.id} depends on ${id}, which is not in the list.`,
      })),
  );
  const circle = findCircle(stories);
  if (circle === undefined) return unknown;
  const index = stories.findIndex(({ id }) => id === circle[0]);
  return [
    ...unknown,
    {
      path: `userStories[${index}].dependsOn`,
      message: `Stories wait for each other: ${[...circle, circle[0]].join(" → ")}.`,
    },
  ];
}

/** For each story the ids that it still waits for, in the order in which it names them. */
export function blockersOf(list: TaskList): Map<string, string[]> {
  const done = new Set(list.userStories.filter(({ passes }) => passes).map(({ id }) => id));
  return new Map(
    list.userStories.map(({ id, dependsOn }) => [
      id,
      [...new Set(dependsOn)].filter((one) => !done.has(one)),
    ]),
  );
}

/** The stories in layers: each depends only on layers before its own. Stories that wait for each other are in none. */
export function layersOf(stories: readonly Story[]): Story[][] {
  const ids = new Set(stories.map(({ id }) => id));
  const missing = new Map(
    stories.map(({ id, dependsOn }) => [id, new Set(dependsOn.filter((one) => ids.has(one)))]),
  );
  const byId = new Map(stories.map((story) => [story.id, story]));
  const waiters = new Map<string, string[]>(stories.map(({ id }) => [id, []]));
  for (const [id, needs] of missing) {
    for (const need of needs) waiters.get(need)?.push(id);
  }
  const layers: Story[][] = [];
  let ready = stories.filter(({ id }) => missing.get(id)?.size === 0);
  while (ready.length > 0) {
    layers.push(ready);
    const next = new Set<string>();
    for (const { id } of ready) {
      for (const waiter of waiters.get(id) ?? []) {
        const needs = missing.get(waiter);
        needs?.delete(id);
        if (needs?.size === 0) next.add(waiter);
      }
    }
    ready = [...next].flatMap((id) => byId.get(id) ?? []);
  }
  return layers;
}

/** Ids that depend on each other in a circle, each on the next. What no layer takes holds one, and every step stays in it. */
function findCircle(stories: readonly Story[]): string[] | undefined {
  const free = new Set(
    layersOf(stories)
      .flat()
      .map(({ id }) => id),
  );
  const held = new Map(stories.filter(({ id }) => !free.has(id)).map((story) => [story.id, story]));
  const way: string[] = [];
  let at = held.keys().next().value;
  while (at !== undefined) {
    const back = way.indexOf(at);
    if (back >= 0) return way.slice(back);
    way.push(at);
    at = held.get(at)?.dependsOn.find((id) => held.has(id));
  }
  return undefined;
}
