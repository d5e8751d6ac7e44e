import { UserError } from "../errors.ts";
import { didYouMean } from "./did-you-mean.ts";
import { parseDuration } from "./duration.ts";
import { RESPONSE_PATTERN, RESPONSE_WANTED } from "./response.ts";
import { inQuotes } from "./say.ts";

/** What the command line said. A flag that was not given is undefined. */
export interface RunFlags {
  readonly prompt?: string | undefined;
  readonly promptFile?: string | undefined;
  readonly maximumIterations?: string | number | undefined;
  readonly maximumFailures?: string | number | undefined;
  readonly maxNoProgress?: string | number | undefined;
  readonly timeout?: string | undefined;
  readonly maxDuration?: string | undefined;
  readonly idleTimeout?: string | undefined;
  readonly done?: boolean | undefined;
  readonly waits?: boolean | undefined;
  readonly taskDir?: string | undefined;
  readonly restartDelay?: string | undefined;
  readonly maxRestarts?: string | number | undefined;
  readonly waitTimeout?: string | undefined;
  readonly pollInterval?: string | undefined;
  /** Shell lines that take the place of the settings' guardrails. */
  readonly guardrail?: readonly string[] | undefined;
  /** Types of criteria, in order. */
  readonly criteria?: readonly string[] | undefined;
  readonly criteriaCommand?: string | undefined;
  /** A judge for every criterion, or for none. */
  readonly judge?: boolean | undefined;
  readonly judgeAgent?: string | undefined;
  readonly judgeModel?: string | undefined;
  readonly completionResponse?: string | undefined;
  readonly claimHint?: boolean | undefined;
  readonly streamAgentOutput?: boolean | undefined;
  readonly verbose?: boolean | undefined;
  /** The agent's command. */
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  /** Agents as NAME[:MODEL], in order. */
  readonly fallbackAgent?: readonly string[] | undefined;
  readonly autonomy?: string | undefined;
  readonly baseline?: boolean | undefined;
  /** Patterns of files that the agent may not change; false: none, not even the usual ones. */
  readonly protect?: readonly string[] | false | undefined;
  readonly pristine?: boolean | undefined;
  /** A kind of sandbox, any (true) or none (false). */
  readonly sandbox?: string | boolean | undefined;
  readonly emoji?: boolean | undefined;
  readonly color?: string | undefined;
  readonly timestamps?: boolean | undefined;
  readonly maxOutputLines?: string | number | undefined;
  readonly maxOutputChars?: string | number | undefined;
}

/** A flag that was given: its name as the user knows it, and its checked value. */
export interface Given<T> {
  readonly name: string;
  readonly value: T;
}

/** A flag that is on or off. */
export function toggleFlag(name: string, value: boolean | undefined): Given<boolean> | undefined {
  return value === undefined ? undefined : { name: value ? name : name.replace(/^--/, "--no-"), value };
}

/** A flag whose value is a whole number of at least `minimum`. */
export function wholeNumberFlag(
  name: string,
  value: string | number | undefined,
  minimum: number,
): Given<number> | undefined {
  if (value === undefined) return undefined;
  const text = String(value).trim();
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number) && number >= minimum) return { name, value: number };
  const isNumber = text !== "" && !Number.isNaN(number);
  const wanted = `a whole number of ${minimum} or more`;
  throw new UserError(
    `bad value for ${name}`,
    `it is ${isNumber ? text : inQuotes(text)}, where ${wanted} is wanted`,
    // -m is short for --maximum-iterations here, and for the model in many other programs.
    isNumber || name !== "--maximum-iterations"
      ? `Give ${name} ${wanted}.`
      : `Did you mean --model ${shellWord(text)}?`,
  );
}

/** A flag whose value is a duration, or `off` where that makes sense. In milliseconds; 0 is off. */
export function durationFlag(
  name: string,
  value: string | undefined,
  mayBeOff = true,
): Given<number> | undefined {
  if (value === undefined) return undefined;
  const ms = mayBeOff && value === "off" ? 0 : parseDuration(value.trim());
  if (ms !== undefined) return { name, value: ms };
  throw new UserError(
    `bad value for ${name}`,
    `it is ${inQuotes(value)}, where a duration is wanted`,
    `Write it as 500ms, 5s, 10m, 2h or 1h30m${mayBeOff ? ", or off" : ""}.`,
  );
}

/** A flag whose value is one of a few words. */
export function choiceFlag<T extends string>(
  name: string,
  value: string | undefined,
  choices: readonly T[],
): Given<T> | undefined {
  if (value === undefined) return undefined;
  const chosen = choices.find((choice) => choice === value);
  if (chosen !== undefined) return { name, value: chosen };
  const near = didYouMean(value, choices);
  const wanted = `one of ${choices.join(", ")}`;
  throw new UserError(
    `bad value for ${name}`,
    `it is ${inQuotes(value)}, where ${wanted} is wanted`,
    near === undefined ? `Give ${name} ${wanted}.` : `Did you mean ${name} ${near}?`,
  );
}

/** The flag whose value is the word that claims done; it may be empty. */
export function responseFlag(name: string, value: string | undefined): Given<string> | undefined {
  if (value === undefined) return undefined;
  if (RESPONSE_PATTERN.test(value)) return { name, value };
  throw new UserError(
    `bad value for ${name}`,
    `it is ${inQuotes(value)}, where ${RESPONSE_WANTED} is wanted`,
    "Give the word that stands between <response> and </response>.",
  );
}

/** A flag whose value is a text that is not blank and that a program can be given. */
export function textFlag(name: string, value: string | undefined): Given<string> | undefined {
  if (value === undefined) return undefined;
  if (/^\s*[^\s\u0000][^\u0000]*$/.test(value)) return { name, value };
  throw new UserError(
    `bad value for ${name}`,
    "it is blank",
    `Write it after ${name}, or leave ${name} out.`,
  );
}

function shellWord(text: string): string {
  return /^[\w@%+:,./-]{1,60}$/.test(text) ? text : inQuotes(text);
}
