import type { Function as FunctionNode } from "unbash";
import type { Call } from "./call.ts";
import { FETCHED, UNKNOWN } from "./marks.ts";
import { readOptions } from "./options.ts";
import { absolute } from "./paths.ts";
import type { Place } from "./ruling.ts";

/** What a shell knows at one moment of a line. */
export interface Scope {
  readonly place: Place;
  /** Where it stands, and where `pushd` came from. */
  readonly at: { cwd: string; readonly folders: string[] };
  readonly variables: Map<string, readonly string[]>;
  readonly functions: Map<string, FunctionNode["body"]>;
  readonly aliases: Map<string, string>;
  /** Files that were written in this line, by their absolute path. */
  readonly files: Map<string, string>;
  readonly stdin: string;
  readonly depth: number;
  /** The functions that are being called, by their bodies, and aliases by their names. */
  readonly calls: readonly unknown[];
  readonly isPiped: boolean;
  readonly isBackground: boolean;
}

/** How things are before the line. */
export function newScope(place: Place): Scope {
  return {
    place,
    at: { cwd: place.cwd, folders: [] },
    variables: new Map([
      ["HOME", [place.home]],
      ["PWD", [place.cwd]],
      ["TMPDIR", ["/tmp"]],
      ["RALPH_PROJECT", [place.project]],
      ["CLAUDE_PROJECT_DIR", [place.project]],
      ["PPID", ["$PPID"]],
      ["!", ["%+"]],
      ["$", ["$$"]],
      ["?", ["0"]],
      ["#", ["0"]],
      ["IFS", [" "]],
      ["0", ["sh"]],
      ["@", []],
      ["*", []],
    ]),
    functions: new Map(),
    aliases: new Map(),
    files: new Map(),
    stdin: "",
    depth: 0,
    calls: [],
    isPiped: false,
    isBackground: false,
  };
}

/** A shell of its own inside: what it changes is not seen outside, but for files. */
export function inner(scope: Scope): Scope {
  return {
    ...scope,
    at: { cwd: scope.at.cwd, folders: [...scope.at.folders] },
    variables: new Map(scope.variables),
    functions: new Map(scope.functions),
    aliases: new Map(scope.aliases),
  };
}

/** What a call changes in the shell that makes it, or writes into a file that may be run next. */
export function changesOf(call: Call, scope: Scope, fileText: (path: string) => string | undefined): void {
  const { name, args } = call;
  const put = (path: string, text: string) =>
    scope.files.set(absolute(path, call.cwd, call.place.home), text);
  switch (name) {
    case "cd":
    case "chdir":
      goTo(scope, readOptions(args).operands[0] ?? call.place.home);
      return;
    case "pushd":
      scope.at.folders.push(scope.at.cwd);
      goTo(scope, args[0] ?? UNKNOWN);
      return;
    case "popd":
      goTo(scope, scope.at.folders.pop() ?? UNKNOWN);
      return;
    case "export":
    case "declare":
    case "typeset":
    case "local":
    case "readonly":
      for (const word of args) {
        const at = word.indexOf("=");
        if (at > 0 && !word.startsWith("-")) scope.variables.set(word.slice(0, at), [word.slice(at + 1)]);
      }
      return;
    case "unset":
      for (const word of args) scope.variables.set(word, [""]);
      return;
    case "alias":
      for (const word of args) {
        const at = word.indexOf("=");
        if (at > 0) scope.aliases.set(word.slice(0, at), word.slice(at + 1));
      }
      return;
    case "read":
    case "mapfile":
    case "readarray":
      readInto(call, scope);
      return;
    case "set":
      if (args[0] === "--") setWords(scope, args.slice(1));
      return;
    case "tee":
      for (const path of readOptions(args).operands) put(path, call.stdin);
      return;
    case "cp":
    case "mv":
    case "install": {
      const [from = "", to = ""] = readOptions(args, ["m", "o", "g"]).operands;
      const text = fileText(from);
      if (text !== undefined && to !== "") put(to, text);
      return;
    }
    case "curl":
    case "wget":
      fetched(call, put);
      return;
  }
}

function goTo(scope: Scope, folder: string): void {
  scope.at.cwd = folder === "-" ? UNKNOWN : absolute(folder, scope.at.cwd, scope.place.home);
  scope.variables.set("PWD", [scope.at.cwd]);
}

function readInto({ args, stdin }: Call, scope: Scope): void {
  const { operands } = readOptions(args, "adinNptu".split(""));
  const [line = UNKNOWN] = stdin === "" ? [UNKNOWN] : stdin.split("\n");
  const words = operands.length > 1 ? line.split(/\s+/) : [line.trim()];
  for (const [at, name] of (operands.length === 0 ? ["REPLY"] : operands).entries()) {
    scope.variables.set(name, [words[at] ?? ""]);
  }
}

function setWords(scope: Scope, words: readonly string[]): void {
  scope.variables.set("@", words);
  scope.variables.set("*", words);
  for (const [at, word] of words.entries()) scope.variables.set(String(at + 1), [word]);
}

/** A download is a file whose text nobody has read. */
function fetched({ name, args }: Call, put: (path: string, text: string) => void): void {
  const options = readOptions(args, ["o", "output", "O", "output-document", "H", "d", "X", "u", "A"]);
  const named = name === "curl" ? options.values("o", "output") : options.values("O", "output-document");
  for (const path of named) if (path !== "-") put(path, FETCHED);
  const isByUrl =
    name === "wget"
      ? named.length === 0
      : args.some((word) => /^-\w*O/.test(word) || word === "--remote-name");
  const urls = args.filter((word) => /^\w+:\/\//.test(word));
  if (isByUrl) for (const url of urls) put(url.split(/[?#]/)[0]?.split("/").at(-1) || "index.html", FETCHED);
}

/** The same with other words in `$1` and `$@`. */
export function withWords(scope: Scope, words: readonly string[]): Scope {
  const within = { ...scope, variables: new Map(scope.variables) };
  setWords(within, words);
  return within;
}

/** On another machine nothing is the project's; in a container nothing but the project's can be lost. */
export function elsewhere(scope: Scope, where: "remote" | "container"): Scope {
  const home = where === "remote" ? "/home/remote" : "/nowhere";
  const project = where === "remote" ? "/nowhere" : "/";
  const place = { ...scope.place, project, home, protected: [] };
  return { ...inner(scope), place, at: { cwd: home, folders: [] } };
}

/** A call as it would be made in a shell. */
export function callOf(name: string, args: readonly string[], { at, stdin, place }: Scope): Call {
  return { name, args, cwd: at.cwd, stdin, place, env: new Map() };
}

/** What was written into files, by any of their paths. */
export function fileTextIn({ files, at, place }: Scope): (path: string) => string | undefined {
  return (path) => files.get(absolute(path, at.cwd, place.home));
}
