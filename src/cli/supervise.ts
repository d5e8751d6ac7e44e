import { clearedRun, resolveHere, type StartFlags, startRun } from "./start.ts";

/** `ralph supervise -- <command…>`: restarts a command until its task's folder holds DONE. */
export async function superviseCommand(words: readonly string[], flags: StartFlags): Promise<void> {
  await startRun(await clearedRun(await resolveHere(flags, { command: words }), flags), flags);
}
