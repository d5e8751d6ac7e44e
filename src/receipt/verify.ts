import type { Fault } from "../snapshot/shadow.ts";
import { type Again, runAgain } from "./again.ts";
import { checkCommit } from "./commit.ts";
import { diffFrom, rawDiff } from "./diff.ts";
import { changedParts, differingParts } from "./digest.ts";
import { type KeptRun, objectsOf, receiptOf } from "./facts.ts";
import type { Finding } from "./finding.ts";
import type { Receipt } from "./schema.ts";
import { checkSettings } from "./settings.ts";
import { openStore, type Store } from "./store.ts";
import { checkTasks } from "./tasks.ts";

/** What is to be verified, and with what. */
export interface Verification extends Again {
  readonly receipt: Receipt;
  /** The folder whose repository is asked for the trees. */
  readonly project: string;
  /** The run as this machine keeps it; absent on any other. */
  readonly kept?: KeptRun | undefined;
  readonly bundle?: string | undefined;
  /** Asks whether the gates may be run. `isOwn`: this machine ran these very commands before. Throws when they may not. */
  consent(isOwn: boolean): Promise<void>;
}

/** Checks all that a receipt says, then runs every gate again on a clean checkout. One finding a line of the answer. */
export async function verifyReceipt(asked: Verification): Promise<readonly Finding[] | Fault> {
  const { receipt } = asked;
  const findings = [checkSeal(receipt), await checkJournal(asked)];
  const isOwn = findings.every((finding) => finding.found === "same");
  if (receipt.work === undefined) {
    return [
      ...findings,
      { what: "tree", found: "missing", how: "none was named: the run was outside git" },
      ...notRun(asked),
    ];
  }
  const objects = asked.kept === undefined ? undefined : objectsOf(asked.kept.folder);
  const store = await openStore(asked.project, { objects, bundle: asked.bundle });
  if ("fault" in store) return store;
  try {
    const tree = await checkTree(asked, receipt.work.tree, store);
    findings.push(
      tree,
      ...(await checkDiff(receipt.work, store)),
      ...(await checkCommit(receipt, asked.project, store)),
      ...(await checkSettings(receipt, store)),
      ...(tree.found === "same" ? await checkTasks(receipt, store) : []),
    );
    // Commands of a receipt that was changed are not even asked about.
    if (findings[0]?.found !== "same" || tree.found !== "same") return [...findings, ...notRun(asked)];
    await asked.consent(isOwn);
    return [...findings, ...(await runAgain(asked, store))];
  } finally {
    store.dispose();
  }
}

function checkSeal(receipt: Receipt): Finding {
  const changed = changedParts(receipt);
  if (changed.length === 0)
    return { what: "receipt", found: "same", how: `digest ${receipt.digest.sha256.slice(0, 16)}` };
  return { what: "receipt", found: "different", how: `changed since it was written: ${changed.join(", ")}` };
}

/** The journal tells everything anew: what it does not lead to was put in by somebody. */
async function checkJournal({ receipt, kept }: Verification): Promise<Finding> {
  const what = "journal";
  if (kept === undefined) return { what, found: "not checked", how: "the run is not kept on this machine" };
  const anew = await receiptOf(kept);
  if ("fault" in anew) return { what, found: "different", how: anew.fault };
  if (anew.journal.sha256 !== receipt.journal.sha256) {
    return {
      what,
      found: "different",
      how: "another journal led to this receipt, or one of the two was changed",
    };
  }
  const differing = differingParts(anew.digest.parts, receipt.digest.parts);
  if (differing.length === 0)
    return { what, found: "same", how: `${receipt.journal.events} events lead to this receipt` };
  return { what, found: "different", how: `its events tell otherwise: ${differing.join(", ")}` };
}

async function checkTree({ bundle }: Verification, tree: string, store: Store): Promise<Finding> {
  const what = "tree";
  const type = await store.shadow.git(["cat-file", "-t", tree]);
  if (type.stdout.trim() === "tree") return { what, found: "same", how: tree };
  if (type.code === 0)
    return { what, found: "different", how: `${tree} is a ${type.stdout.trim()}, and no tree` };
  const where =
    bundle === undefined
      ? "in this repository; --bundle brings it along"
      : "in this repository, nor in the bundle";
  return { what, found: "missing", how: `${tree} is not ${where}` };
}

async function checkDiff(
  { base, tree, diff }: NonNullable<Receipt["work"]>,
  store: Store,
): Promise<Finding[]> {
  const what = "diff";
  if (base === undefined || diff === undefined) return [];
  const there = await store.shadow.git(["cat-file", "-e", `${base.tree}^{tree}`]);
  if (there.code !== 0) return [{ what, found: "missing", how: `the base tree ${base.tree} is not here` }];
  const now = diffFrom(await store.shadow.git(rawDiff(base.tree, tree)));
  if ("fault" in now) return [{ what, found: "missing", how: now.fault }];
  const files = `${now.files} ${now.files === 1 ? "file" : "files"} changed`;
  if (now.sha256 === diff.sha256 && now.files === diff.files) return [{ what, found: "same", how: files }];
  return [{ what, found: "different", how: `the two trees differ otherwise (${files}, was ${diff.files})` }];
}

function notRun({ receipt }: Verification): Finding[] {
  return receipt.gates.map((gate) => ({ what: gate.name, gate: true, found: "not checked", how: "not run" }));
}

/** Does everything hold? What cannot be known here speaks neither for nor against it; a gate that was not run does. */
export function holds(findings: readonly Finding[]): boolean {
  return findings.every(
    ({ found, gate }) => found === "same" || found === "note" || (found === "not checked" && gate !== true),
  );
}
