import { rmdirSync, rmSync } from "node:fs";
import { relative } from "node:path";
import { messageOf } from "../errors.ts";
import type { Change } from "./compare.ts";
import { foldersOf } from "./names.ts";
import { type BlobSink, missingBlob, readBlobs } from "./objects.ts";
import type { RestorePlan } from "./plan.ts";
import type { Fault, Shadow } from "./shadow.ts";
import { below, isProper, isSame, standing, wayTo } from "./standing.ts";
import { emptyFolders, privateFiles } from "./take.ts";
import { startWriting } from "./write.ts";

/** A path that a restore could not or would not touch, and why, for people to read. */
export interface Left {
  readonly path: string;
  readonly why: string;
}

/** What a restore did. */
export interface Restored {
  readonly written: readonly string[];
  readonly removed: readonly string[];
  readonly left: readonly Left[];
}

/**
 * Does what a plan says. Each file is replaced whole or not at all, and only while it is what the plan took it for; no link is
 * followed; index, HEAD and refs are not touched. Killed half-way and planned again, it ends in the same tree.
 */
export async function applyRestore(shadow: Shadow, plan: RestorePlan): Promise<Restored | Fault> {
  const ids = plan.write.flatMap((change) => (change.to === undefined ? [] : [change.to.id]));
  const missing = await missingBlob(shadow, ids);
  if (typeof missing === "object") return missing;
  if (missing !== undefined) return { fault: `the snapshot is not whole: the content ${missing} is gone` };
  const work = new Restore(shadow, plan);
  work.removeAll();
  const fault = await readBlobs(shadow, ids, (index) => work.write(plan.write[index]));
  return fault ?? work.result();
}

class Restore {
  readonly #top: string;
  readonly #plan: RestorePlan;
  readonly #written: string[] = [];
  readonly #removed: string[] = [];
  readonly #left: Left[] = [];
  /** Folders that files will be written into in a moment, and the project itself. */
  readonly #needed: ReadonlySet<string>;
  readonly #emptyBefore: ReadonlySet<string>;
  readonly #private: ReadonlySet<string>;

  constructor(shadow: Shadow, plan: RestorePlan) {
    this.#top = shadow.top;
    this.#plan = plan;
    const project = foldersOf(`${relative(shadow.top, shadow.project)}/`);
    this.#needed = new Set([...project, ...plan.write.flatMap((change) => foldersOf(change.path))]);
    this.#emptyBefore = emptyFolders(shadow);
    this.#private = privateFiles(shadow);
  }

  result(): Restored {
    return { written: this.#written, removed: this.#removed, left: this.#left };
  }

  removeAll(): void {
    for (const change of this.#plan.remove) {
      if (!this.#mayTouch(change)) continue;
      this.#attempt(change.path, () => {
        rmSync(below(this.#top, change.path));
        this.#removed.push(change.path);
      });
    }
    const folders = new Set(this.#removed.flatMap(foldersOf));
    // The innermost first: a folder can only go when those in it are gone.
    for (const folder of [...folders].sort((a, b) => b.length - a.length)) {
      const isUsers = foldersOf(`${folder}/`).some((one) => this.#emptyBefore.has(one));
      if (!isUsers && !this.#needed.has(folder)) this.#removeIfEmpty(folder);
    }
  }

  /** Where a stored content is to go, or undefined when it is not to go anywhere. */
  write(change: Change | undefined): BlobSink | undefined {
    if (change?.to === undefined || !this.#mayTouch(change)) return undefined;
    const { path, to } = change;
    let sink: BlobSink | undefined;
    this.#attempt(path, () => {
      const rights = { mode: to.mode, isPrivate: this.#private.has(path) };
      sink = startWriting(this.#top, path, rights, (why) => {
        if (why === undefined) this.#written.push(path);
        else this.#left.push({ path, why });
      });
    });
    return sink;
  }

  /** Does the plan still hold for this path? What is done already is passed over; what is otherwise is left, and told. */
  #mayTouch({ path, from, to }: Change): boolean {
    let isDue = false;
    this.#attempt(path, () => {
      if (!isProper(path)) throw new Error("its name leads out of the project");
      const way = wayTo(this.#top, path, to !== undefined);
      if (way === "blocked") throw new Error("a file or a link stands where its folder should be");
      const now = way === "missing" ? undefined : standing(this.#top, path, (from ?? to)?.id ?? "");
      if (isSame(now, to)) return;
      if (now === "folder" && !this.#removeIfEmpty(path))
        throw new Error("a folder with other files stands there");
      if (now !== "folder" && !isSame(now, from))
        throw new Error(
          from === undefined ? "a file that is in no snapshot stands there" : "it has changed since",
        );
      isDue = true;
    });
    return isDue;
  }

  #removeIfEmpty(folder: string): boolean {
    try {
      rmdirSync(below(this.#top, folder));
      return true;
    } catch {
      return false;
    }
  }

  #attempt(path: string, act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#left.push({ path, why: messageOf(error) });
    }
  }
}
