import { isDeepStrictEqual } from "node:util";

/** What is to become of a JSON file of which some keys are protected. */
export type Mended = { readonly kind: "same" } | { readonly kind: "whole" } | { readonly text: string };

/**
 * Puts keys of a JSON file back to what they were, and leaves all else as it is. A file that is no JSON any more, or that cannot
 * be mended with certainty, has to be put back whole.
 */
export async function mendKeys(
  base: string | undefined,
  now: string,
  keys: readonly (readonly string[])[],
): Promise<Mended> {
  const before = base === undefined ? {} : parse(base);
  const after = parse(now);
  if (before === undefined) return base === now ? { kind: "same" } : { kind: "whole" };
  if (after === undefined) return { kind: "whole" };
  const broken = keys.filter((path) => !isDeepStrictEqual(valueAt(before, path), valueAt(after, path)));
  if (broken.length === 0) return { kind: "same" };
  let text = now;
  for (const path of broken) text = await mendKey(base ?? "{}", text, path);
  // Whatever tricks stand in the file (a key twice, one in another's place): what other programs read there counts.
  const mended = parse(text);
  const isMended = mended !== undefined && keys.every(isSameIn(before, mended));
  return isMended ? { text } : { kind: "whole" };
}

function isSameIn(before: object, mended: object): (path: readonly string[]) => boolean {
  return (path) => isDeepStrictEqual(valueAt(before, path), valueAt(mended, path));
}

async function mendKey(base: string, now: string, path: readonly string[]): Promise<string> {
  const { applyEdits, findNodeAtLocation, modify, parseTree } = await import("jsonc-parser");
  const find = (text: string) => {
    const root = parseTree(text);
    return root === undefined ? undefined : findNodeAtLocation(root, [...path]);
  };
  const [was, is] = [find(base), find(now)];
  const wanted = was === undefined ? undefined : base.slice(was.offset, was.offset + was.length);
  if (wanted !== undefined && is !== undefined)
    return now.slice(0, is.offset) + wanted + now.slice(is.offset + is.length);
  try {
    const value: unknown = wanted === undefined ? undefined : JSON.parse(wanted);
    const formattingOptions = { insertSpaces: !/^\t/m.test(now), tabSize: 2 };
    return applyEdits(now, modify(now, [...path], value, { formattingOptions }));
  } catch {
    return now; // a text or a number stands where an object was: not to be mended in part
  }
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, key) =>
      typeof at === "object" && at !== null && Object.hasOwn(at, key)
        ? (at as Record<string, unknown>)[key]
        : undefined,
    value,
  );
}

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
