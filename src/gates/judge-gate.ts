import type { Verdict } from "../events.ts";
import { judgeCleanTree } from "./clean-tree.ts";
import { judgeCriterion } from "./criterion.ts";
import type { GateMoment } from "./gate.ts";
import { judgeGuardrail } from "./guardrail.ts";
import { judgePristine } from "./pristine.ts";
import { judgeProtection } from "./protect.ts";

/** Runs a gate, whatever its kind. */
export function judgeGate(moment: GateMoment): Promise<Verdict> {
  const { gate } = moment;
  switch (gate.kind) {
    case "protect":
      return judgeProtection({ ...moment, gate });
    case "pristine":
      return judgePristine({ ...moment, gate });
    case "clean-tree":
      return judgeCleanTree({ ...moment, gate });
    case "guardrail":
      return judgeGuardrail(moment);
    case "criterion":
      return judgeCriterion(moment, gate);
  }
}

/** The verdict on a gate that there was no use in running. */
export function notRun(why: string): Verdict {
  return {
    pass: false,
    exitCode: null,
    wallMs: 0,
    logPath: "",
    output: "",
    truncated: false,
    skipped: why,
    reason: `it was not run: ${why}`,
  };
}
