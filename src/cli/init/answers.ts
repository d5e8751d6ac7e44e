import { DEFAULTS } from "../../config/defaults.ts";
import type { Check } from "../../config/detect.ts";
import type { Settings } from "../../config/schema.ts";
import type { FailAction } from "../../spec.ts";

/** A guardrail as `ralph init` asks for it. */
export interface GuardrailAnswer {
  readonly command: string;
  readonly failAction: FailAction;
  readonly hint: string;
}

/** What the user said, or what was taken for granted. */
export interface Answers {
  readonly command: string;
  readonly flags: readonly string[];
  readonly maximumIterations: number;
  readonly completionResponse: string;
  readonly guardrails: readonly GuardrailAnswer[];
  readonly scm?: { readonly command: string; readonly tasks: readonly string[] };
}

/** The answers of somebody who takes every default. */
export function defaultAnswers(command: string, checks: readonly Check[]): Answers {
  return {
    command,
    flags: [],
    maximumIterations: DEFAULTS.maximumIterations,
    completionResponse: DEFAULTS.completionResponse,
    guardrails: checks.map(guardrailFor),
  };
}

/** A check of the project's own as a guardrail. */
export function guardrailFor(check: Check): GuardrailAnswer {
  return { command: check.command, failAction: DEFAULTS.failAction, hint: "" };
}

/** The settings that the answers mean. What was left blank is left out, so that the file stays easy to read. */
export function settingsFrom(answers: Answers, hosts: readonly string[] = []): Settings {
  const { command, flags, scm } = answers;
  return {
    maximumIterations: answers.maximumIterations,
    completionResponse: answers.completionResponse,
    outputTruncateChars: DEFAULTS.outputTruncateChars,
    streamAgentOutput: DEFAULTS.streamAgentOutput,
    agent: { command, ...(flags.length === 0 ? {} : { flags: [...flags] }) },
    guardrails: answers.guardrails.map(({ hint, ...rest }) => (hint === "" ? rest : { ...rest, hint })),
    ...(hosts.length === 0 ? {} : { sandbox: { network: { allow: [...hosts] } } }),
    ...(scm === undefined ? {} : { scm: { command: scm.command, tasks: [...scm.tasks] } }),
  };
}

/** The parts of a line between its commas, trimmed, without blank ones. */
export function splitList(line: string): string[] {
  return line
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
