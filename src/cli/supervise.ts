import { resolve } from "node:path";
import { quote } from "shlex";
import { describeRun } from "../config/describe.ts";
import { durationFlag, wholeNumberFlag } from "../config/flags.ts";
import { ensureRalphFolder } from "../config/write.ts";
import { launch } from "../loop/launch.ts";
import { EXIT_CODES } from "../loop/outcome.ts";
import { preflight } from "../loop/preflight.ts";
import type { RunSpec } from "../spec.ts";
import { postingToBus } from "./bus-reporter.ts";
import { createReporter } from "./reporters.ts";
import { listenForSignals } from "./signals.ts";

interface Flags {
  readonly taskDir?: string;
  readonly maxRestarts?: string;
  readonly restartDelay?: string;
  readonly waitTimeout?: string;
  readonly pollInterval?: string;
  readonly timeout?: string;
  readonly idleTimeout?: string;
  readonly guardrail?: string[];
  readonly json?: boolean;
  readonly verbose?: boolean;
}

const MAX_RESTARTS = 100;
const RESTART_DELAY_MS = 1_000;

/** `ralph supervise -- <command…>`: restarts a command until its task's folder holds DONE. */
export async function superviseCommand(words: readonly string[], flags: Flags): Promise<void> {
  const spec = describe(words, flags);
  await preflight(spec, process.env);
  ensureRalphFolder(spec.project);
  const shown = await createReporter({ json: flags.json === true, verbose: flags.verbose === true });
  const signals = listenForSignals((text) => process.stderr.write(text));
  try {
    const { outcome } = await launch({
      spec,
      reporter: postingToBus(shown, spec),
      softStop: signals.soft,
      hardStop: signals.hard,
    });
    process.exitCode = EXIT_CODES[outcome.kind];
  } finally {
    signals.release();
  }
}

function describe(words: readonly string[], flags: Flags): RunSpec {
  const project = process.cwd();
  const timeouts = {
    ...given("turnMs", durationFlag("--timeout", flags.timeout)),
    ...given("idleMs", durationFlag("--idle-timeout", flags.idleTimeout)),
  };
  const base = describeRun(
    {
      project,
      // One argument each: the words are never read by a shell.
      agent: { kind: "custom", command: words.map(quote).join(" "), flags: [], autonomy: "full" },
      prompt: "",
      guardrails: flags.guardrail ?? [],
      baseline: false,
      timeouts,
    },
    () => "custom",
  );
  return {
    ...base,
    kind: "supervise",
    work: { kind: "none" },
    claim: { response: "", hint: false, done: true },
    taskDir: resolve(project, flags.taskDir ?? "."),
    restart: {
      honoursWaits: true,
      delayMs: durationFlag("--restart-delay", flags.restartDelay)?.value ?? RESTART_DELAY_MS,
      childWaitMs: durationFlag("--wait-timeout", flags.waitTimeout)?.value ?? base.restart.childWaitMs,
      pollMs: durationFlag("--poll-interval", flags.pollInterval)?.value ?? base.restart.pollMs,
    },
    limits: {
      ...base.limits,
      iterations: wholeNumberFlag("--max-restarts", flags.maxRestarts, 1)?.value ?? MAX_RESTARTS,
      // Any exit code restarts: neither failures nor a lack of progress end a supervised command.
      failures: 0,
      noProgress: 0,
    },
  };
}

function given<K extends string>(key: K, flag: { value: number } | undefined): Partial<Record<K, number>> {
  return flag === undefined ? {} : ({ [key]: flag.value } as Partial<Record<K, number>>);
}
