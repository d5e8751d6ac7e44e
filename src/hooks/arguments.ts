import type { OnNoWork } from "../spec.ts";

/** A loop as the user described it. */
export interface LoopWish {
  readonly task: string;
  /** How often the agent is told to go on. */
  readonly maxIterations: number;
  /** The words in `<promise>`; empty for none, absent when nothing was said about it. */
  readonly promise?: string;
  readonly promiseLine: boolean;
  readonly minToolCalls: number;
  readonly onNoWork: OnNoWork;
  /** Shell lines of the user's, in order. */
  readonly gates: readonly string[];
  /** The guardrails of the settings are gates too. */
  readonly guardrails: boolean;
  /** Criteria of spec 000, by name. */
  readonly criteria: readonly string[];
}

/** What is wrong with what was typed, in words for its user. */
export interface BadArguments {
  readonly fault: string;
}

/** What holds when nobody says otherwise. */
const USUAL = { maxIterations: 20, minToolCalls: 1 } as const;
const MOST = 100_000;
const LONGEST_PROMISE = 200;
const POLICIES: readonly OnNoWork[] = ["reject", "warn", "accept"];

const FLAGS = ["--guardrails", "--promise-line"] as const;
const OPTIONS = [
  "--max-iterations",
  "--completion-promise",
  "--min-tool-calls",
  "--on-promise-no-work",
  "--gate",
  "--criteria",
] as const;
type Option = (typeof OPTIONS)[number];

const EXAMPLE = '/ralph-loop "Make the tests pass" --max-iterations 10 --completion-promise DONE';

/**
 * Reads what stands after the command. No shell ever sees it: backticks, `$(…)`, `;` and line breaks mean themselves. A word in
 * quotes is one word; in double ones `\"` and `\\` mean a quote and a backslash. Everything that is no option is the task, as
 * it was typed. Pure.
 */
export function parseArguments(text: string): LoopWish | BadArguments {
  const words = wordsIn(text);
  const values = new Map<Option, string[]>();
  const flags = new Set<string>();
  const task: Word[] = [];
  for (let n = 0; n < words.length; n++) {
    const word = words[n];
    if (word === undefined) break;
    if (word.quoted || !word.text.startsWith("--")) {
      const meant = word.quoted ? undefined : optionMeantBy(word.text);
      if (meant !== undefined) return mistyped(word.text, meant);
      task.push(word);
      continue;
    }
    if (word.text === "--") {
      task.push(...words.slice(n + 1));
      break;
    }
    const [name, inline] = splitAtEquals(word.text);
    if (inline === undefined && FLAGS.some((flag) => flag === name)) {
      flags.add(name);
      continue;
    }
    const option = OPTIONS.find((one) => one === name);
    if (option === undefined) return unknown(name);
    const value = inline ?? valueIn(words[++n]);
    if (value === undefined) return { fault: `${name} needs a value. For example: ${EXAMPLE}` };
    values.set(option, [...(values.get(option) ?? []), value]);
  }
  return wishOf(taskOf(text, task), values, flags);
}

function wishOf(
  task: string,
  values: ReadonlyMap<Option, readonly string[]>,
  flags: ReadonlySet<string>,
): LoopWish | BadArguments {
  const last = (option: Option) => values.get(option)?.at(-1);
  if (task === "") return { fault: `say what is to be done. For example: ${EXAMPLE}` };
  const maxIterations = number("--max-iterations", last("--max-iterations"), USUAL.maxIterations, 1);
  if (typeof maxIterations !== "number") return maxIterations;
  const minToolCalls = number("--min-tool-calls", last("--min-tool-calls"), USUAL.minToolCalls, 0);
  if (typeof minToolCalls !== "number") return minToolCalls;
  const policy = last("--on-promise-no-work") ?? "reject";
  const onNoWork = POLICIES.find((one) => one === policy);
  if (onNoWork === undefined)
    return { fault: `--on-promise-no-work is ${POLICIES.join(", ")}, and not ${shown(policy)}.` };
  const promise = last("--completion-promise")?.trim();
  if (promise !== undefined && (promise.length > LONGEST_PROMISE || /[\r\n]|<\/?promise>/.test(promise))) {
    return {
      fault: `--completion-promise takes a word or a few, on one line and without the tags. ${shown(promise)} is none.`,
    };
  }
  const gates = values.get("--gate") ?? [];
  if (gates.some((gate) => gate.trim() === "" || gate.includes("\u0000")))
    return { fault: '--gate needs a command. For example: --gate "npm test"' };
  return {
    task,
    maxIterations,
    ...(promise === undefined ? {} : { promise }),
    promiseLine: flags.has("--promise-line"),
    minToolCalls,
    onNoWork,
    gates,
    guardrails: flags.has("--guardrails"),
    criteria: (values.get("--criteria") ?? []).flatMap((given) => given.split(",")),
  };
}

