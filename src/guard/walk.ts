import {
  type Command,
  type CommandNode,
  type Function as FunctionNode,
  parse,
  type Redirection,
  type Script,
  type Statement,
  type Word,
} from "unbash";
import { type Verdict, writing } from "./call.ts";
import { isEndless } from "./judge-call.ts";
import { FETCHED, FILE, HIDDEN, UNKNOWN } from "./marks.ts";
import { outputOf } from "./outputs.ts";
import { absolute } from "./paths.ts";
import type { Place } from "./ruling.ts";
import { callOf, fileTextIn, inner, newScope, type Scope } from "./scope.ts";
import { isSecret } from "./secrets.ts";
import { type Follower, startProgram } from "./starts.ts";
import { bodyOf, fieldsOf, type Known, textOf } from "./words.ts";

/** Beyond these, what a line does is not known. */
const MOST_STEPS = 3000;
const DEEPEST = 16;
const MOST_TURNS = 24;
const LONGEST = 100_000;

/**
 * Follows a line as a shell would run it, and notes which rules it breaks. Nothing is run: values are followed as far as they
 * stand in the line.
 */
export class Walk implements Follower {
  readonly found: (Exclude<Verdict, undefined> | "denied")[] = [];
  #steps = 0;

  /** A whole line, from the beginning. */
  start(text: string, place: Place): void {
    this.script(text, newScope(place));
  }

  note(verdict: Verdict | "denied"): void {
    if (verdict !== undefined) this.found.push(verdict);
  }

  /** So much is not followed: what it comes to is not known. */
  isTooMuch(scope: Scope): boolean {
    const isIt = ++this.#steps > MOST_STEPS || scope.depth > DEEPEST;
    if (isIt) this.note("unresolved");
    return isIt;
  }

  /** Follows a text that a shell would read, and gives what it would print. */
  script(text: string, scope: Scope): string {
    if (text.includes(FETCHED)) this.note("run-fetched");
    else if (text.includes(HIDDEN)) this.note("run-hidden");
    if (this.isTooMuch(scope)) return UNKNOWN;
    if (text.startsWith(FILE)) return UNKNOWN; // a file of the project, as if it were run by its name
    const script = parse(text);
    if ((script.errors?.length ?? 0) > 0) this.note("unresolved");
    return this.#statements(script.commands, { ...scope, depth: scope.depth + 1 });
  }

