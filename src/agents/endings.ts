import type { AgentEnding } from "../events.ts";
import type { TurnFacts } from "./agent.ts";
import { isNoConnection, isUnauthorised, limitIn } from "./limits.ts";
import { resetTimeIn } from "./reset-time.ts";
import { oneLine } from "./tool-text.ts";

const MESSAGE_CHARS = 500;
/** How many lines at the end of an output are taken for the words of a failure. */
const LAST_LINES = 5;
/** Exit codes by which programs that catch a signal still say which one it was. */
const SIGNAL_CODES: Readonly<Record<number, string>> = {
  129: "SIGHUP",
  130: "SIGINT",
  137: "SIGKILL",
  143: "SIGTERM",
};

/**
 * How a turn of a program with a stream of its own ended. Only a good result together with exit code 0 is a finished
 * turn. A program that printed no line of its format is taken for a wrapper that prints plain text.
 */
export function streamEnding(facts: TurnFacts, program: string): AgentEnding {
  const outer = outerEnding(facts);
  if (outer !== undefined) return outer;
  if (!facts.structured) return plainEnding(facts, program);
  if (facts.result === undefined) return noResultEnding(facts, program);
  if (!facts.result.ok) return badResultEnding(facts, facts.result.error, program);
  return facts.exitCode === 0 ? { kind: "finished" } : badExitEnding(facts, program);
}

/** Endings that no stream can change: never started, ended by ralph, ended by a signal. */
export function outerEnding(facts: TurnFacts): AgentEnding | undefined {
  if (facts.spawnError !== undefined) return { kind: "not-started", message: facts.spawnError };
  const signal = facts.signal === null ? {} : { signal: facts.signal };
  if (facts.killedBy !== undefined) return { kind: "killed", why: facts.killedBy, ...signal };
  return facts.signal === null ? undefined : { kind: "killed", why: "signal", ...signal };
}

/** The ending of a program that caught a signal and told it by its exit code. */
function signalledEnding(facts: TurnFacts): AgentEnding | undefined {
  const signal = facts.exitCode === null ? undefined : SIGNAL_CODES[facts.exitCode];
  return signal === undefined ? undefined : { kind: "killed", why: "signal", signal };
}

/** The ending of a known program whose output was not its stream: a wrapper's plain text, or a plain failure. */
function plainEnding(facts: TurnFacts, program: string): AgentEnding {
  if (facts.exitCode !== 0) return signalledEnding(facts) ?? failedEnding(facts, exitWords(facts, program));
  if (facts.finalText.trim() !== "") return { kind: "finished" };
  return { kind: "error", message: withReason(`${program} said nothing`, failureLine(facts.stderrTail)) };
}

/** The ending of a stream with a result that is not good. */
function badResultEnding(facts: TurnFacts, error: string | undefined, program: string): AgentEnding {
  const message =
    error === undefined || error.trim() === "" ? `${program} failed and did not say why` : error;
  const limited = facts.limited;
  if (limited?.final === true) {
    return limitedEnding(
      facts,
      limited.scope,
      limited.message,
      limited.retryAtMs ?? resetTimeIn(message, facts.nowMs),
    );
  }
  // What limits there are the parser has told: it knows whether the words are the service's or the user's own cap.
  const kind = isUnauthorised(message) ? "unauthorised" : "error";
  return { kind, message: oneLine(message, MESSAGE_CHARS) };
}

/** The ending of a stream that broke off before its result. */
function noResultEnding(facts: TurnFacts, program: string): AgentEnding {
  const signalled = signalledEnding(facts);
  if (signalled !== undefined) return signalled;
  const what = `${program} ended without a result (exit code ${facts.exitCode ?? "unknown"})`;
  const words = lastWords(facts.stderrTail);
  if (facts.exitCode === 0) return { kind: "error", message: what };
  return byWords(facts, words) ?? { kind: "error", message: withReason(what, failureLine(facts.stderrTail)) };
}

/** The ending of a program that ended badly after it had reported success. */
function badExitEnding(facts: TurnFacts, program: string): AgentEnding {
  const what = `${program} reported success but exited with code ${facts.exitCode ?? "unknown"}`;
  return { kind: "error", message: withReason(what, failureLine(facts.stderrTail)) };
}

/** The ending of a program that failed and has no stream to explain it: its last words may name a limit. */
export function failedEnding(facts: TurnFacts, message: string): AgentEnding {
  const words = `${lastWords(facts.stderrTail)}\n${lastLines(facts.finalText)}`;
  return byWords(facts, words) ?? { kind: "error", message };
}

/** Exit code and the line that explains it best. */
function exitWords(facts: TurnFacts, program: string): string {
  const line = failureLine(facts.stderrTail) ?? failureLine(facts.finalText);
  return withReason(`${program} exited with code ${facts.exitCode ?? "unknown"}`, line);
}

function byWords(facts: TurnFacts, words: string): AgentEnding | undefined {
  const found = limitIn(words);
  const connection = found === "offline" ? lineThat(words, isNoConnection) : undefined;
  const scope = found === "offline" && connection === undefined ? undefined : found;
  const message = oneLine(
    connection ?? lineThat(words, scope === undefined ? isUnauthorised : limitIn) ?? words,
    MESSAGE_CHARS,
  );
  if (scope !== undefined) return limitedEnding(facts, scope, message, resetTimeIn(words, facts.nowMs));
  return isUnauthorised(words) ? { kind: "unauthorised", message } : undefined;
}

function limitedEnding(
  facts: TurnFacts,
  scope: Extract<AgentEnding, { kind: "limited" }>["scope"],
  words: string,
  known: number | undefined,
): AgentEnding {
  // A full context does not empty itself: a time that stands in its words means something else.
  const retryAtMs = scope === "context" ? undefined : (known ?? resetTimeIn(words, facts.nowMs));
  const message = oneLine(words, MESSAGE_CHARS);
  return { kind: "limited", scope, message, ...(retryAtMs === undefined ? {} : { retryAtMs }) };
}

function lineThat(words: string, tells: (line: string) => unknown): string | undefined {
  return words.split("\n").find((line) => Boolean(tells(line)));
}

/** The last lines, and the one that calls itself an error: advice may follow it. */
function lastWords(text: string): string {
  const last = lastLines(text);
  const failure = failureLine(text) ?? "";
  return last.includes(failure) ? last : `${failure}\n${last}`;
}

function lastLines(text: string): string {
  return nonBlankLines(text).slice(-LAST_LINES).join("\n");
}

/** The line that names the failure: the last that calls itself an error (usage hints may follow it), else the last. */
function failureLine(text: string): string | undefined {
  const lines = nonBlankLines(text).slice(-4 * LAST_LINES);
  const line = lines.findLast((candidate) => /^\s*(?:error|fatal)\b/i.test(candidate)) ?? lines.at(-1);
  return line === undefined ? undefined : oneLine(line, MESSAGE_CHARS);
}

/** The last line with anything on it. */
export function lastLine(text: string): string | undefined {
  const line = nonBlankLines(text).at(-1);
  return line === undefined ? undefined : oneLine(line, MESSAGE_CHARS);
}

function nonBlankLines(text: string): string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}

/** What happened, and the reason where one is known. */
export function withReason(what: string, reason: string | undefined): string {
  return reason === undefined ? what : `${what}: ${reason}`;
}
