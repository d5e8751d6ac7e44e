import { UserError } from "../errors.ts";
import { isVouchedFor, resolveHere, type StartFlags, startRun } from "./start.ts";

/** What `ralph run` adds to the flags of every command that starts a run. */
interface CommandFlags extends StartFlags {
  readonly dryRun?: boolean;
}

/** `ralph run`: the loop, or with `--dry-run` what it would be. */
export async function runCommand(given: Record<string, unknown>): Promise<void> {
  const flags = tidy(given);
  const resolved = await resolveHere(flags);
  if (flags.dryRun !== true) {
    await startRun(resolved, flags);
    return;
  }
  const { dryRun } = await import("./dry-run.ts");
  const { isTrustedProject } = await import("./trust.ts");
  const mayAskAgent = isTrustedProject(resolved, isVouchedFor(flags));
  await dryRun(resolved, { mayAskAgent, json: flags.json === true });
}

/** Brings what commander hands over into the shape of the flags. */
function tidy(given: Record<string, unknown>): CommandFlags {
  const { maximumIterations, maxIterations, color, ...rest } = given;
  if (maximumIterations !== undefined && maxIterations !== undefined && maximumIterations !== maxIterations) {
    throw new UserError(
      "two different iteration limits",
      `--maximum-iterations says ${JSON.stringify(maximumIterations)}, --max-iterations ${JSON.stringify(maxIterations)}`,
      "They are the same thing: give one of them.",
    );
  }
  const when = color === true ? "always" : color === false ? "never" : color;
  // Commander gives `true` for every `--no-x` that was not typed: only a typed one may beat a setting.
  for (const key of ["claimHint", "baseline"]) if (rest[key] === true) delete rest[key];
  return { ...rest, maximumIterations: maximumIterations ?? maxIterations, color: when } as CommandFlags;
}
