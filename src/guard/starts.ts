import type { Function as FunctionNode } from "unbash";
import { type Call, programName, type Verdict } from "./call.ts";
import { judgeCode } from "./code.ts";
import type { Inner } from "./inner.ts";
import { judgeCall } from "./judge-call.ts";
import { FETCHED, HIDDEN, isKnown, marksIn, UNKNOWN } from "./marks.ts";
import { outputOf } from "./outputs.ts";
import { callOf, changesOf, elsewhere, fileTextIn, inner, type Scope, withWords } from "./scope.ts";
import { unwrap } from "./wrappers.ts";

/** Who follows what a program starts in its turn, and notes what is wrong. */
export interface Follower {
  note(verdict: Verdict | "denied"): void;
  script(text: string, scope: Scope): string;
  body(body: FunctionNode["body"], scope: Scope): string;
  isTooMuch(scope: Scope): boolean;
}

/** These run a command as the shell itself would: a `cd` behind them is seen. */
const IN_PLACE = new Set(["builtin", "command", "time"]);

/** A program with its words: judges it, follows what it starts, and gives what it would print. */
export function startProgram(
  words: readonly string[],
  scope: Scope,
  env: ReadonlyMap<string, string>,
  walk: Follower,
): string {
  const [first, ...args] = words;
  if (first === undefined) return "";
  if (walk.isTooMuch(scope)) return UNKNOWN;
  const name = programName(first);
  if (name.includes(FETCHED)) walk.note("run-fetched");
  else if (name.includes(HIDDEN)) walk.note("run-hidden");
  else if (!isKnown(name) || isGlob(first)) walk.note("unresolved");
  const assigned = /^([A-Za-z_]\w*)=(.*)$/s.exec(first);
  // Behind env and sudo, assignments are words.
  if (assigned !== null)
    return startProgram(args, scope, new Map([...env, [assigned[1] ?? "", assigned[2] ?? ""]]), walk);
  const own = startOwn(first, args, scope, walk);
  if (own !== undefined) return own;
  const call = { ...callOf(name, args, scope), env };
  walk.note(judgeCall(call, first));
  const printed = [
    ...startWritten(first, scope, walk),
    ...unwrap(call).map((one) => startInner(one, call, scope, walk)),
  ];
  changesOf(call, scope, fileTextIn(scope));
  return printed.length > 0 ? printed.join("") : outputOf(call, fileTextIn(scope));
}

/** Which program a pattern comes to, only the disk knows. */
function isGlob(word: string): boolean {
  return /[*?]|.\[/.test(word) && !word.startsWith("[[");
}

/** Functions and aliases that the line defines itself. */
function startOwn(first: string, args: readonly string[], scope: Scope, walk: Follower): string | undefined {
  const body = scope.functions.get(first);
  const isAgain = scope.calls.includes(body ?? first);
  const calls = [...scope.calls, body ?? first];
  if (body !== undefined) {
    if (isAgain && (scope.isPiped || scope.isBackground)) walk.note("fork-bomb");
    return isAgain ? "" : walk.body(body, { ...withWords(scope, args), calls });
  }
  const alias = scope.aliases.get(first);
  if (alias === undefined || isAgain) return undefined;
  const quoted = args.map((arg) => `'${arg.replaceAll("'", "'\\''")}'`);
  return walk.script([alias, ...quoted].join(" "), { ...scope, calls });
}

/** A file that was written a moment ago, run by its name. */
function startWritten(first: string, scope: Scope, walk: Follower): string[] {
  const text = first.includes("/") ? fileTextIn(scope)(first) : undefined;
  if (text === undefined) return [];
  const isShell = !/^#!.*(?:python|node|perl|ruby|php)/.test(text);
  return [startFile({ path: first, isShell }, scope, walk)];
}

function startInner(one: Inner, call: Call, scope: Scope, walk: Follower): string {
  const within = { ...inner(scope), depth: scope.depth + 1 };
  switch (one.kind) {
    case "verdict":
      walk.note(one.verdict);
      return "";
    case "words": {
      const where = IN_PLACE.has(call.name) ? { ...scope, depth: scope.depth + 1 } : within;
      const there = one.isInContainer === true ? elsewhere(within, "container") : where;
      return startProgram(one.words, there, call.env, walk);
    }
    case "script":
      if (one.isRemote === true) return walk.script(one.text, elsewhere(within, "remote"));
      if (call.name === "eval") return walk.script(one.text, scope);
      return walk.script(one.text, { ...withWords(within, one.args ?? []), stdin: "" });
    case "code":
      return startCode(one.text, call, within, walk);
    case "file": {
      const isHere = call.name === "source" || call.name === ".";
      return startFile(one, isHere ? { ...scope, depth: scope.depth + 1 } : within, walk);
    }
  }
}

function startFile(
  { path, isShell }: { readonly path: string; readonly isShell: boolean },
  scope: Scope,
  walk: Follower,
): string {
  if (path.includes(FETCHED)) walk.note("run-fetched");
  else if (!isKnown(programName(path))) walk.note("unresolved");
  const text = fileTextIn(scope)(path);
  if (text === undefined) return UNKNOWN;
  return isShell
    ? walk.script(text, { ...scope, stdin: "" })
    : startCode(text, callOf(path, [], scope), scope, walk);
}

function startCode(text: string, call: Call, scope: Scope, walk: Follower): string {
  const shell = (line: string) =>
    void walk.script(line, { ...inner(scope), depth: scope.depth + 1, stdin: "" });
  walk.note(judgeCode(text, call, shell));
  // Code of which nothing is known; that of the project's own files is like a file that is run.
  if (text.trim() === UNKNOWN) walk.note("unresolved");
  return marksIn(call.stdin) + UNKNOWN;
}
