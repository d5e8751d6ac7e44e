import { messageOf } from "../errors.ts";
import { standsOn } from "../scm/git.ts";
import { type Fault, openShadow, type Shadow, snapshotsIn } from "../snapshot/shadow.ts";
import { findSnapshot, takeSnapshot } from "../snapshot/take.ts";
import { RUN_VARIABLE } from "../supervise/leftovers.ts";

/** What the journal says of a snapshot. */
export interface SnapshotNote {
  readonly snapshot?: string;
  readonly snapshotFault?: string;
  readonly head?: string;
  readonly branch?: string;
}

/** The snapshots of a run. What goes wrong with them is told and harms nothing else. */
export interface Snapshots {
  readonly path: string;
  /** Takes one. The first of its label keeps it: a later try of the same iteration begins with half the work done. */
  take(label: string): Promise<SnapshotNote>;
  /** Resolves when nothing is under way any more. */
  settled(): Promise<unknown>;
}

/** The label of the snapshot before an iteration, and of the one at the end. */
export const BEFORE = (iteration: number): string => `before-${iteration}`;
export const AT_END = "end";

interface Opening {
  readonly project: string;
  /** The run's own folder. */
  readonly folder: string;
  /** The store, as soon as it is open. */
  readonly opening: Promise<Shadow | Fault>;
}

/** Does not wait for the store: whatever else has to be done before the first iteration goes on beside it. */
export function keepSnapshots({ project, folder, opening }: Opening): Snapshots {
  let last: Promise<unknown> = opening;
  const take = async (label: string): Promise<SnapshotNote> => {
    const shadow = await opening;
    if ("fault" in shadow) return { snapshotFault: shadow.fault };
    const isKnown = label !== AT_END && findSnapshot(shadow, label) !== undefined;
    const [taken, standing] = await Promise.all([
      takeSnapshot(shadow, isKnown ? undefined : label, { mayLeaveOut: true }),
      shadow.isRepository ? standsOn(project) : {},
    ]);
    return { ...("fault" in taken ? { snapshotFault: taken.fault } : { snapshot: taken.name }), ...standing };
  };
  return {
    path: snapshotsIn(folder),
    take: (label) => {
      const taking = take(label).catch((error: unknown) => ({ snapshotFault: messageOf(error) }));
      last = taking;
      return taking;
    },
    settled: () => last,
  };
}

/** Opens the store of a run's snapshots. There is one, whoever asks for it. */
export function openStore({
  project,
  folder,
  run,
}: Record<"project" | "folder" | "run", string>): Promise<Shadow | Fault> {
  return openShadow(project, folder, { [RUN_VARIABLE]: run }).catch(faultOf);
}

function faultOf(error: unknown): { fault: string } {
  return { fault: messageOf(error) };
}
