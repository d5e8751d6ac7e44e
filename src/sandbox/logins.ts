import { createHash, randomBytes } from "node:crypto";
import {
  chownSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { codeOf } from "../errors.ts";
import { isInside, readInside, readNoFollow } from "../files.ts";
import type { AgentKind } from "../spec.ts";
import type { PrivateHome } from "./home.ts";
import { leadsThrough, type Policy, real } from "./policy.ts";
import { type Fields, fieldsOf, renewedLogin } from "./renewal.ts";
import { LOGINS } from "./usual.ts";

/** Told what became of a log-in. */
export type Tell = (words: string, level: "info" | "warning") => void;

/** The log-ins of agents inside, and the user's own. */
export interface Logins {
  /** Makes both sides the same again, by whichever was renewed. Before and after each turn. */
  readonly exchange: () => void;
}

/** One log-in: the user's own, and the copy that an agent inside has. */
interface Pair {
  readonly agent: AgentKind;
  readonly outside: string;
  readonly inside: string;
}

/** What each side looked like when they were last compared. */
interface Seen {
  readonly outside: string;
  readonly inside: string;
}

/** All that has to be known to go on when this process is gone. */
interface Keeping {
  /** Everything inside is in here, and links lead no further. */
  readonly root: string;
  /** Where an agent may write outside: nothing that leads through there is the user's own word. */
  readonly written: readonly string[];
  readonly pairs: readonly (Pair & { readonly seen: Seen })[];
}

const LARGEST_BYTES = 64 * 1024;
const RECORD = "logins.json";

/** Keeps the log-ins of a sandbox the same inside and outside. `folder` is the run's own, which nobody inside can see. */
export function keepLogins(
  { logins = [], project, rw }: Policy,
  own: PrivateHome,
  { folder, tell }: { readonly folder: string; readonly tell: Tell },
): Logins {
  const pairs = logins.map(({ agent, path }) => {
    const inside = own.at(path);
    // Made while nobody is inside: later a link could stand in its place.
    mkdirSync(dirname(inside), { recursive: true, mode: 0o700 });
    // The copy has just been made: it is what the user's own looked like.
    const copied = lookInside(own.root, inside).mark;
    return { agent, outside: path, inside, seen: { outside: copied, inside: copied } };
  });
  return exchanging({ root: own.root, written: [project, ...rw], pairs }, { folder, tell });
}

/** Brings out what was renewed in a run that was killed, before its folder is thrown away. */
export function bringOutLogins(folder: string, tell: Tell): void {
  try {
    const keeping = JSON.parse(readFileSync(join(folder, RECORD), "utf8")) as Keeping;
    exchanging(keeping, { folder, tell }).exchange();
  } catch {
    // It died before it had any, or it was another version's: there is nothing that could be done better now.
  }
}

function exchanging(
  { root, written, pairs }: Keeping,
  { folder, tell }: { readonly folder: string; readonly tell: Tell },
): Logins {
  const told = new Set<string>();
  const once: Tell = (words, level) => {
    if (!told.has(words)) tell(words, level);
    told.add(words);
  };
  let known = pairs;
  const keep = () => {
    try {
      replace(join(folder, RECORD), JSON.stringify({ root, written, pairs: known }));
    } catch {
      // A full disk costs what a crash would have left, not the run.
    }
  };
  keep();
  return {
    exchange() {
      const now = known.map((pair) => ({ ...pair, seen: exchangeOne(pair, { root, written, tell: once }) }));
      const isNews = now.some(({ seen }, n) => seen !== known[n]?.seen);
      known = now;
      if (isNews) keep();
    },
  };
}

/** Compares both sides of a log-in and mends what differs; gives what was seen. Never throws for what it finds. */
function exchangeOne(
  { agent, outside, inside, seen }: Keeping["pairs"][number],
  { root, written, tell }: Pick<Keeping, "root" | "written"> & { readonly tell: Tell },
): Seen {
  const file = LOGINS[agent];
  const mine = lookOutside(outside, written);
  // Without one, or with one that is just being written, there is nothing to compare with.
  if (file === undefined || mine === undefined) return seen;
  const theirs = lookInside(root, inside);
  if (mine.mark === theirs.mark) return asSeen(seen, { outside: mine.mark, inside: mine.mark });
  if (mine.mark !== seen.outside) {
    try {
      if (!isInside(realpathSync(root), realpathSync(dirname(inside)))) return seen;
      replace(inside, mine.text);
      return { outside: mine.mark, inside: mine.mark };
    } catch {
      return seen; // whoever is inside stands in its own way; it is tried again before the next turn
    }
  }
  if (theirs.mark === seen.inside) return seen;
  const fields = fieldsOf(theirs.text);
  const renewed = fields === undefined ? undefined : renewedLogin(mine.fields, fields, file);
  if (renewed === undefined) {
    tell(
      `${file.name}'s log-in in the sandbox was changed in a way that is no renewal; yours stays as it is`,
      "warning",
    );
    return { ...seen, inside: theirs.mark };
  }
  // Written anew from what was checked: another reader might take other words of the same text for what counts.
  const text = inStyleOf(mine, renewed);
  if (text === inStyleOf(mine, mine.fields)) return { ...seen, inside: theirs.mark };
  try {
    replace(mine.path, text, statSync(mine.path));
  } catch (error) {
    tell(
      `${file.name} renewed its log-in in the sandbox, and yours could not be written (${codeOf(error)}); you may have to log in again`,
      "warning",
    );
    return seen;
  }
  tell(`${file.name} renewed its log-in; yours is the new one`, "info");
  return { outside: markOf(text), inside: theirs.mark };
}

interface Mine {
  /** The file itself, where a link leads to it. */
  readonly path: string;
  readonly text: string;
  readonly mark: string;
  readonly fields: Fields;
}

/** The user's own log-in; undefined where there is none that could be believed. */
function lookOutside(place: string, written: readonly string[]): Mine | undefined {
  try {
    const [path] = real(place);
    if (path === undefined || written.some((folder) => leadsThrough(place, folder))) return undefined;
    const text = readNoFollow(path, LARGEST_BYTES);
    const fields = fieldsOf(text);
    return fields === undefined ? undefined : { path, text, mark: markOf(text), fields };
  } catch {
    return undefined;
  }
}

/** What stands inside, where somebody may have put anything: a link, a pipe, something huge. */
function lookInside(root: string, path: string): { readonly text: string; readonly mark: string } {
  try {
    const text = readInside(root, path, LARGEST_BYTES);
    return { text, mark: markOf(text) };
  } catch (error) {
    return { text: "", mark: `not read: ${codeOf(error)}` };
  }
}

function asSeen(before: Seen, now: Seen): Seen {
  return before.outside === now.outside && before.inside === now.inside ? before : now;
}

function markOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The same JSON, laid out as its owner had it. */
function inStyleOf({ text }: Pick<Mine, "text">, fields: Fields): string {
  const indent = /^\{\r?\n([ \t]+)/.exec(text)?.[1] ?? "";
  return `${JSON.stringify(fields, null, indent)}${text.endsWith("\n") ? "\n" : ""}`;
}

/** Puts a whole file in the place of another. Nobody but its owner can read it, whatever was there before. */
function replace(path: string, text: string, owner?: { readonly uid: number; readonly gid: number }): void {
  const beside = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}`);
  try {
    writeFileSync(beside, text, { mode: 0o600, flag: "wx", flush: true });
    const made = statSync(beside);
    if (owner !== undefined && (made.uid !== owner.uid || made.gid !== owner.gid)) {
      chownSync(beside, owner.uid, owner.gid);
    }
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}
