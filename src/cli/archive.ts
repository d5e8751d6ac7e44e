import { existsSync } from "node:fs";
import { join } from "node:path";
import { Interrupted, UserError } from "../errors.ts";
import { git, gitError, workTree } from "../scm/git.ts";
import { trustNothing } from "../scm/guard.ts";
import { completion } from "../tasks/complete.ts";
import { summaryPage } from "../tasks/describe.ts";
import { readProjectFile, writeProjectFile } from "../tasks/files.ts";
import { DEFAULT_RULES, type TaskList } from "../tasks/list.ts";
import { slugOf, TEMPLATE_BRANCH, templates } from "../tasks/templates.ts";
import { today } from "./init-tasks.ts";
import {
  loadList,
  oneLine,
  placeOf,
  refuseWhileActive,
  type TaskFlags,
  type TaskPlace,
} from "./tasks-place.ts";

const ARCHIVE = "ralph-archive";

interface ArchiveFlags extends TaskFlags {
  readonly label?: string;
  readonly yes?: boolean;
}

/** `ralph archive`: puts the list, its requirements and its log away with a summary, and starts afresh. */
export async function archiveCommand(flags: ArchiveFlags): Promise<void> {
  const place = placeOf(flags);
  refuseWhileActive(place, "archive the task list");
  // A list that was worked on without reviews is judged so: its stories pass, and nobody approved them.
  const rules = { ...DEFAULT_RULES, skipReview: true };
  const list = loadList(place, rules);
  const target = freeFolder(place.project, nameOf(list, flags.label));
  if (!(await mayArchive(list, flags.yes === true))) {
    say("Nothing was changed.");
    return;
  }

  // Copies first: whatever happens on the way, nothing is lost.
  const progress = readProjectFile(place.project, place.paths.progress);
  const kept = [
    ["prd.md", readProjectFile(place.project, place.paths.prd)],
    ["tasks.json", readProjectFile(place.project, place.paths.tasks)],
    ["progress.txt", progress],
    ["summary.md", summaryPage(list, rules, { from: startOf(progress), to: today() })],
  ] as const;
  for (const [name, text] of kept) {
    if (text !== undefined) writeProjectFile(place.project, `${target}/${name}`, text);
  }
  const fresh = startAfresh(place, list);
  say(`Archived in ${target}.`);
  await commitOwn(place, [target, ...fresh]);
  say(`${place.paths.dir}/ is fresh again. Next: write ${place.paths.prd} and ${place.paths.tasks}.`);
}

/** What it is called: its date, and the label or the branch. */
function nameOf(list: TaskList, label: string | undefined): string {
  if (label !== undefined && slugOf(label) === "") {
    throw new UserError(
      "cannot call a folder after --label",
      `"${oneLine(label)}" has no letter and no digit in it`,
      "Write for example --label search.",
    );
  }
  return `${today()}-${slugOf(label ?? list.branchName.replace(/^ralph\//, "")) || "tasks"}`;
}

function freeFolder(project: string, name: string): string {
  for (let number = 1; ; number += 1) {
    const folder = `${ARCHIVE}/${name}${number === 1 ? "" : `-${number}`}`;
    if (!existsSync(join(project, folder))) return folder;
  }
}

/** Asks when stories are not done. */
async function mayArchive(list: TaskList, isYes: boolean): Promise<boolean> {
  const done = completion(list, { promised: false, skipReview: true });
  if (isYes || done.kind === "complete") return true;
  const open = `${done.unfinished.length} of ${list.userStories.length} stories are not done`;
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw new UserError("not archived", open, "Archive it all the same: ralph archive --yes");
  }
  const { confirm, isCancel } = await import("@clack/prompts");
  const yes = await confirm({ message: `${open}. Archive all the same? (y/N)`, initialValue: false });
  if (isCancel(yes)) throw new Interrupted("Nothing was changed.");
  return yes;
}

/** The day that the log says it was begun on, or undefined. */
function startOf(progress: string | undefined): string | undefined {
  return /^Started: (\S.{0,40})$/m.exec(progress ?? "")?.[1]?.trim();
}

/** Fresh templates for all but the prompt: that one may have been made to fit the project. Returns what was written. */
function startAfresh({ project, paths }: TaskPlace, { project: name }: TaskList): string[] {
  const all = templates({ project: name, date: today(), dir: paths.dir, branch: TEMPLATE_BRANCH });
  const hasPrompt = readProjectFile(project, paths.prompt) !== undefined;
  const fresh = Object.entries(all)
    .map(([file, text]) => ({ path: `${paths.dir}/${file}`, text }))
    .filter(({ path }) => path !== paths.prompt || !hasPrompt);
  for (const { path, text } of fresh) writeProjectFile(project, path, text);
  return fresh.map(({ path }) => path);
}

/** Commits the archive and the fresh files, and nothing else that stands in the work tree or in the index. */
async function commitOwn({ project, paths }: TaskPlace, own: readonly [string, ...string[]]): Promise<void> {
  const [target] = own;
  if ((await workTree(project)) === undefined) {
    say("Not committed: this is no git repository.");
    return;
  }
  const ignored = await git(project, ["check-ignore", "--", ...own]);
  if (ignored.code === 0) {
    say("Not committed: git ignores these files here.");
    return;
  }
  // An agent of an earlier run may have named programs in the repository's config.
  const careful = await trustNothing(project);
  if (careful === undefined) {
    say("Not committed: git cannot read this repository's config.");
    return;
  }
  const added = await git(project, ["--literal-pathspecs", "add", "--", ...own], careful);
  const done =
    added.code === 0
      ? await git(
          project,
          [
            "--literal-pathspecs",
            "commit",
            "--only",
            "-m",
            `chore: archive ${target.slice(ARCHIVE.length + 1)}`,
            "--",
            ...own,
          ],
          careful,
        )
      : added;
  if (done.code === 0) {
    say("Committed.");
    return;
  }
  throw new UserError(
    "the task list is archived, but not committed",
    oneLine(gitError(done)),
    `Commit it yourself: git add ${target} ${paths.dir} && git commit`,
  );
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
