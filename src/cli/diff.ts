import { UserError } from "../errors.ts";
import { patchBytes } from "../snapshot/compare.ts";
import { paintPatch } from "../ui/patch.ts";
import { colorWanted, createPaint } from "../ui/style.ts";
import { iterationOf, iterationsIn, momentBefore, must, openPast, treeAfter } from "./travel.ts";

interface Flags {
  readonly stat?: boolean;
  readonly of?: string;
}

/** `ralph diff [N] [M]`: what the run did, or one iteration of it, or those from one to another. */
export async function diffCommand(
  first: string | undefined,
  last: string | undefined,
  flags: Flags,
): Promise<void> {
  const past = openPast(flags.of);
  const all = iterationsIn(past);
  const from = first === undefined ? all.first : iterationOf(past, first);
  const to = last === undefined ? (first === undefined ? all.last : from) : iterationOf(past, last);
  if (to < from)
    throw new UserError(
      "that is the wrong way round",
      `${to} comes before ${from}`,
      `Try: ralph diff ${to} ${from}`,
    );
  const isTerminal = process.stdout.isTTY === true;
  const stat = flags.stat === true;
  const patch = must(
    await patchBytes(past.shadow, momentBefore(past, from).tree, await treeAfter(past, to), {
      stat,
      whole: !isTerminal && !stat,
    }),
    "cannot compare the snapshots",
  );
  // For another program it must be what it is, byte for byte; for a person it must not steer the terminal.
  if (!isTerminal) process.stdout.write(patch.bytes);
  else {
    const paint = createPaint(colorWanted("auto", process.env, true));
    process.stdout.write(paintPatch(patch.bytes.toString("utf8"), paint));
    if (patch.bytes.length === 0) process.stdout.write("No difference.\n");
  }
}
