import { kindOf } from "../agents/registry.ts";
import { type ResolvedRun, type ResolveInput, type RunFlags, resolveRun } from "../config/resolve.ts";
import { ensureRalphFolder } from "../config/write.ts";
import { UserError } from "../errors.ts";
import { openDesk } from "../hooks/desk.ts";
import { NoFence } from "../loop/fence.ts";
import { launch } from "../loop/launch.ts";
import { EXIT_CODES } from "../loop/outcome.ts";
import { preflight } from "../loop/preflight.ts";
import { redactValue } from "../redact.ts";
import type { RunSpec } from "../spec.ts";
import { which } from "../supervise/which.ts";
import { postingToBus } from "./bus-reporter.ts";
import { createReporter } from "./reporters.ts";
import { listenForSignals } from "./signals.ts";
import { projectOf, tasksFor, type WorkFlags } from "./tasks-run.ts";
import { askForTrust, isTrustedProject } from "./trust.ts";
import { knownToGoWithout, withoutFence } from "./without-fence.ts";

/** What every command that starts a run adds to the flags that describe it. */
export interface StartFlags extends RunFlags, Omit<WorkFlags, "prompt" | "promptFile"> {
  readonly json?: boolean;
  readonly trust?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/** The run of this folder from settings and flags, with what must be true before it starts checked. */
export async function resolveHere(
  flags: StartFlags,
  how: Pick<ResolveInput, "command" | "usual"> = {},
): Promise<ResolvedRun> {
  const project = await projectOf(flags);
  const tasks = how.command === undefined ? await tasksFor(flags, project) : undefined;
  const resolved = await resolveRun({
    project,
    cwd: process.cwd(),
    tasks,
    flags,
    env: process.env,
    kindOf,
    findProgram: (name) => which(name, { cwd: project, path: process.env["PATH"] }),
    ...how,
  });
  await preflight(resolved.spec, process.env, (key) => resolved.sources.get(key));
  return { ...resolved, spec: knownToGoWithout(resolved.spec) };
}

/** Did the user vouch for the project on the command line? */
export function isVouchedFor(flags: StartFlags): boolean {
  return flags.trust === true || flags.yes === true;
}

/** Asks for trust, and goes to the branch of the task list, where there is one; its files may describe another run. */
export async function clearedRun(
  resolved: ResolvedRun,
  flags: StartFlags,
  how: Parameters<typeof resolveHere>[1] = {},
): Promise<ResolvedRun> {
  await askForTrust(resolved, isVouchedFor(flags));
  if (resolved.spec.work.kind !== "tasks" || flags.worktree !== undefined) return resolved;
  const { settleOnItsBranch } = await import("./tasks-branch.ts");
  if (!(await settleOnItsBranch(resolved.spec))) return resolved;
  const again = await resolveHere(flags, how);
  await askForTrust(again, isVouchedFor(flags));
  return again;
}

/** Drives a run that may start, and leaves with the outcome's exit code. */
export async function startRun(resolved: ResolvedRun, flags: StartFlags): Promise<void> {
  const { spec, show, streamAgentOutput } = resolved;
  ensureRalphFolder(spec.project);
  const shown = await createReporter({
    show,
    streamAgentOutput,
    json: flags.json === true,
    verbose: flags.verbose === true,
  });
  const reporter = spec.kind === "supervise" ? postingToBus(shown, spec) : shown;
  for (const file of resolved.files) reporter.detail(`Loading settings from ${file.name}`);
  reporter.detail(`Configuration: ${JSON.stringify(redactValue(spec))}`);
  const signals = listenForSignals((text) => process.stderr.write(text));
  try {
    const go = (what: RunSpec) =>
      launch({ spec: what, reporter, hooks: openDesk, softStop: signals.soft, hardStop: signals.hard });
    const { outcome } = await go(spec).catch(async (error: unknown) => {
      if (!(error instanceof NoFence)) throw error;
      return go(await withoutFence(spec, error, isVouchedFor(flags)));
    });
    process.exitCode = EXIT_CODES[outcome.kind];
  } finally {
    signals.release();
  }
}

/** `--dry-run`: what the run would be. Asks the agent what it takes only when the project's commands are trusted. */
export async function showRun(resolved: ResolvedRun, flags: StartFlags): Promise<void> {
  const { dryRun } = await import("./dry-run.ts");
  const mayAskAgent = isTrustedProject(resolved, isVouchedFor(flags));
  await dryRun(resolved, { mayAskAgent, json: flags.json === true });
}

/** Brings what commander hands over into the shape of the flags. */
export function tidyFlags(given: Record<string, unknown>): StartFlags {
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
  return { ...rest, maximumIterations: maximumIterations ?? maxIterations, color: when } as StartFlags;
}
