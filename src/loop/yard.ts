import type { LoopEvent } from "../events.ts";
import { type RunFolder, stateRoot } from "../journal/paths.ts";
import { everyAgent } from "../sandbox/effective.ts";
import type { Watch } from "../sandbox/planted.ts";
import type { Policy } from "../sandbox/policy.ts";
import type { RunSpec } from "../spec.ts";
import type { Reporter } from "../ui/reporter.ts";
import { type OpenDesk, openDeskFor } from "./desk.ts";
import { type Fence, openFence, withFence } from "./fence.ts";
import { guardWords, isGuarded, keepGuard, placeOf } from "./guard-place.ts";
import type { Workshop } from "./workshop.ts";

/** What stands around the agents of a run: the fence, the guard where there is none, and the desk that answers their hooks. */
export interface Yard {
  /** What it adds to the workshop. */
  readonly parts: Pick<Workshop, "means" | "fenced" | "sync" | "desk" | "guard">;
  /** The event by which a run begins or goes on, with what keeps its agents in. */
  begin(event: LoopEvent): LoopEvent;
  close(): Promise<void>;
}

interface Site {
  readonly run: string;
  readonly spec: RunSpec;
  readonly folder: RunFolder;
  readonly env: NodeJS.ProcessEnv;
  readonly reporter: Reporter;
  readonly hooks?: OpenDesk;
  readonly onNotice: (words: string, level: "info" | "warning") => void;
}

/** Opens all of it. Throws a UserError when the fence that is asked for does not hold. */
export async function openYard(site: Site): Promise<Yard> {
  const { run, spec, folder, env } = site;
  const root = stateRoot(env);
  const agents = everyAgent(spec);
  // With a fence the guard is there only when it was asked for; whether there is one is known when it has been tried.
  let guarded = isGuarded(spec, true);
  const place = placeOf(spec, env);
  const desk = await openDeskFor(
    agents,
    { run, spec, folder, root, env, guard: () => (guarded ? place : undefined) },
    site,
  );
  let fence: Fence | undefined;
  let watching: Watch | undefined;
  try {
    fence = await openFence({
      run,
      spec,
      agents,
      env,
      stateRoot: root,
      folder: folder.folder,
      onNotice: site.onNotice,
      // A hook inside has to read what its guard is told, and to reach the desk.
      shown: guarded ? [keepGuard(spec, run, env)] : [],
      services: desk === undefined ? [] : [new URL(desk.at(0).url).host],
    });
    if (fence.policy !== undefined) watching = await watch(site, fence.policy);
  } catch (error) {
    await fence?.close();
    await desk?.close();
    throw error;
  }
  const fenced = fence.note !== undefined && fence.note.kind !== "none";
  guarded = isGuarded(spec, fenced);
  return {
    parts: {
      means: fence.means,
      fenced,
      ...(fence.sync === undefined
        ? {}
        : { sync: { ...fence.sync, ...(watching === undefined ? {} : { tidy: watching.tidy }) } }),
      ...(desk === undefined ? {} : { desk }),
      ...(guarded ? { guard: keepGuard(spec, run, env) } : {}),
    },
    begin: (event) => withFence(event, fence, fenced ? [] : [guardWords(agents, guarded)]),
    close: async () => {
      try {
        await fence.close();
      } finally {
        await desk?.close();
        // Checks and judges have been inside since the last turn.
        await watching?.end();
      }
    },
  };
}

/** Watches over what the user's git obeys; what those inside leave of that is taken away. */
async function watch({ folder, onNotice }: Site, policy: Policy): Promise<Watch> {
  const { watchRepository } = await import("../sandbox/planted.ts");
  return watchRepository({ policy, folder: folder.folder, tell: (words) => onNotice(words, "warning") });
}
