import { createHash, randomBytes } from "node:crypto";
import { realpathSync } from "node:fs";
import { basename, join } from "node:path";

export { stateRoot, unwritableState } from "./state.ts";

/** The folder of one project's runs. Two projects of the same name never share it. */
export function projectFolder(root: string, project: string): string {
  const real = realpathSync(project);
  const slug = basename(real)
    .replace(/[^A-Za-z0-9._-]+/g, "_")
    .slice(0, 40);
  const hash = createHash("sha256").update(real).digest("hex").slice(0, 12);
  return join(root, "projects", `${slug || "root"}-${hash}`);
}

/** Where one run keeps what it knows. */
export interface RunFolder {
  readonly folder: string;
  readonly journal: string;
  /** Raw streams, one pair of files an iteration. */
  readonly streams: string;
}

export function runFolder(root: string, project: string, run: string): RunFolder {
  const folder = join(projectFolder(root, project), run);
  return { folder, journal: join(folder, "journal.ndjson"), streams: join(folder, "streams") };
}

/** A new run's id: sorts by time, and two started in the same second differ. */
export function newRunId(nowMs: number): string {
  const stamp = new Date(nowMs).toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 15);
  return `${stamp}-${randomBytes(3).toString("hex")}`;
}
