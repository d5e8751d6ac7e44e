import { pidInSpace, spaceOf } from "./namespace.ts";
import { isAlive, startTicksOf } from "./proc.ts";

/** The variable by which a ralph inside a namespace knows the ones around it, the nearest first. */
export const SPACES_VARIABLE = "RALPH_PID_SPACES";

/** The pid namespaces that this process is in, its own first, as far as it was told. */
export function ownSpaces(env: NodeJS.ProcessEnv): string[] {
  const own = spaceOf("self");
  if (own === undefined) return [];
  const around = (env[SPACES_VARIABLE] ?? "").split(" ").filter((space) => space !== "" && space !== own);
  return [own, ...around];
}

/** The namespace that Linux starts in: every process of the machine is seen from it. */
const OUTERMOST = "pid:[4026531836]";

/** A process as it names itself: its number is the one in the first of its namespaces. */
export interface Named {
  readonly pid: number;
  readonly startTicks?: number;
  readonly spaces?: readonly string[];
}

/**
 * The number by which we know a process that named itself: itself when it shares our namespace, another when it is in one
 * inside ours, `unseen` when it is in one that we cannot look into, undefined when it is gone.
 */
export function locate(named: Named): number | "unseen" | undefined {
  const here = spaceOf("self");
  const [its] = named.spaces ?? [];
  if (its === undefined || here === undefined || its === here) return living(named.pid, named.startTicks);
  const pid = pidInSpace(its, named.pid);
  if (pid !== undefined) return living(pid, named.startTicks);
  return here === OUTERMOST || named.spaces?.includes(here) === true ? undefined : "unseen";
}

function living(pid: number, startTicks: number | undefined): number | undefined {
  if (!isAlive(pid)) return undefined;
  // Where the system tells start times ralph always names its own: without one it is not ralph who wrote that.
  return startTicksOf(pid) === startTicks ? pid : undefined;
}

/** How this process names itself to others. */
export function nameSelf(env: NodeJS.ProcessEnv): Named {
  const startTicks = startTicksOf(process.pid);
  const spaces = ownSpaces(env);
  return {
    pid: process.pid,
    ...(startTicks === undefined ? {} : { startTicks }),
    ...(spaces.length === 0 ? {} : { spaces }),
  };
}
