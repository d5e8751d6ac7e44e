import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { planRestore, type RestorePlan, type RestoreRequest } from "../../src/snapshot/plan.ts";
import { applyRestore, type Restored } from "../../src/snapshot/restore.ts";
import { openShadow, type Shadow } from "../../src/snapshot/shadow.ts";
import { takeSnapshot } from "../../src/snapshot/take.ts";
import { gitIn } from "../scm/repository.ts";
import { temporaryFolder } from "../supervise/folder.ts";

/** The value, or the fault as an error: a test that expects a fault asks for it. */
export function good<T extends object>(value: T | { readonly fault: string }): Exclude<T, { fault: string }> {
  if ("fault" in value) throw new Error(value.fault as string);
  return value as Exclude<T, { fault: string }>;
}

/** The shadow repository of a run that begins now. */
export async function shadowOf(project: string, run = join(temporaryFolder(), "run")): Promise<Shadow> {
  return good(await openShadow(project, run));
}

/** The name of the tree that stands there now. */
export async function take(shadow: Shadow, label?: string): Promise<string> {
  return good(await takeSnapshot(shadow, label)).name;
}

/** Plans and restores from the present, as a rollback does. */
export async function restore(
  shadow: Shadow,
  request: Omit<RestoreRequest, "from">,
): Promise<{ plan: RestorePlan; done: Restored; from: string }> {
  const from = await take(shadow);
  const plan = good(await planRestore(shadow, { from, ...request }));
  return { plan, done: good(await applyRestore(shadow, plan)), from };
}

/** Everything in a folder but `.git`, byte for byte: what a person would see. Names are hex, so that any bytes will do. */
export function photo(top: string): Record<string, string> {
  const seen: Record<string, string> = {};
  const look = (folder: Buffer) => {
    for (const name of readdirSync(folder, { encoding: "buffer" })) {
      if (name.toString() === ".git") continue;
      const path = Buffer.concat([folder, Buffer.from("/"), name]);
      const info = lstatSync(path);
      const key = path.subarray(top.length + 1).toString("latin1");
      if (info.isDirectory()) look(path);
      else if (info.isSymbolicLink()) seen[key] = `link ${readlinkSync(path, "buffer").toString("latin1")}`;
      else seen[key] = `${info.mode & 0o100 ? "run" : "file"} ${readFileSync(path).toString("latin1")}`;
    }
  };
  look(Buffer.from(top));
  return seen;
}

/** What of the user's own git must not change. */
export function gitPhoto(project: string): Record<string, string> {
  const index = readFileSync(join(project, ".git", "index"));
  return {
    index: createHash("sha256").update(index).digest("hex"),
    time: String(lstatSync(join(project, ".git", "index")).mtimeMs),
    head: readFileSync(join(project, ".git", "HEAD"), "utf8"),
    refs: gitIn(project, "for-each-ref"),
    stash: gitIn(project, "stash", "list"),
  };
}
