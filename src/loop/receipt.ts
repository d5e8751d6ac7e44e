import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunFolder } from "../journal/paths.ts";
import { readJournal } from "../journal/read.ts";
import { type KeptRun, receiptOf } from "../receipt/facts.ts";
import type { Receipt } from "../receipt/schema.ts";
import type { Fault } from "../snapshot/shadow.ts";

/** Where a run keeps its receipt. */
export function receiptPath({ folder }: RunFolder): string {
  return join(folder, "receipt.json");
}

/** A run as its folder holds it, for its receipt. */
export function keptRun({ folder, journal }: RunFolder, project: string): KeptRun {
  return { project, folder, journal: readFileSync(journal), events: readJournal(journal) };
}

/** Composes the receipt of a verified run and keeps it in the run's folder, whole or not at all. */
export async function keepReceipt(
  folder: RunFolder,
  project: string,
): Promise<{ readonly receipt: Receipt; readonly path: string } | Fault> {
  const receipt = await receiptOf(keptRun(folder, project));
  if ("fault" in receipt) return receipt;
  const path = receiptPath(folder);
  writeFileSync(`${path}.new`, `${JSON.stringify(receipt, null, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
  return { receipt, path };
}
