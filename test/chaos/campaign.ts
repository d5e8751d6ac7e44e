import { rmSync } from "node:fs";
import { endNow } from "../processes.ts";
import { processesOf } from "./life.ts";
import type { Plan } from "./plan.ts";
import { copyOf, makeTemplate, type Project } from "./project.ts";
import { type Result, type Trial, tryPlan } from "./trial.ts";

/** A loop that nobody disturbed: what every other one is measured by. */
export interface Unbroken extends Result {
  readonly events: number;
}

export interface Campaign {
  readonly unbroken: Unbroken;
  /** Carries the plans out, so many at a time. */
  carryOut(plans: readonly Plan[], atOnce: number, onTrial?: (trial: Trial) => void): Promise<Trial[]>;
  /** Removes everything. */
  end(): void;
}

/** Starts with an unbroken run of so many iterations. */
export async function openCampaign(iterations: number): Promise<Campaign> {
  const template = makeTemplate(iterations);
  const first = await tryPlan(copyOf(template, "unbroken"), { name: "unbroken", kills: [] });
  if (first.result === undefined || first.violations.length > 0) {
    throw new Error(`the unbroken run went wrong: ${first.violations.join("\n")}`);
  }
  const { result } = first;
  return {
    // The work, and the start of the agent in each of the iterations.
    unbroken: { ...result, events: result.happened.length + iterations },
    async carryOut(plans, atOnce, onTrial = () => {}) {
      const left = plans.map((plan, index) => ({ plan, index }));
      const trials: Trial[] = [];
      const work = async () => {
        for (let next = left.shift(); next !== undefined; next = left.shift()) {
          const at = copyOf(template, `trial-${next.index}`);
          const trial = await tryPlan(at, next.plan, result);
          trials.push(trial);
          onTrial(trial);
          tidy(at, trial);
        }
      };
      await Promise.all(Array.from({ length: atOnce }, work));
      return trials;
    },
    end: () => rmSync(template.home, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** A folder that may tell what went wrong is kept until the end of the campaign. */
function tidy(at: Project, trial: Trial): void {
  for (const pid of processesOf(at)) endNow(Number(pid));
  if (trial.violations.length === 0) rmSync(at.home, { recursive: true, force: true, maxRetries: 5 });
}
