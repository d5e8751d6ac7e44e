import { lstatSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { Interrupted, UserError } from "../errors.ts";
import { RUNTIME_FILES } from "../files.ts";
import { RALPH_DIR, readProjectFile, taskPaths, writeProjectFile } from "../tasks/files.ts";
import { slugOf, TEMPLATE_BRANCH, templates } from "../tasks/templates.ts";
import { oneLine } from "./tasks-place.ts";

interface InitFlags {
  readonly yes?: boolean;
  readonly name?: string;
  readonly projectDir?: string;
  readonly ralphDir?: string;
}

/** `ralph init --tasks`: the files of a task list from templates. What is there is overwritten only after asking. */
export async function initTasks(flags: InitFlags): Promise<void> {
  const project = resolve(flags.projectDir ?? ".");
  if (statSync(project, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new UserError(
      `there is no folder ${project}`,
      "--project-dir names it",
      "Give a folder that exists.",
    );
  }
  const paths = taskPaths(project, flags.ralphDir ?? RALPH_DIR);
  const files = Object.entries(
    templates({
      project: flags.name?.trim() || basename(project),
      date: today(),
      dir: paths.dir,
      branch: branchOf(flags.name),
    }),
  ).map(([name, text]) => ({ path: `${paths.dir}/${name}`, text }));
  const there = files.filter(({ path }) => lstatSync(join(project, path), { throwIfNoEntry: false }));
  const overwrite =
    there.length > 0 &&
    (await mayOverwrite(
      flags,
      there.map(({ path }) => path),
    ));
  for (const { path, text } of files) {
    if (!overwrite && there.some((one) => one.path === path)) {
      say(`${path} is there already, and was left as it is.`);
    } else {
      writeProjectFile(project, path, text);
      say(`${path} written.`);
    }
  }
  ignoreRuntimeFiles(project);
  say(`
Next:
  1. Write down what is to be built: ${paths.prd}
  2. Write its stories: ${paths.tasks} (or: ralph tasks import <file|gh>)
     Or let an agent ask you and write both: ralph plan
  3. See that all is well: ralph tasks check
  4. Work through them: ralph run --tasks`);
}

/** The day, as people write it here: YYYY-MM-DD, by the local clock. */
export function today(): string {
  const now = new Date();
  const two = (number: number) => String(number).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

function branchOf(name: string | undefined): string {
  if (name === undefined) return TEMPLATE_BRANCH;
  const slug = slugOf(name);
  if (slug !== "") return `ralph/${slug}`;
  throw new UserError(
    "cannot call a branch after --name",
    `"${oneLine(name)}" has no letter and no digit in it`,
    "Write for example --name search.",
  );
}

async function mayOverwrite(flags: InitFlags, paths: readonly string[]): Promise<boolean> {
  if (flags.yes === true || !process.stdin.isTTY || !process.stdout.isTTY) return false; // nobody to ask
  const { confirm, isCancel } = await import("@clack/prompts");
  const yes = await confirm({ message: `Overwrite ${paths.join(", ")}? (y/N)`, initialValue: false });
  if (isCancel(yes)) throw new Interrupted("Nothing was written.");
  return yes;
}

/** What ralph writes while it runs is not the project's; each line is added once. */
function ignoreRuntimeFiles(project: string): void {
  const old = readProjectFile(project, ".gitignore") ?? "";
  const known = new Set(old.split(/\r?\n/).map((line) => line.trim().replace(/^\//, "")));
  const missing = RUNTIME_FILES.filter((line) => !known.has(line));
  if (missing.length === 0) return;
  const end = old.includes("\r\n") ? "\r\n" : "\n";
  const gap = old === "" || old.endsWith("\n") ? "" : end;
  writeProjectFile(project, ".gitignore", `${old}${gap}${missing.join(end)}${end}`);
  say(`.gitignore: ${missing.join(", ")} added.`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
