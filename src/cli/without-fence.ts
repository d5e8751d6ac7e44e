import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { isTrusted, remember } from "../config/trust.ts";
import { Interrupted } from "../errors.ts";
import { stateRoot } from "../journal/paths.ts";
import type { NoFence } from "../loop/fence.ts";
import type { RunSpec } from "../spec.ts";

/** A run whose user has said for this project that it may go without a fence where none works. */
export function knownToGoWithout(spec: RunSpec): RunSpec {
  const { sandbox } = spec;
  if (sandbox?.kind !== "auto" || !isTrusted(stateRoot(process.env), keyOf(spec))) return spec;
  return { ...spec, sandbox: { ...sandbox, orNone: true } };
}

/** Nothing keeps the agent in here: asks once for this project whether it may go without. Throws when it may not. */
export async function withoutFence(spec: RunSpec, refusal: NoFence, isAgreed: boolean): Promise<RunSpec> {
  const { sandbox } = spec;
  if (sandbox === undefined) throw refusal;
  if (!isAgreed) {
    if (!process.stdin.isTTY || !process.stderr.isTTY) throw refusal;
    const { confirm, isCancel, note } = await import("@clack/prompts");
    note(`${refusal.what}: ${refusal.why}\n${refusal.fix}`, "No sandbox", { output: process.stderr });
    const message =
      "Run without one? The agent can then read, change and reach what you can (asked once for this project)";
    const yes = await confirm({ message, initialValue: false, output: process.stderr });
    if (isCancel(yes)) throw new Interrupted("Nothing was started.");
    if (!yes) throw refusal;
  }
  remember(stateRoot(process.env), keyOf(spec));
  return { ...spec, sandbox: { ...sandbox, orNone: true } };
}

function keyOf({ project }: RunSpec): string {
  return createHash("sha256")
    .update(`without a fence\u0000${realpathSync(project)}`)
    .digest("hex");
}
