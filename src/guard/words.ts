import type { DoubleQuotedChild, HereDoc, ParameterExpansionPart, Script, Word, WordPart } from "unbash";
import { isKnown, literal, marksIn, UNKNOWN } from "./marks.ts";

/** What has to be known to tell what a word becomes. */
export interface Known {
  readonly home: string;
  variable(name: string): readonly string[] | undefined;
  /** What a command that stands in a word would print. */
  output(script: Script): string;
  /** The path under which a command's output, or its input, can be reached. */
  pipe(script: Script, operator: "<" | ">"): string;
}

/** More words than these are not told apart. */
const MOST_FIELDS = 64;

/** A part of a word: its fields, and whether white space in it divides them further. */
interface Piece {
  readonly fields: readonly string[];
  readonly splits: boolean;
  /** Each field makes a word of its own, with what stands around it: braces. */
  readonly multiplies?: boolean;
}

/** The words that a word of the source becomes. */
export function fieldsOf(word: Word, known: Known): string[] {
  const pieces = piecesOf(word, known);
  let all: string[][] = [[]];
  for (const { fields, splits, multiplies } of pieces) {
    if (multiplies === true) {
      all = all.flatMap((words) => fields.map((field) => joined(words, [field]))).slice(0, MOST_FIELDS);
      continue;
    }
    const more = splits ? fields.flatMap(divided) : fields;
    all = all.map((words) => joined(words, more));
  }
  return all.flat().slice(0, MOST_FIELDS);
}

/** What a word becomes where it stays one: an assignment, the target of a redirection. */
export function textOf(word: Word, known: Known): string {
  return piecesOf(word, known)
    .map(({ fields }) => fields.join(" "))
    .join("");
}

/** The text of a here-document. */
export function bodyOf(doc: HereDoc, known: Known): string {
  if (doc.body.parts === undefined || doc.delimiter?.quoted === true) return literal(doc.body.text);
  return doc.body.parts.map((part) => pieceOf(part, known, true).fields.join(" ")).join("");
}

/** The last of what is there goes on with the first of what comes. */
function joined(words: readonly string[], more: readonly string[]): string[] {
  const [first, ...others] = more;
  if (first === undefined) return [...words];
  return [...words.slice(0, -1), (words.at(-1) ?? "") + first, ...others];
}

/** Field splitting. Space at an end divides from what stands beside it, which is rare enough to be let go. */
function divided(text: string): string[] {
  return text.split(/[ \t\n]+/).filter((field) => field !== "");
}

function piecesOf(word: Word, known: Known): Piece[] {
  const { parts } = word;
  if (parts === undefined) return [whole(atHome(word.value, word.text, known.home))];
  return parts.map((part, index) => {
    if (index === 0 && part.type === "Literal") return whole(atHome(part.value, part.text, known.home));
    return pieceOf(part, known, false);
  });
}

function atHome(value: string, source: string, home: string): string {
  if (!source.startsWith("~")) return value;
  const slash = value.indexOf("/");
  const user = value.slice(1, slash < 0 ? undefined : slash);
  const rest = slash < 0 ? "" : value.slice(slash);
  if (user === "") return home + rest;
  return user === "+" || user === "-"
    ? UNKNOWN + rest
    : `${user === "root" ? "/root" : `/home/${user}`}${rest}`;
}

const whole = (text: string): Piece => ({ fields: [literal(text)], splits: false });

function pieceOf(part: WordPart, known: Known, isQuoted: boolean): Piece {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
    case "Glob":
      return whole(part.value);
    case "DoubleQuoted":
    case "LocaleString":
      return quoted(part.parts, known);
    case "SimpleExpansion":
      return expansion(known.variable(part.text.slice(1)), part.text.slice(1), isQuoted);
    case "ParameterExpansion":
      return parameter(part, known, isQuoted);
    case "CommandExpansion": {
      const printed = part.script === undefined ? UNKNOWN : known.output(part.script).replace(/\n+$/, "");
      return { fields: [printed], splits: !isQuoted };
    }
    case "ArithmeticExpansion":
      return whole("0");
    case "ProcessSubstitution":
      return {
        fields: [part.script === undefined ? UNKNOWN : known.pipe(part.script, part.operator)],
        splits: false,
      };
    case "BraceExpansion":
      return { fields: alternatives(part.text), splits: false, multiplies: true };
    case "ExtendedGlob":
      return whole("*");
  }
}

