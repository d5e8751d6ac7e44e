import { accessSync, constants, existsSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { codeOf } from "../../../errors.ts";
import { isInside } from "../../../files.ts";
import { stateRoot } from "../../../journal/paths.ts";
import { realOf } from "../programs.ts";
import type { DoctorCheck, Row } from "../row.ts";

/** The folder of everything that ralph believes: it must be ours alone, and out of the agent's reach. */
export const checkStateFolder: DoctorCheck = ({ project, env }) => {
  const folder = stateRoot(env);
  const row = { id: "state-folder", title: "state folder" };
  const elsewhere = "Set RALPH_STATE_DIR to a folder outside the project that only you can write.";
  const at = nearest(folder);
  const trouble = unusable(at);
  if (trouble !== undefined) {
    return [{ ...row, status: "fail", detail: `${folder}: ${trouble}`, fix: `Mend it, or: ${elsewhere}` }];
  }
  const rows: Row[] = [];
  if (isInside(realOf(project), realBelow(folder, at))) {
    const detail = `${folder} lies inside the project, where the agent can rewrite it`;
    rows.push({ ...row, status: "warn", detail, fix: elsewhere });
  }
  const mode = at === folder && process.platform !== "win32" ? statSync(folder).mode & 0o777 : 0o700;
  if ((mode & 0o077) !== 0) {
    const detail = `${folder} is open to other users (mode ${mode.toString(8).padStart(4, "0")})`;
    rows.push({ ...row, id: "state-folder-mode", status: "warn", detail, fix: `Run: chmod 700 ${folder}` });
  }
  const fine = at === folder ? folder : `${folder} (will be made by the first run)`;
  return rows.length > 0 ? rows : [{ ...row, status: "ok", detail: fine }];
};

/** The folder itself, or the nearest one above it that is there. */
function nearest(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(at) || dirname(at) === at) return at;
  }
}

/** Where a folder that is not there yet will be, with the links above it followed. */
function realBelow(folder: string, at: string): string {
  return at === folder ? realOf(folder) : join(realBelow(dirname(folder), at), basename(folder));
}

function unusable(at: string): string | undefined {
  if (!statSync(at).isDirectory()) return `${at} is no folder`;
  try {
    accessSync(at, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return `${at} cannot be written (${codeOf(error) ?? "unknown"})`;
  }
}
