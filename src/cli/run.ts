import { clearedRun, resolveHere, showRun, startRun, tidyFlags } from "./start.ts";

/** `ralph run`: the loop, or with `--dry-run` what it would be. */
export async function runCommand(given: Record<string, unknown>): Promise<void> {
  const flags = tidyFlags(given);
  const resolved = await resolveHere(flags);
  if (flags.dryRun === true) await showRun(resolved, flags);
  else await startRun(await clearedRun(resolved, flags), flags);
}