function quoted(parts: readonly DoubleQuotedChild[], known: Known): Piece {
  let fields: string[] = [""];
  for (const part of parts) fields = joined(fields, pieceOf(part, known, true).fields);
  return { fields, splits: false };
}

function expansion(values: readonly string[] | undefined, name: string, isQuoted: boolean): Piece {
  const isList = name === "@" || name === "*";
  const fields = values ?? [UNKNOWN];
  return {
    fields: isQuoted && name === "*" ? [fields.join(" ")] : isList ? fields : [fields[0] ?? ""],
    splits: !isQuoted,
  };
}

function parameter(part: ParameterExpansionPart, known: Known, isQuoted: boolean): Piece {
  const { parameter: name, prefix, index, operation } = part;
  if (prefix === "#") return whole("0");
  const direct = known.variable(name);
  const values = prefix === "!" ? known.variable(direct?.[0] ?? "") : direct;
  const isList = index?.value === "@" || index?.value === "*";
  if (isList && operation === undefined) return { fields: values ?? [UNKNOWN], splits: !isQuoted };
  if (index !== undefined && operation === undefined) {
    const at = Number(index.value);
    return { fields: [values === undefined ? UNKNOWN : (values[at] ?? "")], splits: !isQuoted };
  }
  if (operation === undefined) return expansion(values, name, isQuoted);
  const [value] = values ?? [];
  return { fields: [changed(value, operation, known)], splits: !isQuoted };
}

function changed(
  value: string | undefined,
  operation: NonNullable<ParameterExpansionPart["operation"]>,
  known: Known,
): string {
  const isSet = value !== undefined && value !== "";
  if (operation.type === "Default") {
    if (operation.operator.endsWith("+"))
      return isSet || value === undefined ? textOf(operation.operand, known) : "";
    if (isSet) return value;
    return operation.operator.endsWith("?") ? UNKNOWN : textOf(operation.operand, known);
  }
  if (value === undefined) return UNKNOWN;
  const unclear = marksIn(value) + UNKNOWN;
  if (!isKnown(value)) return unclear;
  switch (operation.type) {
    case "CaseModification":
      return operation.operator.startsWith("^") ? value.toUpperCase() : value.toLowerCase();
    case "Replace": {
      const from = textOf(operation.pattern, known);
      const to = textOf(operation.replacement, known);
      if (/[*?[]/.test(from)) return unclear;
      return operation.operator === "//" ? value.replaceAll(from, to) : value.replace(from, () => to);
    }
    case "Slice": {
      const from = Number(operation.offset.value);
      const length = operation.length === undefined ? undefined : Number(operation.length.value);
      if (!(from >= 0) || (length !== undefined && !(length >= 0))) return unclear;
      return value.slice(from, length === undefined ? undefined : from + length);
    }
    case "Remove": {
      const cut = textOf(operation.operand, known);
      if (/[*?[]/.test(cut)) return unclear;
      if (operation.operator.startsWith("#")) return value.startsWith(cut) ? value.slice(cut.length) : value;
      return value.endsWith(cut) ? value.slice(0, value.length - cut.length) : value;
    }
    default:
      return unclear;
  }
}

/** `{a,b}` is both; what is nested or quoted in it is not told apart. */
function alternatives(text: string): string[] {
  const inner = text.slice(1, -1);
  const range = /^(-?\d{1,6})\.\.(-?\d{1,6})$/.exec(inner);
  if (range !== null) return [range[1] ?? "", range[2] ?? ""];
  if (/[{}'"\\$`]/.test(inner) || !inner.includes(",")) return [UNKNOWN];
  return inner.split(",").slice(0, MOST_FIELDS).map(literal);
}
