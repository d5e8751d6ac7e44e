import { goBack } from "./go-back.ts";
import { iterationOf, iterationsIn, momentBefore, openPast } from "./travel.ts";

interface Flags {
  readonly to?: string;
  readonly of?: string;
  readonly yes?: boolean;
}

/** `ralph rollback [--to N]`: the files as they were before the run, or before an iteration of it. */
export async function rollbackCommand(flags: Flags): Promise<void> {
  const past = openPast(flags.of);
  const { first } = iterationsIn(past);
  const iteration = flags.to === undefined ? first : iterationOf(past, flags.to);
  const { tree, position, ...head } = momentBefore(past, iteration);
  const words = flags.to === undefined ? "before the run" : `before iteration ${iteration}`;
  await goBack(past, { to: tree, words, since: { position }, reverse: "ralph undo", ...head }, flags);
}
