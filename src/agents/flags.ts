/** How the flags of a program take their values, for the ones that have to be found or taken out. */
export interface FlagShapes {
  /** Flags without a value. */
  readonly bare: readonly string[];
  /** Flags with one value, in the next word or after `=`. */
  readonly oneValue: readonly string[];
  /** Flags that take every word up to the next flag. */
  readonly manyValues: readonly string[];
}

/** Whether the user's words hold one of these flags: as a word, with `=value`, or (short ones) with the value attached. */
export function hasFlag(words: readonly string[], names: readonly string[]): boolean {
  return words.some((word) => names.some((name) => isFlag(word, name)));
}

/** The words without these flags and their values, everything else as it was. */
export function withoutFlags(words: readonly string[], shapes: FlagShapes): string[] {
  const kept: string[] = [];
  let index = 0;
  while (index < words.length) {
    const word = words[index] ?? "";
    const taken = flagLength(words, index, shapes);
    if (taken === 0) kept.push(word);
    index += Math.max(taken, 1);
  }
  return kept;
}

/** How many words the flag at `index` takes up with its values; 0 when it is none of these flags. */
function flagLength(words: readonly string[], index: number, shapes: FlagShapes): number {
  const word = words[index] ?? "";
  if (shapes.bare.includes(word)) return 1;
  if (hasFlag([word], shapes.oneValue)) return shapes.oneValue.includes(word) ? 2 : 1;
  if (!hasFlag([word], shapes.manyValues)) return 0;
  if (!shapes.manyValues.includes(word)) return 1;
  let end = index + 1;
  while (end < words.length && !(words[end] ?? "").startsWith("-")) end += 1;
  return end - index;
}

function isFlag(word: string, name: string): boolean {
  if (word === name) return true;
  return name.startsWith("--")
    ? word.startsWith(`${name}=`)
    : word.startsWith(name) && !word.startsWith("--");
}
