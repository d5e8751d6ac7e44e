/** Does one piece of work when those that were asked for before it are done; undefined when too many of them wait. */
export type Queue = <T>(work: () => Promise<T>) => Promise<T | undefined>;

/** Makes a queue in which at most so many wait. */
export function oneAtATime(most: number): Queue {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return async (work) => {
    if (waiting > most) return undefined;
    waiting++;
    const mine = last.then(work);
    last = mine.catch(() => {}); // whoever asked hears of it
    try {
      return await mine;
    } finally {
      waiting--;
    }
  };
}
