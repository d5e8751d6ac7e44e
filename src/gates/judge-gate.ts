import { judgeCriterion } from "./criterion.ts";
import type { Judge } from "./gate.ts";
import { judgeGuardrail } from "./guardrail.ts";

/** Runs a gate, whatever its kind. */
export const judgeGate: Judge = (moment) => {
  const { gate } = moment;
  switch (gate.kind) {
    case "guardrail":
      return judgeGuardrail(moment);
    case "criterion":
      return judgeCriterion(moment, gate);
  }
};
