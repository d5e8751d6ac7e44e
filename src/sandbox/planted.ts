import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, relative, resolve } from "node:path";
import { codeOf, messageOf } from "../errors.ts";
import { git, plain } from "../scm/git.ts";
import {
  findObeyed,
  type Grounds,
  isHarmless,
  type Links,
  markOf,
  type Obeyed,
  unusualIn,
} from "./obeyed.ts";
import { isWithin, type Policy } from "./policy.ts";
import { namedIn } from "./repository.ts";

/** What a watch over a repository needs to know. */
export interface Watched {
  /** What an agent can write there, and what not. */
  readonly policy: Pick<Policy, "project" | "rw" | "ro">;
  /** The run's own folder. */
  readonly folder: string;
  readonly tell: (words: string) => void;
}

/** What is kept of how things were when the run began. */
interface Before {
  readonly grounds: Grounds;
  readonly marks: readonly (readonly [path: string, mark: string])[];
  /** What configs of the user's name besides git's usual entries: an agent that adds a branch there adds none of it. */
  readonly unusual: readonly (readonly [path: string, entries: readonly string[]])[];
  /** What an agent could write then. What it has made since is kept from the next one, and may be its work all the same. */
  readonly policy: Watched["policy"];
}

const MOST_NAMED = 3;
const LONGEST_NAME = 120;

/** A watch over a repository. Neither rejects. */
export interface Watch {
  /** Takes away what has been put there. */
  readonly tidy: () => Promise<void>;
  /** The same, for the last time: what is put there from now on is the user's. */
  readonly end: () => Promise<void>;
}

/**
 * Remembers what the user's own git obeys in a project, and takes away what an agent has put there since: into the run's folder,
 * so that nothing is lost. A run that was killed and is resumed goes by how things were when it began.
 */
export async function watchRepository(watched: Watched): Promise<Watch> {
  const { policy, folder } = watched;
  const kept = join(folder, "obeyed.json");
  const wasKilled = existsSync(kept);
  const links: Links = new Map();
  const before = wasKilled ? (JSON.parse(readFileSync(kept, "utf8")) as Before) : await lookAt(policy, links);
  if (!wasKilled) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Whole or not at all: a run that was killed here is resumed by it.
    writeFileSync(`${kept}.new`, JSON.stringify(before), { mode: 0o600, flush: true });
    renameSync(`${kept}.new`, kept);
  }
  const { grounds } = before;
  const known = new Map(before.marks);
  const unusual = new Map(before.unusual);
  const planted = async (): Promise<Obeyed[]> => {
    const found: Obeyed[] = [];
    for (const one of await findObeyed(grounds, links)) {
      const mark = markOf(one.path);
      const isTheirs = canWrite(before.policy, one.path);
      if (known.get(one.path) === mark || !(isTheirs || one.what === "config")) continue;
      if (await isHarmless(one, grounds, unusual.get(one.path))) known.set(one.path, mark);
      else if (isTheirs) found.push(one);
      else {
        // Whoever puts another file there, as the user's git does, takes what kept it from being written away from those inside.
        known.set(one.path, mark);
        watched.tell(
          `${plain(relative(policy.project, one.path))} has changed while the agent was at work, and names more than it did. If that was not you, look at it before you use git here.`,
        );
      }
    }
    return found;
  };
  const tidy = async (): Promise<void> => {
    try {
      // What is behind a common folder is seen when that is gone.
      for (let round = 0; round < 3; round++) {
        const found = await planted();
        if (found.length === 0) return;
        for (const path of takeAway(found, watched)) known.set(path, markOf(path));
      }
    } catch (error) {
      watched.tell(`What the agent left for your git to obey could not be taken away: ${messageOf(error)}`);
    }
  };
  if (wasKilled) await tidy();
  return {
    tidy,
    async end() {
      await tidy();
      try {
        rmSync(kept, { force: true });
      } catch {
        // A disk that takes nothing more: a later resume is then as careful as after a kill.
      }
    },
  };
}

async function lookAt({ project, rw, ro }: Watched["policy"], links: Links): Promise<Before> {
  const told = await git(project, ["rev-parse", "--show-toplevel", "--absolute-git-dir", "--git-common-dir"]);
  const [top = "", own = "", common = ""] = told.code === 0 ? told.stdout.split("\n") : [];
  const here = realpathSync(project);
  const grounds: Grounds =
    top === ""
      ? { project: here, top: here, gitDirs: [] }
      : {
          project: here,
          top: realpathSync(top),
          gitDirs: [...new Set([realpathSync(resolve(project, common)), realpathSync(own)])],
          named: await namedIn(project, top),
        };
  const found = await findObeyed(grounds, links);
  const unusual: [string, string[]][] = [];
  for (const { path, what } of found)
    if (what === "config") unusual.push([path, (await unusualIn(path, grounds)) ?? []]);
  const marks = found.map(({ path }) => [path, markOf(path)] as const);
  return { grounds, marks, unusual, policy: { project, rw, ro } };
}

/** Could an agent have written it? The deeper path decides. */
function canWrite({ project, rw, ro }: Watched["policy"], path: string): boolean {
  const depth = (places: readonly string[]) =>
    Math.max(0, ...places.filter((place) => isWithin(path, place)).map(({ length }) => length));
  return depth([project, ...rw]) > depth(ro);
}

/** Moves all of it, and tells so. Gives what could not be moved: that is told once. */
function takeAway(found: readonly Obeyed[], { policy: { project }, folder, tell }: Watched): string[] {
  const place = join(folder, "planted");
  mkdirSync(place, { recursive: true, mode: 0o700 });
  const paths = found.map(({ path }) => path);
  const left = paths.filter((path) => !isMoved(path, freeName(place, relative(project, path))));
  const moved = paths.filter((path) => !left.includes(path));
  const say = (all: readonly string[], words: string) => {
    if (all.length === 0) return;
    const names = all.slice(0, MOST_NAMED).map((path) => plain(relative(project, path)));
    const more = all.length > MOST_NAMED ? ` and ${all.length - MOST_NAMED} more` : "";
    tell(`The agent put ${names.join(", ")}${more} there, which your git would obey; ${words}`);
  };
  say(moved, `it is in ${place}`);
  say(left, "it cannot be moved away: remove it before you use git here");
  return left;
}

function freeName(place: string, path: string): string {
  const name = path.replaceAll("/", "_").slice(-LONGEST_NAME);
  for (let n = 1; ; n++) {
    const free = join(place, n === 1 ? name : `${n}-${name}`);
    if (lstatSync(free, { throwIfNoEntry: false }) === undefined) return free;
  }
}

function isMoved(from: string, to: string): boolean {
  try {
    try {
      renameSync(from, to);
    } catch (error) {
      if (codeOf(error) !== "EXDEV") throw error;
      cpSync(from, to, { recursive: true, verbatimSymlinks: true });
      rmSync(from, { recursive: true });
    }
    return true;
  } catch {
    return false; // it has a name that is no text, or is somebody else's
  }
}
