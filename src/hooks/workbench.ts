import { messageOf } from "../errors.ts";
import { runFolder, stateRoot } from "../journal/paths.ts";
import { systemClock } from "../loop/clock.ts";
import type { Perform } from "../loop/drive.ts";
import { createPerform } from "../loop/perform.ts";
import { keepReceipt } from "../loop/receipt.ts";
import { AT_END, keepSnapshots, openStore, type SnapshotNote } from "../loop/snapshots.ts";
import type { Workshop } from "../loop/workshop.ts";
import { fingerprint } from "../snapshot/fingerprint.ts";
import { openTreeMeter } from "../snapshot/tree.ts";
import type { RunSpec } from "../spec.ts";
import { RUN_VARIABLE } from "../supervise/leftovers.ts";
import { findMeans, GROUP } from "../supervise/means.ts";
import type { Marker } from "./places.ts";
import { SILENT } from "./silent.ts";

/** Makes ready to run the checks of a loop, as every other run does. */
export async function openWorkbench(marker: Marker, spec: RunSpec): Promise<Perform> {
  const { run, project } = marker;
  const { env } = process;
  const hard = new AbortController();
  // A program that ends its hook does not want the checks to go on either.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
    process.once(signal, () => hard.abort(signal));
  const meter = await openTreeMeter({ project, folder: marker.folder, env: { [RUN_VARIABLE]: run } });
  const means = (await findMeans(spec.processes ?? "auto", env)) ?? GROUP;
  const shop: Workshop = {
    run,
    spec,
    folder: runFolder(stateRoot(env), project, run),
    agents: [],
    env,
    means: { agent: means, check: means },
    fenced: false,
    kept: [],
    clock: systemClock,
    reporter: SILENT,
    ...(meter === undefined ? {} : { meter }),
    untrackedBefore: new Set(),
    softStop: hard.signal,
    hardStop: hard.signal,
  };
  const perform = createPerform(shop);
  return async (step, state, record) => {
    const event = await perform(step, state, record);
    // What was cut short has found nothing: the turn is looked at again, whoever goes on.
    if (hard.signal.aborted) throw new Error(`the checks were ended by ${String(hard.signal.reason)}`);
    return event;
  };
}

/** A name for what stands in the project now; undefined when it cannot be told. */
export async function treeNow({ project, folder, run }: Marker): Promise<string | undefined> {
  const meter = await openTreeMeter({ project, folder, env: { [RUN_VARIABLE]: run } });
  if (meter === undefined) return fingerprint(project);
  const tree = await meter.measure();
  return "name" in tree ? tree.name : undefined;
}

/** What stood there when the run ended, as every run remembers it; or why that cannot be told. */
export async function takeEndSnapshot({
  project,
  folder,
  run,
}: Marker): Promise<SnapshotNote & { readonly snapshotPath?: string }> {
  const snapshots = keepSnapshots({ project, folder, opening: openStore({ project, folder, run }) });
  const seen = await snapshots.take(AT_END);
  return { ...seen, ...(seen.snapshot === undefined ? {} : { snapshotPath: snapshots.path }) };
}

/** Leaves the receipt of a verified run; what keeps it from being written is told. */
export async function leaveReceipt({ project, run }: Marker): Promise<string> {
  const folder = runFolder(stateRoot(process.env), project, run);
  const kept = await keepReceipt(folder, project).catch((error: unknown) => ({ fault: messageOf(error) }));
  return "fault" in kept ? `no receipt: ${kept.fault}` : `receipt: ${kept.path}`;
}
