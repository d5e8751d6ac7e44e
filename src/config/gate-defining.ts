import { lstatSync, realpathSync } from "node:fs";
import { basename, join, posix, relative } from "node:path";
import { split } from "shlex";
import { readManifest } from "./detect/look.ts";

/** Larger circles of scripts that call each other are not followed. */
const MOST_SCRIPTS = 100;
const SETTINGS = [".ralph/settings.json", ".ralph/settings.local.json"];
const MAKEFILES = ["GNUmakefile", "makefile", "Makefile"];
const JUSTFILES = ["justfile", "Justfile", ".justfile"];
/** Package managers, and the files that tell each how scripts are run: another shell, another program in its own place. */
const MANAGERS: ReadonlyMap<string, readonly string[]> = new Map([
  ["npm", [".npmrc"]],
  ["pnpm", [".npmrc", "pnpm-workspace.yaml"]],
  ["yarn", [".npmrc", ".yarnrc", ".yarnrc.yml"]],
  ["bun", [".npmrc", "bunfig.toml"]],
]);
const INTERPRETER = /^(?:(?:ba|da|z|k)?sh|node|deno|bun|tsx|ts-node|python[\d.]*|ruby|perl|php|\.|source)$/;
/** What stands between the operators of a shell, quotes minded. */
const SIMPLE_COMMAND = /(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^;|&\n()'"\\])+/gs;
/** Words that only say how the next one is run. */
const WRAPPERS = new Set(["env", "exec", "command", "time", "nice", "nohup", "timeout", "!"]);

/**
 * What defines these gates, as patterns of protected files: the settings; the scripts of package.json that a command names, and
 * those that they name; the makefile of a `make`; a script of the project that a command runs. Only what is there is named:
 * what is not is the agent's to write. Follows no link out of the project, runs nothing, never throws.
 */
export function definingFiles(project: string, commands: readonly string[]): string[] {
  const search = new Search(project);
  for (const command of commands) search.line(command, "");
  return [...SETTINGS, ...search.found];
}

class Search {
  readonly found = new Set<string>();
  readonly #project: string;
  readonly #scripts = new Set<string>();

  constructor(project: string) {
    this.#project = project;
  }

  /** Looks through a shell line that is run in a folder of the project. */
  line(line: string, folder: string): void {
    let at = folder;
    for (const [part] of line.matchAll(SIMPLE_COMMAND)) {
      const words = withoutWrappers(wordsOf(part));
      const [program = "", ...rest] = words;
      if (program === "cd") at = posix.join(at, rest[0] ?? "");
      else if (!isOutside(at)) this.#command(program, rest, at);
    }
  }

  #command(program: string, words: readonly string[], at: string): void {
    const name = basename(program);
    const files = MANAGERS.get(name);
    if (files !== undefined && this.#packageScripts(words, at))
      for (const file of files) this.found.add(posix.join(at, file));
    if (name === "make" || name === "gmake")
      this.#anyOf(MAKEFILES, fileAfter(words, /^(?:-f|--(?:make)?file)$/), at);
    else if (name === "just") this.#anyOf(JUSTFILES, fileAfter(words, /^(?:-f|--justfile)$/), at);
    else if (INTERPRETER.test(name)) {
      const inline = name.endsWith("sh") ? words.findIndex((word) => /^-\w*c$/.test(word)) : -1;
      if (inline >= 0) this.line(words[inline + 1] ?? "", at);
      else this.#first(words, at);
    } else if (program.includes("/")) this.#first([program], at);
  }

  /**
   * Scripts by the names that stand in a line, with what npm runs before and after them, and the scripts that they name. Are
   * there scripts at all? One that is not there is protected too where npm would run it: nobody is to put it there.
   */
  #packageScripts(words: readonly string[], at: string): boolean {
    const file = posix.join(at, "package.json");
    const scripts = this.#scriptsOf(file);
    if (scripts === undefined) return false;
    const scriptOf = (name: string) => (Object.hasOwn(scripts, name) ? scripts[name] : undefined);
    const names = words
      .map((word) => (word === "t" || word === "tst" ? "test" : word))
      .map((name) => [`pre${name}`, name, `post${name}`])
      .filter((three) => three.some((name) => typeof scriptOf(name) === "string"))
      .flat();
    for (const name of names) {
      const key = `${escaped(file)}#/scripts/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      if (this.#scripts.has(key) || this.#scripts.size > MOST_SCRIPTS) continue;
      this.#scripts.add(key);
      this.found.add(key);
      const script = scriptOf(name);
      if (typeof script !== "string") continue;
      this.#packageScripts(script.split(/[\s;&|()"']+/), at);
      this.line(script, at);
    }
    return true;
  }

  #scriptsOf(file: string): Readonly<Record<string, unknown>> | undefined {
    try {
      const value: unknown = JSON.parse(readManifest(this.#project, file) ?? "");
      if (typeof value !== "object" || value === null || !("scripts" in value)) return undefined;
      const { scripts } = value;
      return typeof scripts === "object" && scripts !== null
        ? (scripts as Record<string, unknown>)
        : undefined;
    } catch {
      return undefined; // not there, or nothing that npm could read either
    }
  }

  /** All of these names when one is there: another one could be put before it. */
  #anyOf(names: readonly string[], own: string | undefined, at: string): void {
    if (own !== undefined) this.#first([own], at);
    else if (names.some((name) => this.#fileAt(posix.join(at, name)) !== undefined))
      for (const name of names) this.found.add(escaped(posix.join(at, name)));
  }

  /** The first of these words that is a file of the project. */
  #first(words: readonly string[], at: string): void {
    for (const word of words) {
      const path = posix.join(at, word);
      const real = this.#fileAt(path);
      if (real === undefined) continue;
      for (const one of [path, real]) this.found.add(escaped(one));
      return;
    }
  }

  /** Where a file of the project really is; undefined when it is none. */
  #fileAt(path: string): string | undefined {
    if (isOutside(path) || path.includes("\0")) return undefined;
    try {
      const real = realpathSync(join(this.#project, path));
      const way = relative(realpathSync(this.#project), real);
      return !way.startsWith("..") && lstatSync(real).isFile() ? way : undefined;
    } catch {
      return undefined;
    }
  }
}

function isOutside(path: string): boolean {
  return posix.isAbsolute(path) || path === ".." || path.startsWith("../");
}

function wordsOf(part: string): string[] {
  try {
    return split(part);
  } catch {
    return part.split(/\s+/).filter((word) => word !== ""); // a quote that is closed elsewhere
  }
}

function withoutWrappers(words: readonly string[]): readonly string[] {
  const isBefore = (word: string) =>
    /^\w+=/.test(word) || WRAPPERS.has(word) || word.startsWith("-") || /^\d+[smh]?$/.test(word);
  const at = words.findIndex((word) => !isBefore(word));
  return at < 0 ? [] : words.slice(at);
}

function fileAfter(words: readonly string[], flag: RegExp): string | undefined {
  const at = words.findIndex((word) => flag.test(word));
  return at < 0 ? undefined : words[at + 1];
}

/** A name as a pattern that means nothing but it. */
function escaped(path: string): string {
  return path.replace(/[\\*?[\]{}()!#+@|]/g, "\\$&");
}
