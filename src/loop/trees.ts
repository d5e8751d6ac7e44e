import { mkdirSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { UserError } from "../errors.ts";
import type { Fault, FileChange, Mending, PutBack, Scratch, ScratchWish, Trees } from "../gates/gate.ts";
import { namedFiles } from "../gates/patterns.ts";
import { gitError } from "../scm/git.ts";
import { type Change, compareTrees, type Entry } from "../snapshot/compare.ts";
import { zeroSeparated } from "../snapshot/names.ts";
import { readBlobs } from "../snapshot/objects.ts";
import { applyRestore } from "../snapshot/restore.ts";
import { scratchWorktree } from "../snapshot/scratch.ts";
import type { Shadow } from "../snapshot/shadow.ts";
import { infoAt, isProper, wayTo } from "../snapshot/standing.ts";
import { findSnapshot, takeSnapshot } from "../snapshot/take.ts";
import { startWriting } from "../snapshot/write.ts";
import type { GateSpec } from "../spec.ts";
import { showHidden } from "./hidden.ts";
import { linkDependencies, mixTree } from "./mixed-tree.ts";

const BASE = "base";
const COMMIT = "160000";
const LARGEST_TEXT_BYTES = 4 * 1024 * 1024;

interface Setup {
  /** The run's own folder. */
  readonly folder: string;
  readonly gates: readonly GateSpec[];
  /** Somebody else than a gate looks back. */
  readonly always?: boolean;
  /** The run begins now. */
  readonly isNew: boolean;
  /** The store of its snapshots. */
  readonly opening: () => Promise<Shadow | Fault>;
}

/** What a run remembers of its beginning. */
export interface Memory {
  /** Remembers how things are, once: before the agent ever ran, and after the baseline, whose traces are not the agent's. */
  begin(): Promise<void>;
  /** The trees of an iteration. */
  of(iteration: string): Trees;
  /** A snapshot of this moment, where one can be taken. */
  mark(): Promise<string | undefined>;
  /** The project as it was in a snapshot; what is put back is kept in `kept`. */
  since(snapshot: string, kept: string): Trees;
}

/**
 * Makes ready to look back, for the gates that do; undefined when there are none. What the user asked for and cannot be had
 * here is a UserError.
 */
export async function openTrees(setup: Setup): Promise<Memory | undefined> {
  const { gates, folder } = setup;
  const isWanted =
    setup.always === true || gates.some(({ kind }) => kind === "protect" || kind === "pristine");
  if (!isWanted) return undefined;
  const shadow = await setup.opening();
  const tried = "fault" in shadow || !setup.isNew ? shadow : await takeSnapshot(shadow);
  if ("fault" in tried && setup.isNew && gates.some(isAskedFor)) {
    throw new UserError(
      "this project cannot be compared with what it was",
      tried.fault,
      "Mend that, or leave `protect` and `pristine` out.",
    );
  }
  if ("fault" in shadow) {
    const none = () => nothing(shadow.fault);
    return { begin: () => Promise.resolve(), of: none, since: none, mark: () => Promise.resolve(undefined) };
  }
  for (const name of readdirSync(shadow.folder)) {
    // Left by a check of this run that was killed.
    if (name.startsWith("scratch-")) rmSync(join(shadow.folder, name), { recursive: true, force: true });
  }
  let fault = "there is no snapshot of how the run began";
  return {
    async begin() {
      if (findSnapshot(shadow, BASE) !== undefined) return;
      const patterns = gates.flatMap(patternsOf);
      await addIgnored(
        shadow,
        namedFiles(patterns).map((path) => prefixOf(shadow) + path),
      );
      const rules = await takeSnapshot(shadow);
      // What is hidden from the beginning, by rules that are in no tree, stood there before the agent.
      if (!("fault" in rules)) await showHidden(shadow, rules.name, { prefix: prefixOf(shadow), patterns });
      const base = await takeSnapshot(shadow, BASE);
      if ("fault" in base) ({ fault } = base);
    },
    of(iteration) {
      const base = findSnapshot(shadow, BASE);
      if (base === undefined) return nothing(fault);
      return new ShadowTrees(shadow, base, join(folder, "protected", iteration));
    },
    async mark() {
      const taken = await takeSnapshot(shadow);
      return "fault" in taken ? undefined : taken.name;
    },
    since: (snapshot, kept) => new ShadowTrees(shadow, snapshot, kept),
  };
}

function isAskedFor(gate: GateSpec): boolean {
  return (gate.kind === "protect" && gate.patterns.length > 0) || (gate.kind === "pristine" && gate.required);
}

function patternsOf(gate: GateSpec): string[] {
  return gate.kind === "protect" ? [...gate.defining, ...gate.patterns] : [];
}

function nothing(fault: string): Trees {
  const none = () => Promise.resolve({ fault });
  return {
    unavailable: fault,
    changes: none,
    files: none,
    text: () => Promise.resolve(undefined),
    putBack: none,
    scratch: none,
  };
}

/** From the top of the work tree to the project. */
function prefixOf(shadow: Shadow): string {
  const way = relative(realpathSync(shadow.top), realpathSync(shadow.project));
  return way === "" ? "" : `${way}/`;
}

/** Files that git ignores are in a snapshot when they are added by name, once: then they are known. */
async function addIgnored(shadow: Shadow, paths: readonly string[]): Promise<void> {
  const there = paths.filter(
    (path) => isProper(path) && infoAt(join(shadow.top, path))?.isDirectory() === false,
  );
  // One by one: a name that git refuses (beyond a link, in another repository) must not hide the others.
  for (const path of there) await shadow.git(["add", "--force", "--", `:(top,literal)${path}`]);
}

class ShadowTrees implements Trees {
  readonly #shadow: Shadow;
  readonly #base: string;
  readonly #kept: string;
  readonly #prefix: string;

  constructor(shadow: Shadow, base: string, kept: string) {
    this.#shadow = shadow;
    this.#base = base;
    this.#kept = kept;
    this.#prefix = prefixOf(shadow);
  }

  async changes(patterns: readonly string[]): Promise<{ readonly changes: readonly FileChange[] } | Fault> {
    await addIgnored(
      this.#shadow,
      namedFiles(patterns).map((path) => this.#prefix + path),
    );
    const fault = await showHidden(this.#shadow, this.#base, { prefix: this.#prefix, patterns });
    if (fault !== undefined) return fault;
    const now = await takeSnapshot(this.#shadow);
    if ("fault" in now) return now;
    const compared = await compareTrees(this.#shadow, this.#base, now.name);
    if ("fault" in compared) return compared;
    return {
      changes: compared.changes.filter(({ path }) => this.#isOurs(path)).map((one) => this.#seen(one)),
    };
  }

  async files(): Promise<{ readonly paths: readonly string[] } | Fault> {
    const listed = await this.#shadow.collect([
      "ls-tree",
      "-r",
      "-z",
      "--name-only",
      "--full-tree",
      this.#base,
    ]);
    if ("fault" in listed) return listed;
    const ours = zeroSeparated(listed).filter((path) => this.#isOurs(path));
    return { paths: ours.map((path) => path.slice(this.#prefix.length)) };
  }

  async text(id: string): Promise<string | undefined> {
    let found: string | undefined;
    const chunks: Buffer[] = [];
    const fault = await readBlobs(this.#shadow, [id], (_, size) =>
      size > LARGEST_TEXT_BYTES
        ? undefined
        : {
            data: (chunk) => void chunks.push(chunk),
            end: (isWhole) => {
              if (isWhole) found = decode(Buffer.concat(chunks));
            },
          },
    );
    return fault === undefined ? found : undefined;
  }

  async putBack(files: readonly Mending[]): Promise<PutBack | Fault> {
    const isOther = ({ change: { from, to } }: Mending) => from?.mode === COMMIT || to?.mode === COMMIT;
    const ours = files.filter((file) => !isOther(file));
    const uncopied = await this.#keep(ours.map(({ change }) => change));
    if (uncopied !== undefined) return uncopied;
    const wanted: Change[] = [];
    for (const file of ours) {
      const one = await this.#wanted(file);
      if ("fault" in one) return one;
      wanted.push(one);
    }
    const done = await applyRestore(this.#shadow, {
      from: "",
      to: this.#base,
      write: wanted.filter((change) => change.to !== undefined),
      remove: wanted.filter((change) => change.to === undefined),
      kept: [],
    });
    if ("fault" in done) return done;
    const left = [
      ...done.left.map(({ path, why }) => ({ path: path.slice(this.#prefix.length), why })),
      ...files.filter(isOther).map(({ change }) => ({ path: change.path, why: "it is another repository" })),
    ];
    return { kept: this.#kept, left };
  }

  async scratch({ sources, tests, isTest, link }: ScratchWish): Promise<Scratch | Fault> {
    const now = await takeSnapshot(this.#shadow);
    if ("fault" in now) return now;
    const trees = { base: this.#base, now: now.name };
    const compared = await compareTrees(this.#shadow, trees[sources], trees[tests]);
    if ("fault" in compared) return compared;
    const swapped = compared.changes.filter(
      ({ path }) => this.#isOurs(path) && isTest(path.slice(this.#prefix.length)),
    );
    const mixed = await mixTree(this.#shadow, trees[sources], swapped);
    if ("fault" in mixed) return mixed;
    const made = await scratchWorktree(this.#shadow, mixed.name);
    if ("fault" in made) return made;
    const project = join(made.folder, this.#prefix);
    mkdirSync(project, { recursive: true });
    if (link) linkDependencies(this.#shadow.top, made.folder, this.#prefix);
    return { project, ceiling: this.#shadow.folder, dispose: () => made.dispose() };
  }

  #isOurs(path: string): boolean {
    return path.startsWith(this.#prefix);
  }

  #seen(change: Change): FileChange {
    return { ...change, path: change.path.slice(this.#prefix.length) };
  }

  /** Copies from the snapshot, and not from the project: nothing there is followed, and nothing moves meanwhile. */
  async #keep(changes: readonly FileChange[]): Promise<Fault | undefined> {
    mkdirSync(this.#kept, { recursive: true, mode: 0o700 });
    const there = changes.flatMap(({ path, to }) => (to === undefined ? [] : [{ path, ...to }]));
    let failure: string | undefined;
    const fault = await readBlobs(
      this.#shadow,
      there.map(({ id }) => id),
      (index) => {
        const file = there[index];
        if (file === undefined || !isProper(file.path)) return undefined;
        // An earlier try may have kept a link or a file where this one has a folder.
        if (wayTo(this.#kept, file.path, true) === "blocked") return undefined;
        return startWriting(this.#kept, file.path, { mode: file.mode, isPrivate: true }, (why) => {
          failure ??= why;
        });
      },
    );
    return fault ?? (failure === undefined ? undefined : { fault: `no copy could be kept (${failure})` });
  }

  async #wanted({ change, text }: Mending): Promise<Change | Fault> {
    const path = this.#prefix + change.path;
    const present = change.to === undefined ? {} : { from: change.to };
    const to = text === undefined ? change.from : await this.#store(text, change.to?.mode ?? "100644");
    if (to !== undefined && "fault" in to) return to;
    return { path, kind: change.kind, ...present, ...(to === undefined ? {} : { to }) };
  }

  async #store(text: string, mode: string): Promise<Entry | Fault> {
    const stored = await this.#shadow.git(["hash-object", "-w", "--stdin"], { stdin: text });
    return stored.code === 0 ? { mode, id: stored.stdout.trim() } : { fault: gitError(stored) };
  }
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
