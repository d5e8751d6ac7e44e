import { lstatSync } from "node:fs";
import { join } from "node:path";
import { readNoFollow } from "../../files.ts";

/** Larger files are no manifests that a person wrote. */
const LARGEST_BYTES = 1024 * 1024;

/** The text of a file of the project, or undefined when it is not there, a link, too large or not to be read. */
export function readManifest(project: string, name: string): string | undefined {
  try {
    return readNoFollow(join(project, name), LARGEST_BYTES).replace(/^\ufeff/, "");
  } catch {
    return undefined; // whatever is the matter with it, it tells us nothing
  }
}

/** Whether the project has a plain file of this name. */
export function hasFile(project: string, name: string): boolean {
  return lookAt(project, name)?.isFile() === true;
}

/** Whether the project has a folder of this name. */
export function hasFolder(project: string, name: string): boolean {
  return lookAt(project, name)?.isDirectory() === true;
}

function lookAt(project: string, name: string): ReturnType<typeof lstatSync> | undefined {
  try {
    return lstatSync(join(project, name));
  } catch {
    return undefined;
  }
}
