import { registriesOf } from "../../config/detect/registries.ts";
import { SETTINGS_FILES } from "../../config/load.ts";
import { remember, trustKey } from "../../config/trust.ts";
import { writeSettings } from "../../config/write.ts";
import { UserError } from "../../errors.ts";
import { stateRoot } from "../../journal/paths.ts";
import { type Answers, settingsFrom } from "./answers.ts";
import type { Existing } from "./existing.ts";

const [MAIN, LOCAL] = SETTINGS_FILES;

/** The line that says that it is done. */
export const WRITTEN = `Settings written to ${MAIN}`;

/** What to do now. */
export const NEXT = 'Next: ralph run -p "what is to be done"';

/** Writes the settings, and trusts them: the user just made them. Returns what is still worth knowing. */
export function save(project: string, answers: Answers, existing: Existing): string[] {
  const hosts = registriesOf(project);
  const settings = settingsFrom(answers, hosts);
  writeSettings(project, settings);
  const notes: string[] = [];
  if (hosts.length > 0)
    notes.push(`Hosts that may be reached from the sandbox, for packages: ${hosts.join(", ")}`);
  try {
    // Only what was written here: a local file beside it may be a stranger's, and the first run asks about both.
    remember(stateRoot(process.env), trustKey(project, settings));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    notes.push(`The first run will ask whether to trust them: ${error.why}.`);
  }
  if (answers.guardrails.length === 0) {
    notes.push("There is no guardrail: a run will end on the agent's word alone, and nothing is proven.");
  }
  if (existing.settings instanceof UserError ? !existing.hasMain : hasOverlay(existing.settings.files)) {
    notes.push(`${LOCAL} still stands, and overrides what it names.`);
  }
  return notes;
}

function hasOverlay(files: readonly { readonly name: string }[]): boolean {
  return files.some(({ name }) => name === LOCAL);
}
