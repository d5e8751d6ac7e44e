import { randomBytes } from "node:crypto";
import type { SuccessJudgment, Verdict } from "../events.ts";
import type { Criterion } from "../spec.ts";
import { type Ran, runGate } from "./command.ts";
import type { Bench, GateMoment } from "./gate.ts";
import { judgePrompt, parseJudgment } from "./judgment.ts";

/**
 * A command that says by itself that the work is done. Its exit code judges it; a judge, where one is wanted, can only take a
 * success away.
 */
export async function judgeCriterion(moment: GateMoment, criterion: Criterion): Promise<Verdict> {
  const { bench } = moment;
  if (criterion.judged !== true) {
    const { verdict } = await runGate(moment, 0);
    return { ...verdict, judgment: byExit(verdict, criterion) };
  }
  const ran = await runGate(moment, bench?.maxChars ?? 0);
  if (bench === undefined) return unjudged(ran.verdict, criterion, "there is no judge");
  // Nobody waits for a judge when the run is over.
  if (moment.hardStop.aborted)
    return unjudged(ran.verdict, criterion, "the run was stopped before the judge");
  return askJudge(ran, criterion, bench);
}

async function askJudge({ verdict, whole }: Ran, criterion: Criterion, bench: Bench): Promise<Verdict> {
  const prompt = judgePrompt({
    criterion,
    exitCode: verdict.exitCode,
    reason: verdict.reason,
    output: whole,
    maxChars: bench.maxChars,
    boundary: randomBytes(9).toString("hex"),
  });
  const answer = await bench.judge(prompt, criterion.timeoutMs);
  if ("fault" in answer) return unjudged(verdict, criterion, `the judge could not be asked: ${answer.fault}`);
  const said = parseJudgment(answer.text);
  if (said === undefined) return unjudged(verdict, criterion, "the judge's answer could not be understood");
  if (!verdict.pass) return { ...verdict, judgment: { ...said, success: false } };
  if (said.success) return { ...verdict, judgment: said };
  return { ...verdict, pass: false, reason: "the judge says that it is no success", judgment: said };
}

/** Without a judge's word there is no success; a command that failed has failed without it. */
function unjudged(verdict: Verdict, criterion: Criterion, reason: string): Verdict {
  if (!verdict.pass) return { ...verdict, judgment: byExit(verdict, criterion) };
  return { ...verdict, pass: false, unjudged: true, reason };
}

/** The exit code's own judgement. */
function byExit(verdict: Verdict, { command }: Criterion): SuccessJudgment {
  const how = verdict.exitCode === null ? "did not end by itself" : `exited with code ${verdict.exitCode}`;
  return { success: verdict.pass, reason: verdict.reason ?? `${command} ${how}` };
}
