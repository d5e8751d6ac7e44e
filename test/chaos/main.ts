import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { openCampaign } from "./campaign.ts";
import { atEachWrite, atRandom } from "./plan.ts";
import type { Trial } from "./trial.ts";

/*
 * The long chaos test: `npm run chaos -- --runs 1000 [--seed 7]`. Kills ralph at every write of its journal, then at random
 * moments, resumes it, and compares the end with that of an unbroken run.
 */
const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "200" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1e9)) },
    "at-once": { type: "string", default: String(availableParallelism() + 1) },
  },
});
const runs = Number(values.runs);
const seed = Number(values.seed);

const campaign = await openCampaign(3);
const { unbroken } = campaign;
const systematic = atEachWrite(unbroken.events).slice(0, runs);
const plans = [...systematic, ...atRandom(runs - systematic.length, seed, unbroken)];
console.log(`seed ${seed}: ${plans.length} runs, ${values["at-once"]} at a time`);
let done = 0;
const trials = await campaign.carryOut(plans, Number(values["at-once"]), (trial) => {
  done++;
  if (trial.violations.length > 0) tell(trial);
  else if (done % 100 === 0) console.log(`${done} of ${plans.length}`);
});
const broken = trials.filter((trial) => trial.violations.length > 0);
if (broken.length === 0) campaign.end();

const byWrite = trials.filter(({ plan }) => plan.kills.some((kill) => "write" in kill));
const byMoment = trials.filter((trial) => !byWrite.includes(trial));
console.log("\n                      runs  kills  resumed  violations");
row("at each write", byWrite);
row("at random moments", byMoment);
row("together", trials);
if (broken.length > 0) {
  console.log(`\nAgain: npm run chaos -- --runs ${runs} --seed ${seed}`);
  process.exitCode = 1;
}

function row(name: string, of: readonly Trial[]): void {
  const sum = (count: (trial: Trial) => number) => of.reduce((total, trial) => total + count(trial), 0);
  const cells = [
    of.length,
    sum((one) => one.kills),
    sum((one) => one.lives - 1),
    sum((one) => one.violations.length),
  ];
  console.log(
    `${name.padEnd(20)}${cells.map((cell, index) => String(cell).padStart([6, 7, 9, 12][index] ?? 0)).join("")}`,
  );
}

function tell(trial: Trial): void {
  console.log(`\nVIOLATION when killed at: ${trial.plan.name} (${trial.lives} lives)`);
  for (const violation of trial.violations) console.log(`  ${violation.slice(0, 2000)}`);
}
