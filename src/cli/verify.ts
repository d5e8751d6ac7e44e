import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { loadSettings } from "../config/load.ts";
import { commandsOf, isTrusted, remember, trustByEnvironment, trustKey } from "../config/trust.ts";
import { Interrupted, UserError } from "../errors.ts";
import { runFolder, stateRoot } from "../journal/paths.ts";
import { keptRun } from "../loop/receipt.ts";
import type { KeptRun } from "../receipt/facts.ts";
import type { Finding } from "../receipt/finding.ts";
import { readReceipt } from "../receipt/read.ts";
import type { Receipt } from "../receipt/schema.ts";
import { holds, verifyReceipt } from "../receipt/verify.ts";
import { clean, cleanLine } from "../ui/clean.ts";
import { fenceForChecks } from "./check-fence.ts";
import { projectHere } from "./project.ts";
import { listenForSignals } from "./signals.ts";
import { askToRun } from "./trust.ts";

interface Flags {
  readonly bundle?: string;
  readonly setup?: string;
  readonly sandbox?: string | boolean;
  readonly trust?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

const TAIL_LINES = 5;

/** `ralph verify <receipt>`: does all that it says still hold? Exit code 0 when it does, 1 when something differs. */
export async function verifyCommand(file: string, flags: Flags): Promise<void> {
  const project = projectHere();
  const receipt = readReceipt(resolve(file));
  const settings = (await loadSettings(project)).settings;
  const setup = flags.setup ?? settings.verify?.setup;
  const signals = listenForSignals(() => {});
  const fence = await fenceForChecks({ project, settings, flag: flags.sandbox });
  try {
    const findings = await verifyReceipt({
      receipt,
      project,
      kept: keptHere(receipt, project),
      bundle: flags.bundle === undefined ? undefined : resolve(flags.bundle),
      setup,
      env: process.env,
      means: fence.means,
      stop: signals.soft,
      consent: (isOwn) => consent(receipt, { isOwn, flags, setup, project }),
      doing: (text) => process.stderr.write(`${cleanLine(text, 200, "…")}\n`),
    });
    if (signals.soft.aborted) throw new Interrupted("Stopped before all was checked.");
    if ("fault" in findings) {
      throw new UserError(
        "the receipt cannot be checked here",
        findings.fault,
        "Go to a clone of its repository.",
      );
    }
    print(receipt, findings, flags.json === true, setup !== undefined);
    process.exitCode = holds(findings) ? 0 : 1;
  } finally {
    await fence.close();
    signals.release();
  }
}

/** The run, when it was this folder's. */
function keptHere(receipt: Receipt, project: string): KeptRun | undefined {
  const folder = runFolder(stateRoot(process.env), project, receipt.run);
  return existsSync(folder.journal) ? keptRun(folder, project) : undefined;
}

/** A receipt names commands, and it may be a stranger's: they are shown and asked about, as a cloned project's settings are. */
async function consent(
  { gates }: Receipt,
  asked: { isOwn: boolean; flags: Flags; setup: string | undefined; project: string },
): Promise<void> {
  const { isOwn, flags, setup, project } = asked;
  // A set-up that the user typed is theirs; one of the settings came with the project.
  const ofSettings = setup !== undefined && flags.setup === undefined ? [setup] : [];
  if (isOwn && ofSettings.length === 0) return;
  if (trustByEnvironment(process.env, flags.trust === true || flags.yes === true) !== undefined) return;
  const commands = [...ofSettings, ...gates.map((gate) => gate.command)];
  const named = { guardrails: commands.map((command) => ({ command })) };
  const key = trustKey(project, named);
  if (isTrusted(stateRoot(process.env), key)) return;
  await askToRun({
    whose: "this receipt's commands are",
    who: "ralph verify",
    commands: commandsOf(named),
  });
  remember(stateRoot(process.env), key);
}

function print(receipt: Receipt, findings: readonly Finding[], asJson: boolean, wasSetUp: boolean): void {
  const holdsAll = holds(findings);
  if (asJson) {
    process.stdout.write(`${JSON.stringify({ run: receipt.run, holds: holdsAll, findings })}\n`);
    return;
  }
  for (const { found, what, how, tail = "" } of findings) {
    process.stdout.write(`${found.padEnd(11)}  ${cleanLine(what, 60, "…")}: ${cleanLine(how, 300, "…")}\n`);
    const last = clean(tail).trimEnd().split("\n").slice(-TAIL_LINES);
    for (const line of last) if (line !== "") process.stdout.write(`${" ".repeat(13)}| ${line}\n`);
  }
  const failed = findings.some(({ gate, found }) => gate === true && found === "different");
  if (failed && !wasSetUp) {
    process.stdout.write('What git ignores is not in the checkout. To install it first: --setup "npm ci"\n');
  }
  process.stdout.write(holdsAll ? "The receipt holds.\n" : "The receipt does not hold.\n");
}
