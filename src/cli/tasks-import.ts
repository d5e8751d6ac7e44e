import { resolve } from "node:path";
import { codeOf, messageOf, UserError } from "../errors.ts";
import { readPlain } from "../files.ts";
import { exec } from "../supervise/exec.ts";
import { which } from "../supervise/which.ts";
import { checkList } from "../tasks/check.ts";
import { writeProjectFile } from "../tasks/files.ts";
import { addStories, fromIssues, fromText, type Imported } from "../tasks/import.ts";
import { DEFAULT_RULES, type TaskList } from "../tasks/list.ts";
import { formatList, isUnfilled, parseJson } from "../tasks/schema.ts";
import { cleanLine } from "../ui/clean.ts";
import { loadList, oneLine, placeOf, readList, refuseWhileActive, type TaskFlags } from "./tasks-place.ts";

const MOST_BYTES = 4 * 1024 * 1024;

interface ImportFlags extends TaskFlags {
  readonly label?: string;
  readonly limit?: string;
}

/** `ralph tasks import`: adds the stories of somebody else's list to ours. */
export async function importTasks(source: string, flags: ImportFlags): Promise<void> {
  const place = placeOf(flags);
  const text = readList(place);
  refuseWhileActive(place, "import stories");
  const imported = source === "gh" ? await fromGitHub(place.project, flags) : fromFile(source);
  if (imported.stories.length === 0) {
    throw new UserError(
      "nothing was imported",
      imported.done > 0 ? `all ${imported.done} of its stories are done already` : "no story was found there",
      "Give a prd.json with userStories, or Markdown with lines such as - [ ] what is to be done.",
    );
  }
  const json = parseJson(text);
  const isFresh = json.ok && isUnfilled(json.value);
  const before = isFresh ? (json.value as TaskList) : loadList(place, { ...DEFAULT_RULES, skipReview: true });
  const after = addStories(before, imported, isFresh);
  const { list, faults } = checkList(formatList(after), { ...DEFAULT_RULES, skipReview: true });
  const [fault] = faults;
  if (list === undefined || fault !== undefined) {
    throw new UserError(
      "nothing was imported",
      oneLine(`${place.paths.tasks}: ${fault?.path ?? ""} ${fault?.message ?? ""}`),
      "Mend it, then import again.",
    );
  }
  writeProjectFile(place.project, place.paths.tasks, formatList(list));
  for (const { id, title } of after.userStories.slice(after.userStories.length - imported.stories.length)) {
    say(`${cleanLine(id, 20, "…")}  ${cleanLine(title, 100, "…")}`);
  }
  if (imported.done > 0) say(`Left out, because they are done there: ${imported.done}.`);
  say(`Written to ${place.paths.tasks}. Read them before you start a run: an agent will do what they say.`);
}

function fromFile(source: string): Imported {
  let text: string;
  try {
    text = readPlain(resolve(source), MOST_BYTES);
  } catch (error) {
    throw new UserError(
      `cannot read ${oneLine(source)}`,
      codeOf(error) === "ENOENT" ? "there is no such file" : messageOf(error),
      "Give a prd.json or a Markdown file, or gh for the issues on GitHub.",
      { cause: error },
    );
  }
  const found = fromText(text);
  if (found !== undefined) return found;
  throw new UserError(
    `cannot understand ${oneLine(source)}`,
    "it is no JSON with userStories, and no Markdown with checkboxes",
    "Give a prd.json with userStories, or Markdown with lines such as - [ ] what is to be done.",
  );
}

async function fromGitHub(project: string, flags: ImportFlags): Promise<Imported> {
  const limit = flags.limit ?? "30";
  if (!/^[1-9]\d{0,3}$/.test(limit)) {
    throw new UserError(
      "cannot understand the command line",
      "--limit takes a whole number of 1 or more",
      "Write for example --limit 30.",
    );
  }
  const gh = which("gh", { cwd: project, path: process.env["PATH"] });
  if (gh === undefined) {
    throw new UserError(
      "cannot read the issues on GitHub",
      "the program gh is not installed",
      "Install it (https://cli.github.com) and log in: gh auth login",
    );
  }
  const label = flags.label === undefined ? [] : [`--label=${flags.label}`];
  const result = await exec(
    gh,
    ["issue", "list", "--state=open", `--limit=${limit}`, ...label, "--json=number,title,body"],
    { cwd: project, env: { ...process.env, GH_PROMPT_DISABLED: "1", NO_COLOR: "1" } },
  );
  const json = parseJson(result.stdout);
  const found = result.code === 0 && json.ok ? fromIssues(json.value) : undefined;
  if (found !== undefined) return found;
  throw new UserError(
    "cannot read the issues on GitHub",
    oneLine(result.error ?? (result.stderr.trim() || `gh ended with exit code ${result.code}`)),
    "Try it yourself: gh issue list",
  );
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
