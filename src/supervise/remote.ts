import { setTimeout as sleep } from "node:timers/promises";
import type { ProcessMark } from "../events.ts";
import { endTree } from "./tree.ts";

/** Who signals what does not run below us, where our own signals do not arrive: a container, a machine of its own. */
export interface Remote {
  /** Signals everything that was started with this mark. What is not there, or no longer, is no fault. */
  signal(mark: string, signal: "SIGTERM" | "SIGKILL"): Promise<void>;
}

/** Between two attempts at one that may only be starting. */
const AGAIN_MS = 500;
const KILL_SETTLES_MS = 10_000;

/** Ends it: SIGTERM, a grace, SIGKILL, until `gone` tells that the client saw the end; at last the client itself. */
export async function endRemote(
  remote: Remote,
  client: ProcessMark,
  graceMs: number,
  gone: Promise<unknown>,
): Promise<void> {
  if (graceMs > 0) {
    await remote.signal(client.mark, "SIGTERM");
    if (await isWithin(graceMs, gone)) return;
  }
  const deadline = Date.now() + KILL_SETTLES_MS;
  while (Date.now() < deadline) {
    await remote.signal(client.mark, "SIGKILL");
    if (await isWithin(AGAIN_MS, gone)) return;
  }
  await endTree(client, 0);
  await remote.signal(client.mark, "SIGKILL");
}

async function isWithin(ms: number, promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([promise.then(() => true), sleep(ms, false, { ref: false })]);
}
