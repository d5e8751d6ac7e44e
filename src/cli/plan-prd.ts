import { lstatSync, realpathSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { UserError } from "../errors.ts";
import { isInside } from "../files.ts";
import { readProjectBytes, writeProjectFile } from "../tasks/files.ts";
import type { TaskPlace } from "./tasks-place.ts";

/** Requirements that the user wrote are the user's: what a session made of them is put aside, byte for byte nothing is lost. */
export function keepPrd({ project, paths }: TaskPlace, prd: Buffer): void {
  if (stands(project, paths.prd)?.equals(prd) === true) return;
  const aside = setAside(project, paths.prd);
  writeProjectFile(project, paths.prd, prd);
  const rest = aside === undefined ? "" : ` What the agent made of it: ${aside}`;
  process.stdout.write(`${paths.prd} was changed; yours is back.${rest}\n`);
}

function stands(project: string, path: string): Buffer | undefined {
  try {
    return readProjectBytes(project, path);
  } catch (error) {
    if (error instanceof UserError) return undefined; // a link or a folder in its place is no file of the user's
    throw error;
  }
}

/** Moves what stands there to a free name beside it, whatever it is, and gives that name. */
function setAside(project: string, path: string): string | undefined {
  const file = join(project, path);
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
  if (!isInside(realpathSync(project), realpathSync(dirname(file)))) return undefined; // not ours to move there
  for (let number = 1; ; number += 1) {
    const free = `${path}.new${number === 1 ? "" : `-${number}`}`;
    if (lstatSync(join(project, free), { throwIfNoEntry: false }) !== undefined) continue;
    renameSync(file, join(project, free));
    return free;
  }
}
