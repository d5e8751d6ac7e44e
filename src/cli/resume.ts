import { DEFAULTS } from "../config/defaults.ts";
import { wholeNumberFlag } from "../config/flags.ts";
import { sandboxFlag, usualSandbox } from "../config/sandbox-settings.ts";
import { UserError } from "../errors.ts";
import { openDesk } from "../hooks/desk.ts";
import { resume } from "../loop/launch.ts";
import { EXIT_CODES } from "../loop/outcome.ts";
import type { RunSpec, SandboxSpec } from "../spec.ts";
import { postingToBus } from "./bus-reporter.ts";
import { findRun, isDriven, specOf, summaryOf } from "./find-run.ts";
import { projectHere } from "./project.ts";
import { createReporter } from "./reporters.ts";
import { listenForSignals } from "./signals.ts";

interface Flags {
  readonly maximumIterations?: string;
  readonly sandbox?: string | boolean;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

/** `ralph resume [run]`: goes on after a crash, a stop, or a wait. */
export async function resumeCommand(asked: string | undefined, flags: Flags): Promise<void> {
  const project = projectHere();
  const run = findRun(project, asked);
  const iterations = wholeNumberFlag("--maximum-iterations", flags.maximumIterations, 1)?.value;
  refuse(project, run, iterations);
  const shown = await createReporter(flags);
  const spec = specOf(project, run);
  const sandbox = otherFence(project, spec, flags);
  const reporter = spec?.kind === "supervise" ? postingToBus(shown, spec, true) : shown;
  const signals = listenForSignals((text) => process.stderr.write(text));
  try {
    const outcome = await resume({
      project,
      run,
      reporter,
      hooks: openDesk,
      softStop: signals.soft,
      hardStop: signals.hard,
      ...(iterations === undefined ? {} : { iterations }),
      ...(sandbox === undefined ? {} : { sandbox }),
    });
    process.exitCode = EXIT_CODES[outcome.kind];
  } finally {
    signals.release();
  }
}

/** The fence that the run has from now on, where another one is asked for than it began with. */
function otherFence(project: string, spec: RunSpec | undefined, { sandbox }: Flags): SandboxSpec | undefined {
  const kind = sandboxFlag(sandbox)?.value;
  if (kind === undefined) return undefined;
  return { ...(spec?.sandbox ?? usualSandbox(project, process.env)), kind };
}

function refuse(project: string, run: string, iterations: number | undefined): void {
  const summary = summaryOf(project, run);
  if (isDriven(project, run)) {
    throw new UserError(
      `run ${run} is under way`,
      "another process drives it",
      "See it with `ralph status`.",
    );
  }
  if (summary.status === "success") {
    throw new UserError(
      `run ${run} is done`,
      `it ended as ${summary.outcome?.kind ?? ""}`,
      "Start a new run.",
    );
  }
  const used = summary.iterations >= (iterations ?? summary.maxIterations);
  if (summary.outcome?.kind === "exhausted" && used) {
    throw new UserError(
      `run ${run} has no iterations left`,
      `all ${summary.maxIterations} are used`,
      `Allow it more: ralph resume -m ${summary.maxIterations + DEFAULTS.maximumIterations}`,
    );
  }
}
