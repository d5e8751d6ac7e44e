import { kindOf } from "../agents/registry.ts";
import { type RunFlags, resolveRun } from "../config/resolve.ts";
import { ensureRalphFolder } from "../config/write.ts";
import { UserError } from "../errors.ts";
import { launch } from "../loop/launch.ts";
import { EXIT_CODES } from "../loop/outcome.ts";
import { preflight } from "../loop/preflight.ts";
import { redactValue } from "../redact.ts";
import { which } from "../supervise/which.ts";
import { createReporter } from "./reporters.ts";
import { listenForSignals } from "./signals.ts";
import { askForTrust, isTrustedProject } from "./trust.ts";

/** What `ralph run` adds to the flags that describe the run. */
interface CommandFlags extends RunFlags {
  readonly json?: boolean;
  readonly dryRun?: boolean;
  readonly trust?: boolean;
}

/** `ralph run`: resolve, check, ask for trust, drive, and leave with the outcome's exit code. */
export async function runCommand(given: Record<string, unknown>): Promise<void> {
  const flags = tidy(given);
  const project = process.cwd();
  const resolved = await resolveRun({
    project,
    cwd: project,
    flags,
    env: process.env,
    kindOf,
    findProgram: (name) => which(name, { cwd: project, path: process.env["PATH"] }),
  });
  await preflight(resolved.spec, process.env, (key) => resolved.sources.get(key));
  if (flags.dryRun === true) {
    const { dryRun } = await import("./dry-run.ts");
    const mayAskAgent = isTrustedProject(resolved, flags.trust === true);
    await dryRun(resolved, { mayAskAgent, json: flags.json === true });
    return;
  }
  await askForTrust(resolved, flags.trust === true);
  ensureRalphFolder(project);

  const { show, streamAgentOutput } = resolved;
  const reporter = await createReporter({
    show,
    streamAgentOutput,
    json: flags.json === true,
    verbose: flags.verbose === true,
  });
  for (const file of resolved.files) reporter.detail(`Loading settings from ${file.name}`);
  reporter.detail(`Configuration: ${JSON.stringify(redactValue(resolved.spec))}`);
  const signals = listenForSignals((text) => process.stderr.write(text));
  try {
    const { outcome } = await launch({
      spec: resolved.spec,
      reporter,
      softStop: signals.soft,
      hardStop: signals.hard,
    });
    process.exitCode = EXIT_CODES[outcome.kind];
  } finally {
    signals.release();
  }
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
