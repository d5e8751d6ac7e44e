import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../errors.ts";
import { plain } from "../scm/git.ts";

type Named = readonly (readonly [string, string])[];

/** What the repositories of a project name, as it is kept with each run. */
export interface NamedPrograms {
  readonly gitDir: string;
  readonly programs: Named;
  readonly inside?: readonly (readonly [string, Named])[];
}

const LONGEST = 80;

/**
 * What a repository names before a run is believed to be the user's. That is not so for a repository that was made, or a config inside
 * of the project that was written, since the last run began: an agent could have done it, and its programs would run as ours. The
 * config of the project's own repository is not an agent's to write, as long as it is the same repository.
 */
export function refusePlanted(now: NamedPrograms, lastRun: string): void {
  const file = join(lastRun, "git.json");
  const before = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as NamedPrograms) : undefined;
  const known = new Map(before?.inside ?? []);
  const top = before?.gitDir === now.gitDir ? [] : now.programs;
  const planted = [
    ...added(top, before?.programs).map((entry) => ({ where: "", entry })),
    ...(now.inside ?? []).flatMap(([where, named]) =>
      added(named, known.get(where)).map((entry) => ({ where, entry })),
    ),
  ];
  const [first] = planted;
  if (first === undefined) return;
  const { where, entry } = first;
  const at = where === "" ? "" : `-C ${JSON.stringify(where)} `;
  throw new UserError(
    "a repository here may have been set up by an agent",
    `since the last run its config names a program: ${plain(entry.join(" = ")).slice(0, LONGEST)}`,
    `Look at it. If it is yours, put it into your own configuration (git config --global); otherwise: git ${at}config --unset ${plain(entry[0])}`,
  );
}

function added(now: Named, before: Named = []): Named {
  return now.filter(([key, value]) => value !== "" && !before.some(([k, v]) => k === key && v === value));
}
