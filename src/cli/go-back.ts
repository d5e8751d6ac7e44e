import { Interrupted, UserError } from "../errors.ts";
import { stateRoot } from "../journal/paths.ts";
import { newRollbackId, noteRollback } from "../journal/rollbacks.ts";
import { holdProject } from "../loop/hold.ts";
import { gapsSince, type Since } from "../loop/travel.ts";
import { git, standsOn } from "../scm/git.ts";
import { type Kept, planRestore, type Reason, type RestorePlan } from "../snapshot/plan.ts";
import { applyRestore, type Restored } from "../snapshot/restore.ts";
import { takeSnapshot } from "../snapshot/take.ts";
import { cleanLine } from "../ui/clean.ts";
import { count } from "../ui/format.ts";
import { must, openPast, type Past, quote } from "./travel.ts";

/** Where a rollback goes. */
export interface Journey {
  readonly to: string;
  /** The same in words: "before iteration 2". */
  readonly words: string;
  /** From when on the user's own work is to be kept. */
  readonly since: Since;
  /** The rollback that it takes back. */
  readonly undoes?: string;
  /** The command that takes this one back. */
  readonly reverse: string;
  /** What HEAD stood on then. */
  readonly head?: string;
  readonly branch?: string;
}

const MOST_LINES = 20;

/**
 * Brings the files back to a snapshot, after it has said what will change and was told to. The present is snapshotted first,
 * and the project is held meanwhile, so that no run works in it.
 */
export async function goBack(past: Past, journey: Journey, flags: { yes?: boolean }): Promise<void> {
  const { project, run, shadow, folder } = past;
  const hold = await holdProject(stateRoot(process.env), { project, run, isNew: false }, Date.now());
  try {
    mustBeLatest(past);
    const id = newRollbackId();
    const failed = "cannot take a snapshot of what stands there now";
    const present = must(await takeSnapshot(shadow, `present-${id}`, { mayLeaveOut: true }), failed);
    const from = present.name;
    const gaps = gapsSince(past, journey.since, from);
    const plan = must(await planRestore(shadow, { from, to: journey.to, gaps }), "cannot plan the way back");
    const isNothing = plan.write.length + plan.remove.length === 0;
    if (isNothing) say(`Nothing to change: the files are as ${journey.words}.`);
    else say(...describe(plan, journey));
    const young = (present.without ?? []).map((path): Kept => ({ path, why: "repository" }));
    say(...describeKept([...plan.kept, ...young], journey));
    if (!isNothing) {
      await ask(flags);
      const { to, words, undoes } = journey;
      const record = { id, at: Date.now(), events: past.events.length, from, to, words };
      noteRollback(folder, { ...record, ...(undoes === undefined ? {} : { undoes }) });
      const goOn = "The same command goes on from there; `ralph undo` takes back what was done.";
      const done = must(await applyRestore(shadow, plan), "the way back was not finished", goOn);
      const after = must(
        await takeSnapshot(shadow, undefined, { mayLeaveOut: true }),
        "the way back has no end",
        goOn,
      );
      noteRollback(folder, { id, after: after.name });
      tell(done, journey);
    }
    if (shadow.isRepository) say(...(await headNotes(project, journey)));
  } finally {
    hold.release();
  }
}

/** What was read before the project was held may be old by now: then another way back may be meant. */
function mustBeLatest({ run, events, rollbacks }: Past): void {
  const now = openPast(run);
  if (now.events.length === events.length && now.rollbacks.length === rollbacks.length) return;
  throw new UserError("the run went on meanwhile", "it is not where it was a moment ago", "Try again.");
}

function describe(plan: RestorePlan, { words }: Journey): string[] {
  const lines = [
    ...plan.write.map(
      ({ path, from }) => `  ${from === undefined ? "put back" : "restore "}  ${shown(path)}`,
    ),
    ...plan.remove.map(({ path }) => `  remove    ${shown(path)}`),
  ];
  return [`Back to ${words}:`, ...atMost(lines)];
}

const REASONS: Readonly<Record<Exclude<Reason, "conflict">, string>> = {
  yours: "you changed it since",
  "in-the-way": "something that stays stands in its place",
  ignored: "it was ignored by git then",
  repository: "another repository: its own git keeps what is in it",
};

function describeKept(kept: readonly Kept[], { undoes }: Journey): string[] {
  if (kept.length === 0) return [];
  const who = undoes === undefined ? "the run" : "the rollback";
  const reason = (why: Reason) => (why === "conflict" ? `you changed it after ${who} did` : REASONS[why]);
  return ["Kept as it is:", ...atMost(kept.map(({ path, why }) => `  ${shown(path)} (${reason(why)})`))];
}

function atMost(lines: readonly string[]): string[] {
  if (lines.length <= MOST_LINES) return [...lines];
  return [...lines.slice(0, MOST_LINES), `  and ${lines.length - MOST_LINES} more`];
}

async function ask(flags: { yes?: boolean }): Promise<void> {
  if (flags.yes === true) return;
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw new UserError(
      "nothing was changed",
      "there is no terminal to ask on",
      "If that is what you want, add --yes.",
    );
  const { confirm, isCancel } = await import("@clack/prompts");
  const yes = await confirm({
    message: "Change these files? (ralph undo takes it back)",
    initialValue: false,
  });
  if (isCancel(yes) || !yes) throw new Interrupted("Nothing was changed.");
}

function tell({ written, removed, left }: Restored, { reverse }: Journey): void {
  say(
    `Done: ${count(written.length, "file")} written, ${removed.length} removed. To take it back: ${reverse}`,
  );
  if (left.length === 0) return;
  say("Not done:", ...atMost(left.map(({ path, why }) => `  ${shown(path)} (${cleanLine(why, 200, "…")})`)));
  process.exitCode = 1;
}

/** HEAD is never moved: what was committed since is still there, and stays until the user drops it. */
async function headNotes(project: string, { head, branch, undoes }: Journey): Promise<string[]> {
  if (head === undefined || undoes !== undefined) return [];
  const now = await standsOn(project);
  if (now.head === head && now.branch === branch) return [];
  if (now.head === undefined)
    return [`Git itself was left alone, and cannot tell what HEAD stands on; it was ${head.slice(0, 10)}.`];
  const counted = await git(project, ["rev-list", "--count", `${head}..HEAD`]);
  const commits = counted.code === 0 ? Number(counted.stdout) : 0;
  const where = now.branch === undefined ? "no branch" : shown(now.branch);
  const made = commits === 0 ? "" : ` with ${count(commits, "commit")} made since`;
  const back =
    now.branch === branch || branch === undefined
      ? ""
      : `git symbolic-ref HEAD ${quote(`refs/heads/${shown(branch)}`)} && `;
  return [
    `Git itself was left alone: HEAD is on ${where} (${now.head.slice(0, 10)})${made}; it was on ${
      branch === undefined ? "no branch" : shown(branch)
    } (${head.slice(0, 10)}).`,
    `To set it back too, with the files as they are now: ${back}git reset ${head.slice(0, 10)}`,
  ];
}

function shown(path: string): string {
  return cleanLine(path, 300, "…");
}

function say(...lines: string[]): void {
  if (lines.length > 0) process.stdout.write(`${lines.join("\n")}\n`);
}
