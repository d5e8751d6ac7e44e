import { realpathSync } from "node:fs";
import { join } from "node:path";
import { codeOf, messageOf } from "../errors.ts";
import type { Verdict } from "../events.ts";
import { isInside } from "../files.ts";
import { judgeGuardrail } from "../gates/guardrail.ts";
import { logPaths } from "../gates/log-name.ts";
import type { GateSpec } from "../spec.ts";
import { RUN_VARIABLE } from "../supervise/leftovers.ts";
import type { Means } from "../supervise/means.ts";
import type { Finding } from "./finding.ts";
import type { Receipt } from "./schema.ts";
import { type Store, workFolder } from "./store.ts";

type Gate = Receipt["gates"][number];

/** How the gates are run again. */
export interface Again {
  readonly receipt: Receipt;
  /** A shell line of the user's that brings what is not in the tree: installed packages and the like. */
  readonly setup?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly means: Means;
  readonly stop: AbortSignal;
  /** Is told what is under way. */
  doing(text: string): void;
}

/** Installing takes longer than checking. */
const SETUP_MS = 60 * 60_000;

/** It compared with how the project was before the run. One that names a command is run, whatever it says that it is. */
function looksBack({ kind, command }: Gate): boolean {
  return (kind === "protect" || kind === "clean-tree") && command === "";
}

const BEFORE_THE_RUN = "it compared with the project before the run; only the run itself could";

/** Checks the judged tree out and runs the set-up and every gate there, as a run would. */
export async function runAgain(again: Again, store: Store): Promise<Finding[]> {
  const { receipt, setup } = again;
  const { work, gates } = receipt;
  if (work === undefined) return [];
  const folder = await workFolder(store, { tree: work.tree, base: await baseIn(store, work) });
  if (typeof folder === "object") {
    return [{ what: "checkout", found: "missing", how: `the tree is not here whole (${folder.fault})` }];
  }
  const project = folderIn(folder, work.folder);
  if (project === undefined) {
    return [{ what: "checkout", found: "missing", how: `the tree has no folder ${work.folder}` }];
  }
  const run = (gate: GateSpec, logPath: string) =>
    judgeGuardrail({
      gate,
      project,
      logPath,
      truncateChars: 0,
      env: environment(again, project),
      means: again.means,
      hardStop: again.stop,
    });
  if (setup !== undefined) {
    again.doing(`Setting up: ${setup}`);
    const ready = await run(gateFor({ command: setup, timeoutMs: SETUP_MS }), ".ralph/setup.log");
    if (!ready.pass) return [{ ...differing("setup", ready, 0), gate: true }];
  }
  if (gates.every(looksBack)) {
    return [{ what: "gates", found: "missing", how: "it names no check that can be run", gate: true }];
  }
  const specs = gates.map(gateFor);
  const logs = logPaths(specs, receipt.totals.iterations);
  const findings: Finding[] = [];
  for (const [at, gate] of gates.entries()) {
    const spec = specs[at];
    if (again.stop.aborted || spec === undefined) break;
    if (looksBack(gate)) {
      findings.push({ what: gate.name, found: "not checked", how: BEFORE_THE_RUN });
      continue;
    }
    again.doing(`Running: ${gate.name}`);
    findings.push(gate.redacted === true ? hidden(gate) : compare(gate, await run(spec, logs[at] ?? "")));
  }
  return findings;
}

/** The base is a help for checks that ask git; it is missed elsewhere when it is not here. */
async function baseIn(store: Store, work: NonNullable<Receipt["work"]>): Promise<string | undefined> {
  if (work.base === undefined) return undefined;
  const there = await store.shadow.git(["cat-file", "-e", `${work.base.tree}^{tree}`]);
  return there.code === 0 ? work.base.tree : undefined;
}

/** The project in the checkout; a link there must not lead out of it. */
function folderIn(checkout: string, folder: string): string | undefined {
  try {
    const path = realpathSync(join(checkout, folder));
    return isInside(realpathSync(checkout), path) ? path : undefined;
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined;
    throw new Error(messageOf(error), { cause: error });
  }
}

/** The user's own environment. What points git at another repository would make a check look elsewhere. */
function environment({ env, receipt }: Again, project: string): NodeJS.ProcessEnv {
  const { GIT_DIR: _dir, GIT_WORK_TREE: _tree, GIT_INDEX_FILE: _index, ...rest } = env;
  return {
    ...rest,
    [RUN_VARIABLE]: receipt.run,
    RALPH_ITERATION: String(receipt.totals.iterations),
    RALPH_PROJECT: project,
    TASK_FOLDER: join(project, receipt.work?.taskFolder ?? ""),
  };
}

function gateFor(
  gate: Pick<Gate, "command" | "timeoutMs"> & Partial<Pick<Gate, "name" | "flaky">>,
): GateSpec {
  const { command, timeoutMs, name = command, flaky = false } = gate;
  return { kind: "guardrail", name, command, timeoutMs, flaky, failAction: "APPEND" };
}

function compare(gate: Gate, now: Verdict): Finding {
  if (!now.pass || now.exitCode !== gate.exitCode) {
    return { ...differing(gate.name, now, gate.exitCode), gate: true };
  }
  const output = gate.output === undefined || now.whole?.sha256 === gate.output.sha256;
  const tries = now.passedOnRetry === true ? ", on its second try" : "";
  const how = `exit ${now.exitCode}${tries}, ${output ? "the same output" : "another output"}`;
  return { what: gate.name, gate: true, found: "same", how };
}

function differing(what: string, now: Verdict, before: number | null): Finding {
  const how = now.reason ?? `exit ${now.exitCode}, was ${before}`;
  return { what, found: "different", how, tail: now.whole?.tail ?? "" };
}

function hidden(gate: Gate): Finding {
  const how = "its command holds a secret, which is not in the receipt, so that it cannot be run again";
  return { what: gate.name, gate: true, found: "not checked", how };
}
