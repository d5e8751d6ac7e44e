import { placesOf, readPatterns } from "../gates/patterns.ts";
import { gitError } from "../scm/git.ts";
import { isText, zeroSeparated } from "../snapshot/names.ts";
import { ignoredBy } from "../snapshot/plan.ts";
import { type Fault, NOT_THE_WORK, type Shadow } from "../snapshot/shadow.ts";
import { isProper } from "../snapshot/standing.ts";

/**
 * Brings files that patterns mean into the next snapshots when they are ignored now, but not by the ignore files of a tree: one
 * that an agent wrote, and which may ignore itself, must not hide what was added to a protected folder.
 */
export async function showHidden(
  shadow: Shadow,
  rules: string,
  wish: { readonly prefix: string; readonly patterns: readonly string[] },
): Promise<Fault | undefined> {
  const { prefix, patterns } = wish;
  if (patterns.length === 0) return undefined;
  const extentOf = readPatterns(patterns);
  const places = [...new Set(placesOf(patterns))].map((place) => prefix + place).filter(isProperPlace);
  const where = places.map((place) => (place === "" ? ":/" : `:(top,literal)${place}`));
  const ignored = ["ls-files", "--others", "--ignored", "--exclude-standard", "-z"];
  const listed = await shadow.collect([...ignored, "--", ...where]);
  if ("fault" in listed) return listed;
  const found = zeroSeparated(listed).filter((path) => {
    const own = path.slice(prefix.length);
    return path.startsWith(prefix) && extentOf(own) !== undefined && !isElsewhere(own);
  });
  if (found.length === 0) return undefined;
  const before = await ignoredBy(shadow, rules, found);
  if ("fault" in before) return before;
  const hidden = found.filter((path) => !before.paths.has(path));
  const odd = hidden.find((path) => !isText(path));
  if (odd !== undefined) return { fault: `a hidden file has a name that is no text: ${JSON.stringify(odd)}` };
  if (hidden.length === 0) return undefined;
  const added = await shadow.git(["update-index", "--add", "-z", "--stdin"], {
    stdin: hidden.map((path) => `${path}\0`).join(""),
  });
  return added.code === 0 ? undefined : { fault: `git update-index: ${gitError(added)}` };
}

function isProperPlace(place: string): boolean {
  return place === "" || isProper(place.replace(/\/$/, ""));
}

/** Ralph's own folder, of which settings are named one by one, and what tools fill. */
function isElsewhere(path: string): boolean {
  return path.startsWith(".ralph/") || path.split("/").some((part) => NOT_THE_WORK.includes(part));
}
