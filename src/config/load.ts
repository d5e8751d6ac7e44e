import { join } from "node:path";
import { UserError } from "../errors.ts";
import { type Fault, faultError, faultsOf, place, type SettingsFile } from "./faults.ts";
import { explainBadJson } from "./locate.ts";
import { deepMerge, leafKeys } from "./merge.ts";
import { hasRalphFolder, RALPH_FOLDER, readPlainText } from "./read-file.ts";
import { hasRepeatedKeys, repeatedKeys } from "./repeated.ts";
import { checkSettings, type Settings } from "./schema.ts";

/** The names of the two settings files, relative to the project; the later one overrides. */
export const SETTINGS_FILES = [
  `${RALPH_FOLDER}/settings.json`,
  `${RALPH_FOLDER}/settings.local.json`,
] as const;

/** The settings of a project and where they came from. */
export interface LoadedSettings {
  readonly settings: Settings;
  /** The files that were there, in the order in which they were merged. */
  readonly files: readonly SettingsFile[];
  /** For each dotted key (`agent.command`; a list is one key) the file that its value came from. */
  readonly sources: ReadonlyMap<string, string>;
}

/**
 * Reads, checks and merges the settings files of a project; neither need exist. Each file is checked on its own, so
 * that a fault names its file even when the other file hides it. Throws only UserErrors.
 */
export async function loadSettings(project: string): Promise<LoadedSettings> {
  const files = readFiles(project);
  const layers: { file: SettingsFile; settings: Settings }[] = [];
  const faulty: { file: SettingsFile; faults: Fault[] }[] = [];
  for (const file of files) {
    const value = await parse(file);
    const checked = checkSettings(value);
    const repeated = hasRepeatedKeys(file.text, value) ? await repeatedFaults(file) : [];
    const faults = [...repeated, ...("issues" in checked ? faultsOf(checked.issues) : [])];
    if (faults.length > 0) faulty.push({ file, faults });
    else if ("settings" in checked) layers.push({ file, settings: checked.settings });
  }
  await refuse(faulty);

  const merged = checkSettings(layers.map((layer) => layer.settings as unknown).reduce(deepMerge, {}));
  if (!("settings" in merged)) throw new Error("two valid settings files merged into an invalid one");
  const missing = missingIn(merged.settings);
  const holder = layers.findLast((layer) => layer.settings.scm !== undefined);
  if (missing.length > 0 && holder !== undefined) await refuse([{ file: holder.file, faults: missing }]);

  const sources = new Map<string, string>();
  for (const { file, settings } of layers) for (const key of leafKeys(settings)) sources.set(key, file.name);
  return { settings: merged.settings, files, sources };
}

function readFiles(project: string): SettingsFile[] {
  if (!hasRalphFolder(join(project, RALPH_FOLDER))) return [];
  return SETTINGS_FILES.flatMap((name) => {
    const text = readPlainText(join(project, name), name);
    return text === undefined ? [] : [{ name, text }];
  });
}

async function parse(file: SettingsFile): Promise<unknown> {
  try {
    return JSON.parse(file.text);
  } catch (cause) {
    const { why, fix, at } = await explainBadJson(file.text);
    throw new UserError(`bad JSON in ${place(file.name, at)}`, why, fix, { cause });
  }
}

async function repeatedFaults(file: SettingsFile): Promise<Fault[]> {
  const found = await repeatedKeys(file.text);
  if (found.length > 0) return found.map((one) => ({ kind: "repeated", ...one }));
  return [{ kind: "bad", path: [], found: "a key twice", wanted: "each key once" }]; // nested too deep to find it
}

/** What neither file needs to hold, and both together must. */
function missingIn(settings: Settings): Fault[] {
  if (settings.scm === undefined) return [];
  const scm = settings.scm;
  const absent = (["command", "tasks"] as const).filter((key) => scm[key] === undefined);
  return absent.map((key) => ({ kind: "missing", path: ["scm", key] }));
}

async function refuse(faulty: readonly { file: SettingsFile; faults: Fault[] }[]): Promise<void> {
  const [first, ...others] = faulty;
  const [fault, ...rest] = first?.faults ?? [];
  if (first === undefined || fault === undefined) return;
  const more = others.reduce((sum, { faults }) => sum + faults.length, 0);
  throw await faultError(first.file, [fault, ...rest], more);
}