/** A word as it was meant, and where it stands. */
interface Word {
  readonly text: string;
  readonly quoted: boolean;
  readonly start: number;
  readonly end: number;
}

const QUOTES: Readonly<Record<string, string>> = { '"': '"', "'": "'", "“": "”" };

/** Cuts the text into words. A quote only opens one at its beginning, and only when it is closed before a space or the end. */
function wordsIn(text: string): Word[] {
  const words: Word[] = [];
  // A quote that is never closed is looked for once, and not again from each word.
  const unclosed = new Set<string>();
  for (let at = 0; at < text.length; ) {
    if (/\s/.test(text[at] ?? "")) {
      at++;
      continue;
    }
    const word = quotedAt(text, at, unclosed) ?? plainAt(text, at, unclosed);
    words.push(word);
    at = word.end;
  }
  return words;
}

function quotedAt(text: string, start: number, unclosed: Set<string>): Word | undefined {
  const open = text[start] ?? "";
  const close = QUOTES[open];
  if (close === undefined || unclosed.has(open)) return undefined;
  let inside = "";
  for (let at = start + 1; at < text.length; at++) {
    const letter = text[at] ?? "";
    const next = text[at + 1] ?? "";
    if (letter === "\\" && open === '"' && (next === '"' || next === "\\")) {
      inside += next;
      at++;
    } else if (letter === close && (next === "" || /\s/.test(next))) {
      return { text: inside, quoted: true, start, end: at + 1 };
    } else inside += letter;
  }
  unclosed.add(open);
  return undefined;
}

/** A word without quotes around it; those that follow a `=` belong to its value. */
function plainAt(text: string, start: number, unclosed: Set<string>): Word {
  const equals = /^--[a-z-]+=/.exec(text.slice(start, start + 40))?.[0];
  const value = equals === undefined ? undefined : quotedAt(text, start + equals.length, unclosed);
  if (equals !== undefined && value !== undefined) {
    return { text: equals + value.text, quoted: false, start, end: value.end };
  }
  let end = start;
  while (end < text.length && !/\s/.test(text[end] ?? "")) end++;
  return { text: text.slice(start, end), quoted: false, start, end };
}

/** An option that stands where a value should is one whose own value was forgotten; in quotes it is meant as one. */
function valueIn(word: Word | undefined): string | undefined {
  return word === undefined || (!word.quoted && word.text.startsWith("--")) ? undefined : word.text;
}

/** The option that was meant: many keyboards make one long dash of two hyphens. A check must not get lost in the task by that. */
function optionMeantBy(word: string): string | undefined {
  const name = /^[-–—−]([a-z-]+)(?:=|$)/.exec(word)?.[1];
  return name === undefined ? undefined : [...OPTIONS, ...FLAGS].find((one) => one === `--${name}`);
}

function mistyped(word: string, option: string): BadArguments {
  return {
    fault: `${shown(word)} needs two hyphens: ${option}. If it belongs to the task, put the task in quotes.`,
  };
}

function splitAtEquals(word: string): [name: string, value?: string] {
  const at = word.indexOf("=");
  return at < 0 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}

/** One word in quotes means what is in them; anything else is taken as it was typed, between the options. */
function taskOf(text: string, words: readonly Word[]): string {
  const [only] = words;
  if (words.length === 1 && only?.quoted === true) return only.text.trim();
  let task = "";
  let end: number | undefined;
  for (const word of words) {
    const between = end === undefined ? "" : text.slice(end, word.start);
    // Where an option stood between two words of the task, a space does.
    task += /\S/.test(between) ? " " : between;
    task += text.slice(word.start, word.end);
    end = word.end;
  }
  return task.trim();
}

function number(
  name: string,
  given: string | undefined,
  usual: number,
  least: number,
): number | BadArguments {
  if (given === undefined) return usual;
  const value = Number(given);
  if (/^\d+$/.test(given.trim()) && value >= least && value <= MOST) return value;
  return { fault: `${name} takes a whole number of ${least} or more, and not ${shown(given)}.` };
}

function unknown(name: string): BadArguments {
  const known = [...OPTIONS, ...FLAGS].join(", ");
  return {
    fault: `there is no option ${shown(name)}; there are ${known}. If it belongs to the task, put the task in quotes.`,
  };
}

function shown(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
