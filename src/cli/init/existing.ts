import { accessSync, constants, lstatSync } from "node:fs";
import { join } from "node:path";
import { type LoadedSettings, loadSettings, SETTINGS_FILES } from "../../config/load.ts";
import { hasRalphFolder, RALPH_FOLDER, symlinkError } from "../../config/read-file.ts";
import { visible } from "../../config/say.ts";
import { codeOf, messageOf, UserError } from "../../errors.ts";
import { redactValue } from "../../redact.ts";

const [MAIN, LOCAL] = SETTINGS_FILES;

/** What is in the project before `ralph init` does anything. */
export interface Existing {
  /** Whether there is a `.ralph/settings.json`, which would be overwritten. */
  readonly hasMain: boolean;
  /** Both files, merged; or what is wrong with them. */
  readonly settings: LoadedSettings | UserError;
}

/** Looks at what is there. Throws what no overwriting would mend: a link in the way, a folder that cannot be written. */
export async function lookAtExisting(project: string): Promise<Existing> {
  const hasFolder = hasRalphFolder(join(project, RALPH_FOLDER));
  refuseUnwritable(hasFolder ? join(project, RALPH_FOLDER) : project, hasFolder ? RALPH_FOLDER : project);
  return { hasMain: hasFolder && hasPlainFile(join(project, MAIN)), settings: await tryToLoad(project) };
}

/** The settings in force as JSON, and the line that says where they came from. Secrets are hidden. */
export function describeExisting({ settings, files }: LoadedSettings): string {
  const json = JSON.stringify(redactValue(settings), null, 2);
  const overlaid = files.some(({ name }) => name === LOCAL);
  return [
    ...json.split("\n").map(visible), // the words may be a stranger's
    overlaid ? `Loaded from ${MAIN} (with local overlay from settings.local.json)` : `Loaded from ${MAIN}`,
  ].join("\n");
}

/** Better to know before ten questions than after them. */
function refuseUnwritable(folder: string, name: string): void {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new UserError(
      `cannot write ${MAIN}`,
      `${name} is not writable (${codeOf(error) ?? messageOf(error)})`,
      "Make the folder writable for you, or run ralph in another one.",
      { cause: error },
    );
  }
}

function hasPlainFile(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return false;
  if (stat.isSymbolicLink()) throw symlinkError(MAIN);
  if (stat.isFile()) return true;
  throw new UserError(
    `cannot write ${MAIN}`,
    "something that is no file stands in its place",
    "Move it away.",
  );
}

async function tryToLoad(project: string): Promise<LoadedSettings | UserError> {
  try {
    return await loadSettings(project);
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
}
