import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chooseSandbox } from "../config/sandbox-settings.ts";
import type { Settings } from "../config/schema.ts";
import { stateRoot } from "../journal/paths.ts";
import { openFence } from "../loop/fence.ts";
import type { Means } from "../supervise/means.ts";
import { cleanLine } from "../ui/clean.ts";

/** What checks are run with outside of a run. */
export interface CheckFence {
  readonly means: Means;
  close(): Promise<void>;
}

/**
 * Checks run what an agent has written, also when no agent is there any more: they are fenced in as in a run, by the strongest that
 * works; where nothing does, they are run as the user's own commands are.
 */
export async function fenceForChecks(where: {
  readonly project: string;
  readonly settings: Settings;
  readonly flag?: string | boolean | undefined;
}): Promise<CheckFence> {
  const { project, settings, flag } = where;
  const pick = <T>(_key: string, given: { value: T } | undefined, setting: T | undefined, usual: T): T =>
    given?.value ?? setting ?? usual;
  const sandbox = chooseSandbox({ project, env: process.env, flag, settings: settings.sandbox, pick });
  const folder = mkdtempSync(join(tmpdir(), "ralph-checks-"));
  const fence = await openFence({
    run: `checks-${process.pid}`,
    spec: { project, sandbox: { ...sandbox, orNone: true }, processes: settings.processes ?? "auto" },
    agents: [],
    env: process.env,
    stateRoot: stateRoot(process.env),
    folder,
    onNotice: (text) => process.stderr.write(`${cleanLine(text, 200, "…")}\n`),
  }).catch((error: unknown) => {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  });
  if (sandbox.kind !== "none" && fence.note?.kind === "none") {
    process.stderr.write(
      "No sandbox works here: the checks run as your own commands do. `ralph doctor` says why.\n",
    );
  }
  return {
    means: fence.means.check,
    async close() {
      await fence.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
