/** One death of ralph. */
export type Kill =
  /** Around the n-th write of the journal, by its own hand. */
  | { readonly write: number; readonly point: Point }
  /** From outside: so long after it has acknowledged so many events. */
  | { readonly events: number; readonly plusMs: number };

/** Nothing is written; half a line; the line, but not synced; synced, but nobody was told. */
export type Point = "before" | "torn" | "written" | "synced";

const POINTS: readonly Point[] = ["before", "torn", "written", "synced"];

/** One run and its deaths, in order; after the last one it is left alone. */
export interface Plan {
  readonly name: string;
  readonly kills: readonly Kill[];
}

/** A death at every point of every write of a run that writes so often. */
export function atEachWrite(writes: number): Plan[] {
  return Array.from({ length: writes }, (_, index) => index + 1).flatMap((write) =>
    POINTS.map((point) => plan([{ write, point }])),
  );
}

/** Deaths at random moments: one to three a run, spread over all that happens in it. */
export function atRandom(runs: number, seed: number, unbroken: { events: number; wallMs: number }): Plan[] {
  const random = generator(seed);
  const stepMs = unbroken.wallMs / unbroken.events;
  const kill = (): Kill => {
    const events = Math.floor(random() * unbroken.events);
    // Before its first event it starts up, which takes longer than any step.
    return { events, plusMs: Math.round(random() * (events === 0 ? unbroken.wallMs / 2 : stepMs * 2)) };
  };
  return Array.from({ length: runs }, () =>
    plan(Array.from({ length: 1 + Math.floor(random() ** 2 * 3) }, kill)),
  );
}

function plan(kills: readonly Kill[]): Plan {
  return { name: kills.map(nameOf).join(", "), kills };
}

function nameOf(kill: Kill): string {
  return "write" in kill ? `write ${kill.write} ${kill.point}` : `event ${kill.events} +${kill.plusMs}ms`;
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
