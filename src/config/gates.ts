import type { GateSpec } from "../spec.ts";
import { DEFAULTS } from "./defaults.ts";
import { parseDuration } from "./duration.ts";
import { type Given, textFlag } from "./flags.ts";
import type { Settings } from "./schema.ts";

/** A guardrail as the settings hold it. */
type Guardrail = NonNullable<Settings["guardrails"]>[number];

/** The guardrails that the command line names, in place of the settings'. */
export function guardrailFlag(lines: readonly string[] | undefined): Given<Guardrail[]> | undefined {
  if (lines === undefined) return undefined;
  const value = lines.map((line) => ({ command: textFlag("--guardrail", line)?.value ?? "" }));
  return { name: "--guardrail", value };
}

/** The protected files that the command line names, or that there are none. */
export function protectFlag(
  given: readonly string[] | false | undefined,
): Given<readonly string[] | false> | undefined {
  if (given === undefined) return undefined;
  if (given === false) return { name: "--no-protect", value: false };
  return { name: "--protect", value: given.map((one) => textFlag("--protect", one)?.value ?? "") };
}

/** A guardrail with its defaults. */
export function gateOf(guardrail: Guardrail): GateSpec {
  return {
    kind: "guardrail",
    name: guardrail.command,
    command: guardrail.command,
    failAction: guardrail.failAction ?? DEFAULTS.failAction,
    ...(guardrail.hint === undefined ? {} : { hint: guardrail.hint }),
    timeoutMs: parseDuration(guardrail.timeout ?? DEFAULTS.gateTimeout) ?? DEFAULTS.gateTimeoutMs,
    flaky: guardrail.flaky ?? DEFAULTS.flaky,
  };
}