  #statements(list: readonly Statement[], scope: Scope): string {
    let printed = "";
    for (const { command, background } of list) {
      printed += this.#node(command, background === true ? { ...inner(scope), isBackground: true } : scope);
    }
    return printed.length > LONGEST ? UNKNOWN : printed;
  }

  #node(node: Statement["command"], scope: Scope): string {
    if (this.isTooMuch(scope)) return UNKNOWN;
    switch (node.type) {
      case "AndOr":
        return node.commands.map((one) => this.#node(one, scope)).join("");
      case "Pipeline":
        return this.#pipeline(node.commands, scope);
      case "Command":
        return this.#command(node, scope);
      case "Redirected": {
        const to = this.#redirects(node.redirects, scope);
        const printed = this.#node(node.command, { ...scope, stdin: to.stdin ?? scope.stdin });
        return this.#kept(printed, to.files, scope);
      }
      case "Function":
        scope.functions.set(textOf(node.name, this.#known(scope)), node.body);
        return "";
      case "Subshell":
        return this.#statements(node.body.commands, inner(scope));
      case "BraceGroup":
        return this.#statements(node.body.commands, scope);
      case "If": {
        const parts = [
          node.clause,
          node.then,
          ...node.elif.flatMap((one) => [one.clause, one.then]),
          ...(node.else === undefined ? [] : [node.else]),
        ];
        return parts.map((part) => this.#statements(part.commands, scope)).join("");
      }
      case "While":
        return this.#statements(node.clause.commands, scope) + this.#statements(node.body.commands, scope);
      case "For":
      case "Select":
        return this.#each(node.name, node.wordlist, node.body.commands, scope);
      case "ArithmeticFor":
        return this.#statements(node.body.commands, scope);
      case "Case":
        this.#words([node.word], scope);
        return node.items.map((item) => this.#statements(item.body.commands, scope)).join("");
      case "Coproc":
        return this.body(node.body, inner(scope));
      case "TestCommand":
      case "ArithmeticCommand":
        return "";
    }
  }

  body(body: FunctionNode["body"] | Command, scope: Scope): string {
    return body.type === "CompoundList" ? this.#statements(body.commands, scope) : this.#node(body, scope);
  }

  #pipeline(commands: readonly CommandNode[], scope: Scope): string {
    if (commands.length === 1) return this.#node(commands[0] as CommandNode, scope);
    let stdin = scope.stdin;
    for (const one of commands) stdin = this.#node(one, { ...inner(scope), stdin, isPiped: true }) || UNKNOWN;
    return stdin;
  }

  /** A loop over words that stand there is followed for each of them. */
  #each(name: Word, list: readonly Word[] | undefined, body: readonly Statement[], scope: Scope): string {
    const words = list === undefined ? (scope.variables.get("@") ?? [UNKNOWN]) : this.#words(list, scope);
    if (words.length > MOST_TURNS) this.note("unresolved");
    return words
      .slice(0, MOST_TURNS)
      .map((word) => {
        scope.variables.set(name.value, [word]);
        return this.#statements(body, scope);
      })
      .join("");
  }

  #known(scope: Scope): Known {
    return {
      home: scope.place.home,
      variable: (name) => scope.variables.get(name),
      output: (script: Script) =>
        this.#statements(script.commands, { ...inner(scope), depth: scope.depth + 1 }),
      pipe: (script, operator) => {
        const path = `/dev/fd/${10 + scope.files.size}`;
        const within = {
          ...inner(scope),
          depth: scope.depth + 1,
          stdin: operator === ">" ? UNKNOWN : scope.stdin,
        };
        scope.files.set(path, this.#statements(script.commands, within));
        return path;
      },
    };
  }

  #words(list: readonly Word[], scope: Scope): string[] {
    return list.flatMap((word) => fieldsOf(word, this.#known(scope)));
  }

  #command(node: Command, scope: Scope): string {
    const known = this.#known(scope);
    const env = new Map<string, string>();
    for (const one of node.prefix) {
      if (one.type !== "Assignment") continue;
      const values =
        one.value.type === "ArrayValue" ? this.#words(one.value.elements, scope) : [textOf(one.value, known)];
      if (node.name === undefined) {
        const before = one.append === true ? (scope.variables.get(one.name) ?? []) : [];
        const isList = one.value.type === "ArrayValue";
        scope.variables.set(one.name, isList ? [...before, ...values] : [before.join("") + values.join("")]);
      } else env.set(one.name, values.join(" "));
      if (one.name === "RALPH_GUARD") this.note("harness-run");
    }
    const to = this.#redirects(node.redirects, scope);
    const args = node.args.flatMap((one) =>
      one.type === "Word"
        ? fieldsOf(one, known)
        : [`${one.name}=${one.value.type === "ArrayValue" ? "" : textOf(one.value, known)}`],
    );
    const words = node.name === undefined ? [] : [...fieldsOf(node.name, known), ...args];
    if (to.files.length > 0 && isEndless(words)) this.note("exhaust");
    const printed = startProgram(words, { ...scope, stdin: to.stdin ?? scope.stdin }, env, this);
    return this.#kept(printed, to.files, scope);
  }

  /** What comes in, and which files what goes out would end in. */
  #redirects(list: readonly Redirection[], scope: Scope): { stdin?: string; files: readonly string[] } {
    const known = this.#known(scope);
    let stdin: string | undefined;
    const files: string[] = [];
    for (const one of list) {
      if (one.type === "HereDoc") stdin = bodyOf(one, known);
      else if (one.target === undefined) continue;
      else if (one.type === "HereString") stdin = `${textOf(one.target, known)}\n`;
      else {
        const path = textOf(one.target, known);
        const isNumber = /^\d+$|^-$|^\d+-$/.test(path);
        if (isNumber && one.operator.endsWith("&")) continue;
        if (one.operator === "<") {
          if (isSecret(path, scope.at.cwd, scope.place)) this.note("read-secret");
          stdin = outputOf(callOf("cat", [path], scope), fileTextIn(scope));
        } else {
          this.note(writing({ cwd: scope.at.cwd, place: scope.place }, [path]));
          files.push(path);
        }
      }
    }
    return stdin === undefined ? { files } : { stdin, files };
  }

  /** What is written into a file is remembered: it may be run next. */
  #kept(printed: string, files: readonly string[], scope: Scope): string {
    for (const file of files) {
      const path = absolute(file, scope.at.cwd, scope.place.home);
      if (path.startsWith("/dev/")) continue;
      scope.files.set(path, (scope.files.get(path) ?? "") + printed);
    }
    return files.length > 0 ? "" : printed;
  }
}
