/** Longer words are no typing mistakes, and comparing them costs the product of their lengths. */
const LONGEST = 64;

/** The known word that was most likely meant, or undefined when none is near. */
export function didYouMean(word: string, known: readonly string[]): string | undefined {
  if (word === "" || word.length > LONGEST) return undefined;
  const wanted = word.toLowerCase();
  const near = known
    .map((name) => ({ name, distance: distance(wanted, name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)[0];
  if (near !== undefined && near.distance <= Math.max(1, Math.floor(word.length / 3))) return near.name;
  // "iterations" is far from "maximumIterations" by letters, and near by sense.
  return wanted.length < 4 ? undefined : known.find((name) => name.toLowerCase().includes(wanted));
}

/** Insertions, deletions, substitutions and swaps of neighbours between two words, one row at a time. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : Infinity;
      next.push(Math.min(substituted, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
