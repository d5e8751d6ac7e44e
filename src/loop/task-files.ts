import { lstatSync, renameSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../errors.ts";
import type { TaskTurn } from "../events.ts";
import { readProjectBytes, readProjectFile, type TaskPaths, writeProjectFile } from "../tasks/files.ts";
import { parseJson } from "../tasks/schema.ts";
import { keptBytes } from "./task-store.ts";
import type { Workshop } from "./workshop.ts";

/** What stands in the place of the list now, whatever it is. */
export function readStanding(
  project: string,
  path: string,
): { text: string; value: unknown; fault?: string } {
  let text: string | undefined;
  try {
    text = readProjectFile(project, path);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { text: "", value: undefined, fault: `${path}: ${error.why}` };
  }
  if (text === undefined) return { text: "", value: undefined, fault: `${path} is gone` };
  const json = parseJson(text);
  return json.ok
    ? { text, value: json.value }
    : { text, value: undefined, fault: `${path} ${json.fault.message}` };
}

/** Writes a file of the list; a folder in its place, or a link or a file in the place of its folder, is moved out of the way. */
export function putInPlace(project: string, path: string, text: string | Buffer): void {
  const blocked = blockedAt(project, path);
  if (blocked !== undefined)
    renameSync(join(project, blocked), join(project, `${blocked}.${Date.now()}.aside`));
  writeProjectFile(project, path, text);
}

/** The first part of the way to a file that is not what it has to be: each a folder of its own, and the last one none. */
export function blockedAt(project: string, path: string): string | undefined {
  const parts = path.split("/");
  return parts
    .map((_part, index) => parts.slice(0, index + 1).join("/"))
    .find((way) => {
      const info = lstatSync(join(project, way), { throwIfNoEntry: false });
      return info !== undefined && info.isDirectory() === (way === path);
    });
}

/** Puts the files that only people may change back; what stood there is handed over first. Names those that were others. */
export function putBackFiles(
  shop: Workshop,
  paths: TaskPaths,
  { prd, prompt }: Pick<TaskTurn, "prd" | "prompt">,
  keep: (path: string, bytes: Buffer) => void,
): string[] {
  const { project } = shop.spec;
  const files = [
    { path: paths.prd, name: prd },
    { path: paths.prompt, name: prompt },
  ];
  return files.flatMap(({ path, name }) => {
    if (name === undefined) return [];
    const text = keptBytes(shop, name);
    let now: Buffer | undefined;
    try {
      now = readProjectBytes(project, path);
    } catch {
      now = undefined; // something stands there that is no plain file
    }
    if (now?.equals(text) === true) return [];
    if (now !== undefined) keep(path, now);
    putInPlace(project, path, text);
    return [path];
  });
}
