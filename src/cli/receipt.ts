import { constants, copyFileSync, existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { codeOf, messageOf, UserError } from "../errors.ts";
import { type RunFolder, runFolder, stateRoot } from "../journal/paths.ts";
import { keepReceipt, receiptPath } from "../loop/receipt.ts";
import { objectsOf } from "../receipt/facts.ts";
import { readReceipt } from "../receipt/read.ts";
import type { Receipt } from "../receipt/schema.ts";
import { bundleInto, openStore } from "../receipt/store.ts";
import { clean, cleanLine } from "../ui/clean.ts";
import { count, formatDuration, formatMoney, formatTokens } from "../ui/format.ts";
import { findRun, summaryOf } from "./find-run.ts";
import { wordOf } from "./list.ts";

type Tasks = NonNullable<Receipt["tasks"]>;

interface Flags {
  readonly json?: boolean;
  readonly bundle?: string | true;
}

/** `ralph receipt [run]`: the proof of a verified run, for people, as JSON, or with its trees in a file. */
export async function receiptCommand(asked: string | undefined, flags: Flags): Promise<void> {
  const project = process.cwd();
  const run = findRun(project, asked);
  const folder = runFolder(stateRoot(process.env), project, run);
  const receipt = await receiptIn(project, run, folder);
  const bundle = flags.bundle === true ? `${run}.bundle` : flags.bundle;
  if (bundle !== undefined) await pack(receipt, project, folder, bundle);
  const text = flags.json === true ? JSON.stringify(receipt, null, 2) : describe(receipt).join("\n");
  if (bundle === undefined || flags.json === true) process.stdout.write(`${text}\n`);
}

/** A run that was killed at its very end has not written its receipt: then it is composed now. */
async function receiptIn(project: string, run: string, folder: RunFolder): Promise<Receipt> {
  const path = receiptPath(folder);
  if (existsSync(path)) return readReceipt(path);
  const summary = summaryOf(project, run);
  if (summary.outcome?.kind !== "verified") {
    throw new UserError(
      `run ${run} has no receipt`,
      `${wordOf(summary)} is not proven: only a verified run has one`,
      "`ralph list` shows which runs are verified.",
    );
  }
  const kept = await keepReceipt(folder, project);
  if (!("fault" in kept)) return kept.receipt;
  throw new UserError(
    `the receipt of run ${run} cannot be composed`,
    kept.fault,
    "`ralph logs` shows what the run did.",
  );
}

async function pack(receipt: Receipt, project: string, folder: RunFolder, file: string): Promise<void> {
  const { work, run } = receipt;
  if (work === undefined) {
    throw new UserError("there is nothing to pack", "the run was outside git", "Use git, and run it again.");
  }
  const store = await openStore(project, { objects: objectsOf(folder.folder) });
  if ("fault" in store) throw unpackable(store.fault);
  try {
    const made = await bundleInto(store, { tree: work.tree, base: work.base?.tree }, run);
    if ("fault" in made) throw unpackable(made.fault);
    // A link that stands there is not followed, and nothing is written over.
    copyFileSync(made.file, resolve(file), constants.COPYFILE_EXCL);
    process.stderr.write(
      `${file}: ${count(statSync(file).size, "byte")}. It holds all files of the project, as they were judged.\n`,
    );
    process.stderr.write(`Elsewhere: ralph verify receipt.json --bundle ${file}\n`);
  } catch (error) {
    if (error instanceof UserError) throw error;
    const why = codeOf(error) === "EEXIST" ? "there is such a file already" : messageOf(error);
    throw new UserError(`cannot write ${file}`, why, "Choose another name: --bundle <file>", {
      cause: error,
    });
  } finally {
    store.dispose();
  }
}

function unpackable(fault: string): UserError {
  return new UserError("the trees cannot be packed", fault, "They may be gone from the run's folder.");
}

function describe(receipt: Receipt): string[] {
  const { work, totals, machine } = receipt;
  const rows: [string, string | undefined][] = [
    ["run", receipt.run],
    ["asked", askedLine(receipt)],
    ["proven", receipt.reason],
    ["when", `${receipt.startedAt} to ${receipt.endedAt}`],
    ["base", work?.base === undefined ? undefined : atCommit(work.base.tree, work.base.commit)],
    ["final", work === undefined ? "outside git, so no tree is named" : atCommit(work.tree, work.commit?.id)],
    ["diff", work?.diff === undefined ? undefined : `${count(work.diff.files, "file")}, ${work.diff.sha256}`],
    ...(receipt.tasks === undefined ? [] : taskRows(receipt.tasks)),
    ...receipt.gates.map((gate): [string, string] => ["gate", gateLine(gate)]),
    ...receipt.claims.map((claim): [string, string] => ["claim", claimLine(claim)]),
    ["used", usedLine(totals)],
    ...receipt.agents.map((agent): [string, string] => ["agent", agentLine(agent)]),
    [
      "with",
      [
        `ralph ${receipt.ralph}`,
        ...(machine === undefined
          ? []
          : [`node ${machine.node}`, `${machine.platform} ${machine.arch} ${machine.release}`]),
      ].join(", "),
    ],
    ["journal", `${count(receipt.journal.events, "event")}, ${receipt.journal.sha256}`],
    ["digest", receipt.digest.sha256],
  ];
  return rows.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name.padEnd(9)} ${cleanLine(value, 300, "…")}`],
  );
}

function askedLine({ asked, tasks }: Receipt): string | undefined {
  if (tasks === undefined) return asked.text ?? asked.file;
  return `${count(tasks.stories.length, "story", "stories")} of ${tasks.folder}/tasks.json`;
}

/** The stories, and those that nobody but ralph approved. */
function taskRows({ stories, skipReview, reviewCap, autoApproved }: Tasks): [string, string][] {
  const rule = skipReview ? "no reviews" : `at most ${count(reviewCap, "review")} of each story`;
  return [
    ["review", rule],
    ...stories.map((story): [string, string] => ["story", storyLine(story)]),
    ...autoApproved.map((id): [string, string] => [
      "warning",
      `${cleanLine(id, 100, "…")} was approved because its reviews were used up: look at it yourself`,
    ]),
  ];
}

function storyLine({ id, reviews, iterations }: Tasks["stories"][number]): string {
  const had = Object.entries(iterations).filter(([, times]) => times > 0);
  const modes = had.map(([mode, times]) => `${times} ${mode}`).join(", ");
  const here = modes === "" ? "no iteration of this run" : modes;
  return `${cleanLine(id, 100, "…")}: ${count(reviews, "review")}; iterations: ${here}`;
}

function atCommit(tree: string, commit: string | undefined): string {
  return `tree ${tree}${commit === undefined ? "" : `, commit ${commit}`}`;
}

function gateLine({ name, exitCode, wallMs, before, passedOnRetry }: Receipt["gates"][number]): string {
  const was = before === undefined ? "" : before.pass ? "; green before the run too" : "; red before the run";
  const retry = passedOnRetry === true ? "; on its second try (flaky)" : "";
  return `${clean(name)}: ${exitCode === null ? "passed" : `exit ${exitCode}`} (${formatDuration(wallMs)})${was}${retry}`;
}

function claimLine({ iteration, said, judged, why }: Receipt["claims"][number]): string {
  return `${said} in iteration ${iteration}: ${judged}${why === undefined ? "" : ` (${why})`}`;
}

function usedLine(totals: Receipt["totals"]): string {
  const resumed = totals.resumed === 0 ? "" : `, resumed ${count(totals.resumed, "time")}`;
  return `${count(totals.iterations, "iteration")}, ${formatDuration(totals.wallMs)}, ${formatTokens(totals.tokens)} tokens, ${formatMoney(totals.costUsd)}${resumed}`;
}

function agentLine({ command, models, versions, turns }: Receipt["agents"][number]): string {
  return [command, ...versions, ...models, count(turns, "turn")].join(", ");
}
