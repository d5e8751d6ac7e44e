import { type LoadedSettings, loadSettings } from "../config/load.ts";
import { UserError } from "../errors.ts";
import { colorWanted, createPaint } from "../ui/style.ts";
import { examine } from "./doctor/checks.ts";
import { table } from "./doctor/table.ts";
import { listenForSignals } from "./signals.ts";

/** `ralph doctor`: what is installed, what is missing, how to mend it. Exit code 1 when something stands in the way. */
export async function doctorCommand(flags: { json?: boolean }): Promise<void> {
  const project = process.cwd();
  const signals = listenForSignals((text) => process.stderr.write(text));
  try {
    const rows = await examine({
      project,
      env: process.env,
      nodeVersion: process.version,
      self: process.argv[1] ?? "",
      settings: await loadOrExplain(project),
      signal: signals.soft,
    });
    if (signals.soft.aborted) {
      process.exitCode = 130; // the programs that were asked did not get to answer
      return;
    }
    const ok = rows.every(({ status }) => status !== "fail");
    const color = colorWanted("auto", process.env, process.stdout.isTTY === true);
    const text =
      flags.json === true ? `${JSON.stringify({ ok, rows }, null, 2)}\n` : table(rows, createPaint(color));
    process.stdout.write(text);
    process.exitCode = ok ? 0 : 1;
  } finally {
    signals.release();
  }
}

async function loadOrExplain(project: string): Promise<LoadedSettings | UserError> {
  try {
    return await loadSettings(project);
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
}
