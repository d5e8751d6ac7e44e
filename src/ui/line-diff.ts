const CONTEXT = 2;
/** Beyond so many comparisons the middle is shown as removed and added again. */
const MOST = 4_000_000;

/** What changes between two texts, line by line: `-` goes, `+` comes, with a little around it. Empty when nothing does. */
export function lineDiff(before: string, after: string): string {
  const lines = compare(linesOf(before), linesOf(after));
  const near = (at: number) => lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(isChange);
  const shown: string[] = [];
  let isGap = false;
  for (const [at, line] of lines.entries()) {
    if (!near(at)) {
      isGap = true;
      continue;
    }
    if (isGap && shown.length > 0) shown.push("  …");
    isGap = false;
    shown.push(line);
  }
  return shown.join("\n");
}

function isChange(line: string): boolean {
  return !line.startsWith(" ");
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);
}

function compare(a: readonly string[], b: readonly string[]): string[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < Math.min(a.length, b.length) - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const same = (lines: readonly string[]) => lines.map((line) => `  ${line}`);
  const middle = between(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  return [...same(a.slice(0, head)), ...middle, ...same(a.slice(a.length - tail))];
}

/** By the longest common subsequence. */
function between(a: readonly string[], b: readonly string[]): string[] {
  const gone = (line: string | undefined) => `- ${line ?? ""}`;
  const come = (line: string | undefined) => `+ ${line ?? ""}`;
  if (a.length * b.length > MOST) return [...a.map(gone), ...b.map(come)];
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => longest[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: string[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push(`  ${a[i]}`);
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) lines.push(gone(a[i++]));
    else lines.push(come(b[j++]));
  }
  return lines;
}
