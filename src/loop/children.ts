import { setTimeout as sleep } from "node:timers/promises";
import { busPath, messagesFrom, post } from "../bus/bus.ts";
import { messageOf } from "../errors.ts";
import type { LoopEvent } from "../events.ts";
import type { LockOwner } from "../journal/lock.ts";
import { stateRoot } from "../journal/paths.ts";
import { RUN_VARIABLE } from "../supervise/leftovers.ts";
import { holderOf, pidOf } from "./hold.ts";
import type { Workshop } from "./workshop.ts";

/** The variable that names the folder of the task to agents, and so to a ralph that one of them starts. */
export const TASK_VARIABLE = "TASK_FOLDER";

/** What a run that was started from inside an agent of another has to know. */
interface Child {
  readonly run: string;
  readonly project: string;
  readonly now: () => number;
  readonly env: NodeJS.ProcessEnv;
  onFault(text: string): void;
}

/**
 * A run that was started from inside an agent of another says so on that one's bus, and says when it is over. It never fails: the
 * bus is only how others know.
 */
export function announce(child: Child): () => void {
  const parent = child.env[RUN_VARIABLE];
  const task = child.env[TASK_VARIABLE];
  if (parent === undefined || task === undefined || parent === child.run) return () => {};
  const say = (type: string) => {
    try {
      const { run, project } = child;
      post(busPath(task, "task"), { type, body: project, run, from: "ralph", nowMs: child.now() });
    } catch (error) {
      child.onFault(`Could not post to the bus of run ${parent}: ${messageOf(error)}`);
    }
  };
  say("child.started");
  return () => say("child.ended");
}

/** Runs that said they started and have not said that they ended, with the process that drives them where there is one. */
function activeChildren(shop: Workshop): { run: string; pid?: number }[] {
  const said = new Map<string, string>();
  for (const message of messages(shop)) {
    const run = message.run ?? message.body.trim();
    if (run === shop.run || run === "") continue;
    if (message.type === "child.started") said.set(run, message.body.trim());
    if (message.type === "child.ended") said.delete(run);
  }
  return [...said].flatMap(([run, project]) => {
    // One that only says so is believed; one that names its project must hold it.
    if (!project.startsWith("/")) return [{ run }];
    const owner = ownerIn(shop, project);
    if (owner?.run !== run) return [];
    const pid = pidOf(owner);
    return [pid === undefined ? { run } : { run, pid }];
  });
}

/** Who works in a folder that a message named. The agent may have made it up, or have removed it since: then it is nobody. */
function ownerIn(shop: Workshop, project: string): LockOwner | undefined {
  try {
    return holderOf(stateRoot(shop.env), project);
  } catch {
    return undefined;
  }
}

/** The processes that drive child runs: they may go on when the turn that started them is over. */
export function childProcesses(shop: Workshop): number[] {
  return activeChildren(shop).flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
}

/** Waits until the child runs have ended, or for as long as the run allows. */
export async function awaitChildren(shop: Workshop, iteration: number): Promise<LoopEvent> {
  const { childWaitMs, pollMs } = shop.spec.restart;
  const deadline = shop.clock.now() + childWaitMs;
  const waitedFor = new Set<string>();
  for (;;) {
    const active = activeChildren(shop).map(({ run }) => run);
    for (const child of active) waitedFor.add(child);
    if (active.length === 0 || shop.clock.now() >= deadline || shop.softStop.aborted) {
      return {
        type: "children.settled",
        at: shop.clock.now(),
        run: shop.run,
        iteration,
        waitedFor: [...waitedFor],
        stillActive: active,
      };
    }
    const napMs = Math.min(pollMs, deadline - shop.clock.now());
    await sleep(napMs, undefined, { signal: shop.softStop }).catch(() => {}); // a stop ends the wait
  }
}

/** The bus is the agent's to write, and may be anything; that it cannot be read never harms the run. */
function messages(shop: Workshop) {
  try {
    return [...messagesFrom(busPath(shop.spec.taskDir, "task"), 0)];
  } catch (error) {
    shop.reporter.detail(`The bus cannot be read: ${messageOf(error)}`);
    return [];
  }
}
