import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../errors.ts";
import type { LoopEvent } from "../events.ts";
import type { RunFolder } from "../journal/paths.ts";
import { readJournal } from "../journal/read.ts";
import { type KeptRun, receiptOf } from "../receipt/facts.ts";
import type { Receipt } from "../receipt/schema.ts";
import type { KeptTasks } from "../receipt/tasks.ts";
import type { Fault } from "../snapshot/shadow.ts";
import { iterationRecords, runTasks } from "./task-records.ts";
import { keptList } from "./task-store.ts";

/** Where a run keeps its receipt. */
export function receiptPath({ folder }: RunFolder): string {
  return join(folder, "receipt.json");
}

/** A run as its folder holds it, for its receipt. */
export function keptRun(folder: RunFolder, project: string): KeptRun {
  const events = readJournal(folder.journal);
  const tasks = keptTasks(folder, events);
  return { project, folder: folder.folder, journal: readFileSync(folder.journal), events, tasks };
}

function keptTasks(folder: RunFolder, events: readonly LoopEvent[]): KeptTasks | Fault | undefined {
  const tasks = runTasks(events);
  if (tasks === undefined) return undefined;
  if (tasks.list === undefined) return { fault: "the run never took up its task list" };
  try {
    const list = keptList({ folder }, tasks.list);
    return { list, capped: tasks.capped, records: iterationRecords(events) };
  } catch (error) {
    return { fault: `its task list cannot be read: ${messageOf(error)}` };
  }
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
