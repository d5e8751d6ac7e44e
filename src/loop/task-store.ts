import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { UserError } from "../errors.ts";
import type { TaskList } from "../tasks/list.ts";
import { parseList } from "../tasks/schema.ts";
import type { Workshop } from "./workshop.ts";

/** Texts that the run believes, by their SHA-256, in its own folder: what an agent can write is never what ralph believes. */
export function keepText({ folder }: Pick<Workshop, "folder">, text: string | Buffer): string {
  const name = createHash("sha256").update(text).digest("hex");
  const path = join(folder.folder, "tasks", name);
  if (existsSync(path)) return name;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Whole or not at all: a journal that names it may be read after a power cut.
  writeFileSync(`${path}.tmp`, text, { mode: 0o600, flush: true });
  renameSync(`${path}.tmp`, path);
  return name;
}

/** A text that was kept. */
export function keptText(shop: Pick<Workshop, "folder">, name: string): string {
  return keptBytes(shop, name).toString("utf8");
}

/** The same as the bytes that it was: what a user wrote need not be UTF-8. */
export function keptBytes({ folder }: Pick<Workshop, "folder">, name: string): Buffer {
  const bytes = readFileSync(join(folder.folder, "tasks", name));
  if (createHash("sha256").update(bytes).digest("hex") === name) return bytes;
  throw new UserError(
    "the trusted copy of the task list is damaged",
    `tasks/${name} in the run's folder is not what was kept there`,
    "Look at the list yourself, then start a new run: ralph run --tasks",
  );
}

/** The list that is believed. */
export function keptList(shop: Pick<Workshop, "folder">, name: string): TaskList {
  const parsed = parseList(keptText(shop, name));
  if (parsed.ok) return parsed.list;
  throw new Error(`the trusted task list ${name} is none`);
}

/** Keeps what is undone in this folder, under its own path. */
export function keepAside(folder: string, path: string, text: string | Buffer): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, text, { mode: 0o600 });
}

/** A folder for what is undone now. Another for each time: an iteration may be tried twice, and its checks are looked after too. */
export function asideFolder({ folder }: Pick<Workshop, "folder">, iteration: number): string {
  const first = join(folder.folder, "aside", String(iteration).padStart(3, "0"));
  let path = first;
  for (let n = 2; existsSync(path); n++) path = `${first}-${n}`;
  return path;
}
