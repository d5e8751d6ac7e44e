import type { Verdict } from "../events.ts";
import type { Criterion, GateSpec, RunSpec } from "../spec.ts";
import type { Feedback, LoopState } from "./state.ts";

/** The prompt of the next iteration: the base text, wrapped in what the last iteration taught. Pure. */
export function composePrompt(base: string, spec: RunSpec, state: LoopState, iteration: number): string {
  const told = state.feedback.map((feedback) => ({
    action: spec.gates[feedback.gate]?.failAction ?? "APPEND",
    text: failureMessage(feedback, spec.gates[feedback.gate]),
  }));
  const texts = (action: string) => told.filter((one) => one.action === action).map((one) => one.text);
  const replaced = texts("REPLACE");
  const parts = [
    ...texts("PREPEND"),
    ...(replaced.length > 0 ? replaced : [base]),
    ...texts("APPEND"),
    ...(state.turnFailure === undefined ? [] : [turnMessage(state.turnFailure)]),
    ...(state.taskNotes.length === 0 ? [] : [taskMessage(state.taskNotes)]),
  ];
  if (spec.prompt.includeIterationCount) {
    const total = spec.limits.iterations;
    parts.unshift(`Iteration ${iteration} of ${total}, ${total - iteration} remaining.`);
  }
  return parts.join("\n\n");
}

/** What the agent is told about one failed gate, in the words that spec 001 fixes. */
export function failureMessage({ verdict }: Feedback, gate: GateSpec | undefined): string {
  const lines = [gate?.kind === "criterion" ? notMet(gate, verdict) : guardrailFailed(gate, verdict)];
  if (gate?.hint !== undefined && gate.hint !== "") lines.push(`Hint: ${gate.hint}`);
  lines.push(`Output file: ${verdict.logPath}`, "Output (truncated):", verdict.output);
  return lines.join("\n");
}

function guardrailFailed(gate: GateSpec | undefined, verdict: Verdict): string {
  const how =
    verdict.reason === undefined ? `with exit code ${verdict.exitCode}` : `because ${verdict.reason}`;
  return `Guardrail "${gate?.command || gate?.name || ""}" failed ${how}.`;
}

/** A criterion that is not met, with what the judge said about it. */
function notMet(gate: Criterion, { exitCode, reason, unjudged, judgment }: Verdict): string {
  const how = reason ?? `"${gate.command}" exited with code ${exitCode}`;
  const lines = [`Criterion ${gate.criterion} ("${gate.command}") is not met: ${how}.`];
  if (unjudged === true) lines.push("That says nothing about your work.");
  if (gate.judged === true && judgment !== undefined) {
    lines.push(`Reason: ${judgment.reason}`);
    const { suggestions = [] } = judgment;
    if (suggestions.length > 0) lines.push("Suggestions:", ...suggestions.map((one) => `- ${one}`));
  }
  return lines.join("\n");
}

/** What ralph put right in the list's files after the last iteration, and what it missed there. */
function taskMessage(notes: readonly string[]): string {
  return ["After the last iteration ralph checked the task list:", ...notes.map((note) => `- ${note}`)].join(
    "\n",
  );
}

function turnMessage(failure: string): string {
  return `Your previous turn did not finish: ${failure}. Look at what is already done before you go on.`;
}
