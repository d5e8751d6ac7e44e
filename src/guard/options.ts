/** The words after a program, as it would understand them. */
export interface Options {
  /** Is one of these options there? `r` is `-r`, alone or in a cluster; `force` is `--force`. */
  has(...names: readonly string[]): boolean;
  /** The values that were given to these options. */
  values(...names: readonly string[]): readonly string[];
  /** What is no option. */
  readonly operands: readonly string[];
}

/**
 * Reads options as most programs do. `valued` names those that take a value, as in `has`. With `first`, all that follows the
 * first operand is an operand too: it belongs to another program.
 */
export function readOptions(
  args: readonly string[],
  valued: readonly string[] = [],
  first: "first" | "any" = "any",
): Options {
  const takesValue = new Set(valued);
  const found = new Map<string, string[]>();
  const operands: string[] = [];
  const note = (name: string, value?: string) => {
    const list = found.get(name) ?? [];
    if (value !== undefined) list.push(value);
    found.set(name, list);
  };
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    if (word === "--") {
      operands.push(...args.slice(at + 1));
      break;
    }
    if (!word.startsWith("-") || word === "-") {
      operands.push(word);
      if (first === "first") {
        operands.push(...args.slice(at + 1));
        break;
      }
      continue;
    }
    const isLong = word.startsWith("--");
    const equals = word.indexOf("=");
    const name = word.slice(isLong ? 2 : 1, equals < 0 ? undefined : equals);
    if (isLong || takesValue.has(name)) {
      if (equals >= 0) note(name, word.slice(equals + 1));
      else if (takesValue.has(name)) note(name, args[++at] ?? "");
      else note(name);
      continue;
    }
    note(word.slice(1)); // some programs write long options with one dash
    for (let letter = 1; letter < word.length; letter++) {
      const one = word[letter] ?? "";
      if (!takesValue.has(one)) {
        note(one);
        continue;
      }
      const rest = word.slice(letter + 1);
      note(one, rest === "" ? (args[++at] ?? "") : rest.startsWith("=") ? rest.slice(1) : rest);
      break;
    }
  }
  return {
    has: (...names) => names.some((name) => found.has(name)),
    values: (...names) => names.flatMap((name) => found.get(name) ?? []),
    operands,
  };
}
