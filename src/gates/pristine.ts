import type { Verdict } from "../events.ts";
import type { Pristine } from "../spec.ts";
import type { TreeExit } from "../supervise/spawn.ts";
import { truncate } from "../text.ts";
import { GateLog, passed, reasonOf, runOnce } from "./command.ts";
import type { Fault, GateMoment, ScratchWish, Trees } from "./gate.ts";
import { readPatterns } from "./patterns.ts";

const MOST_NAMED = 3;

/**
 * Runs the tests as they were when the run began against the sources as they are now, in a folder of their own: a test that was
 * weakened since cannot make it pass. New and changed tests are then run against the old sources; if they pass there too, they
 * say nothing about the work, which is a warning.
 */
export async function judgePristine(moment: GateMoment<Pristine>): Promise<Verdict> {
  const { trees } = moment;
  if (trees === undefined) throw new Error("a pristine check needs to know how things were");
  const startedMs = performance.now();
  const log = new GateLog(moment);
  try {
    const found = await compare(moment, trees, log);
    log.mustBeWhole();
    const { text, truncated } = truncate(log.head(), moment.truncateChars);
    return {
      exitCode: null,
      wallMs: Math.round(performance.now() - startedMs),
      logPath: moment.logPath,
      output: text,
      truncated,
      ...found,
    };
  } finally {
    log.close();
  }
}

type Finding = Pick<Verdict, "pass"> & Partial<Verdict>;

async function compare(moment: GateMoment<Pristine>, trees: Trees, log: GateLog): Promise<Finding> {
  if (trees.unavailable !== undefined) {
    return moment.gate.required
      ? cannot(trees.unavailable)
      : { pass: true, warnings: [`the tests as they were could not be run: ${trees.unavailable}`] };
  }
  const extentOf = readPatterns(moment.gate.patterns);
  const isTest = (path: string) => extentOf(path) !== undefined;
  const before = await trees.files();
  if ("fault" in before) return cannot(before.fault);
  const link = moment.gate.setup === undefined;

  const hadTests = before.paths.some(isTest);
  if (hadTests) {
    log.add(Buffer.from(`--- the tests as they were, the sources as they are ---\n`));
    const old = await runIn(moment, trees, log, { sources: "now", tests: "base", isTest, link });
    if ("fault" in old) return cannot(old.fault);
    if (!passed(old.exit)) return { pass: false, exitCode: old.exit.code, reason: refusal(old, moment) };
  }
  const compared = await trees.changes([]);
  if ("fault" in compared) return cannot(compared.fault);
  const fresh = compared.changes.filter(({ path, to }) => to !== undefined && isTest(path));
  const warnings = hadTests ? [] : ["there were no tests when the run began: only the new ones say anything"];
  if (fresh.length > 0) {
    log.add(Buffer.from(`\n--- the tests as they are, the sources as they were: expected to fail ---\n`));
    const tried = await runIn(moment, trees, log, { sources: "base", tests: "now", isTest, link });
    if ("fault" in tried) warnings.push(`new tests were not tried on the old sources: ${tried.fault}`);
    else if (passed(tried.exit)) warnings.push(idle(fresh.map(({ path }) => path)));
  }
  return { pass: true, exitCode: 0, ...(warnings.length === 0 ? {} : { warnings }) };
}

interface Ran {
  readonly exit: TreeExit;
  readonly inSetup: boolean;
}

async function runIn(
  moment: GateMoment<Pristine>,
  trees: Trees,
  log: GateLog,
  wish: ScratchWish,
): Promise<Ran | Fault> {
  const scratch = await trees.scratch(wish);
  if ("fault" in scratch) return scratch;
  try {
    const { gate } = moment;
    // Above the folder stands a repository of ours, which a git of the tests' must not take for theirs.
    const env = {
      ...moment.env,
      RALPH_PROJECT: scratch.project,
      GIT_CEILING_DIRECTORIES: scratch.ceiling,
    };
    const run = (command: string) => runOnce(moment, log, { command, cwd: scratch.project, env });
    if (gate.setup !== undefined) {
      const ready = await run(gate.setup);
      if (!passed(ready)) return { exit: ready, inSetup: true };
    }
    let exit = await run(gate.command);
    if (!passed(exit) && gate.flaky && wish.tests === "base" && !moment.hardStop.aborted) {
      log.add(Buffer.from("\n--- failed; run once more because it is marked flaky ---\n"));
      exit = await run(gate.command);
    }
    return { exit, inSetup: false };
  } finally {
    scratch.dispose();
  }
}

function cannot(fault: string): Finding {
  return { pass: false, reason: `the tests as they were when the run began could not be run (${fault})` };
}

function refusal({ exit, inSetup }: Ran, moment: GateMoment<Pristine>): string {
  const why = reasonOf(exit, moment) ?? `exit code ${exit.code}`;
  return inSetup
    ? `the set-up of the tests failed (${why})`
    : `the tests as they were when the run began fail against the new sources (${why})`;
}

function idle(paths: readonly string[]): string {
  const named = paths.slice(0, MOST_NAMED).map((path) => JSON.stringify(path));
  const more = paths.length > named.length ? ` and ${paths.length - named.length} more` : "";
  return `new or changed tests pass on the old sources too, so they prove nothing about this work: ${named.join(", ")}${more}`;
}
