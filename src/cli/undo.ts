import { UserError } from "../errors.ts";
import { runFolder, stateRoot } from "../journal/paths.ts";
import { readRollbacks } from "../journal/rollbacks.ts";
import { runsOf } from "../journal/runs.ts";
import { type Rollback, toRedo, toUndo } from "../loop/travel.ts";
import { goBack } from "./go-back.ts";
import { projectHere } from "./project.ts";
import { openPast } from "./travel.ts";

interface Flags {
  readonly redo?: boolean;
  readonly of?: string;
  readonly yes?: boolean;
}

/** `ralph undo`: takes back the last rollback, and then the one before; `--redo` takes that back. */
export async function undoCommand(flags: Flags): Promise<void> {
  const pick = flags.redo === true ? toRedo : toUndo;
  const past = openPast(flags.of ?? runToUndo(pick));
  const one = pick(past.rollbacks);
  if (one === undefined) throw nothing(flags);
  const isRedo = flags.redo === true;
  const words = isRedo ? whatWasUndone(past.rollbacks, one) : `before the rollback to ${one.words}`;
  const reverse = isRedo ? "ralph undo" : "ralph undo --redo";
  await goBack(past, { to: one.from, words, since: { rollback: one.id }, undoes: one.id, reverse }, flags);
}

function whatWasUndone(all: readonly Rollback[], { undoes }: Rollback): string {
  return all.find((one) => one.id === undoes)?.words ?? "before that undo";
}

/** The run of this project with the latest rollback of that kind. */
function runToUndo(pick: (all: readonly Rollback[]) => Rollback | undefined): string | undefined {
  const project = projectHere();
  const root = stateRoot(process.env);
  const found = runsOf(root, project).flatMap((run) => {
    const one = pick(readRollbacks<Rollback>(runFolder(root, project, run).folder));
    return one === undefined ? [] : [{ run, at: one.at }];
  });
  return found.sort((a, b) => a.at - b.at).at(-1)?.run;
}

function nothing({ redo }: Flags): UserError {
  return redo === true
    ? new UserError(
        "there is nothing to do again",
        "the last thing was no undo",
        "To go back: ralph rollback",
      )
    : new UserError("there is nothing to undo", "no rollback stands", "To go back: ralph rollback");
}
