import { confirm, intro, log, outro } from "@clack/prompts";
import { SETTINGS_FILES } from "../../config/load.ts";
import { UserError } from "../../errors.ts";
import type { Answers } from "./answers.ts";
import { type Dialogue, Interrupted, openDialogue } from "./dialogue.ts";
import { describeExisting, type Existing } from "./existing.ts";
import { interview, type Offers } from "./interview.ts";
import { NEXT, save, WRITTEN } from "./save.ts";

/** Asks on the terminal, writes the settings when all is answered, and returns the exit code. */
export async function converse(project: string, existing: Existing, offers: Offers): Promise<number> {
  const dialogue = openDialogue();
  try {
    intro("ralph init");
    if (!(await mayWrite(dialogue, existing))) {
      outro("Nothing was changed.");
      return 0;
    }
    const answers: Answers = await interview(dialogue, offers);
    for (const note of save(project, answers, existing)) log.warn(note);
    log.success(WRITTEN);
    outro(NEXT);
    return 0;
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    outro("Stopped: nothing was written. Run `ralph init` again whenever you like.");
    return 130;
  } finally {
    dialogue.close();
  }
}

/** Shows what is there, and asks before it is overwritten. */
async function mayWrite(dialogue: Dialogue, { hasMain, settings }: Existing): Promise<boolean> {
  if (settings instanceof UserError) log.warn(`${settings.what}\n${settings.why}`);
  else if (hasMain) process.stdout.write(`${describeExisting(settings)}\n`);
  if (!hasMain) return true;
  const message =
    settings instanceof UserError ? `Overwrite ${SETTINGS_FILES[0]}? (y/N)` : "Overwrite? (y/N)";
  return dialogue.ask((signal) => confirm({ message, initialValue: false, signal }));
}
