import type { Node } from "jsonc-parser";
import { type KeyPath, type Place, placeAt } from "./locate.ts";

/** A key that stands twice in one object. */
export interface Repeated {
  readonly path: KeyPath;
  readonly at: Place;
  readonly firstLine: number;
}

/** Every text of a JSON file, with the colon behind it that makes it a key. */
const TEXTS = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g;

/**
 * Whether some object of a JSON text names a key twice. `JSON.parse` keeps the last one silently, so there are fewer keys in
 * its value than in the text; that costs no second parser as long as all is well.
 */
export function hasRepeatedKeys(text: string, value: unknown): boolean {
  let written = 0;
  for (const match of text.matchAll(TEXTS)) if (match[1] !== undefined) written++;
  return written > countKeys(value);
}

/** Where they stand, each at its second place. Empty when the text is nested too deep to be looked through. */
export async function repeatedKeys(text: string): Promise<Repeated[]> {
  const { parseTree } = await import("jsonc-parser");
  try {
    const root = parseTree(text);
    return root === undefined ? [] : Array.from(repeatedIn(root, [], text));
  } catch {
    return []; // too deep for a recursive parser
  }
}

function* repeatedIn(node: Node, path: KeyPath, text: string): Generator<Repeated> {
  const first = new Map<string, number>();
  for (const [index, child] of (node.children ?? []).entries()) {
    if (node.type !== "object") {
      yield* repeatedIn(child, [...path, index], text);
      continue;
    }
    const [name, inside] = child.children ?? [];
    const key = String(name?.value);
    const before = first.get(key);
    if (before === undefined) first.set(key, child.offset);
    else {
      const firstLine = placeAt(text, before).line;
      yield { path: [...path, key], at: placeAt(text, child.offset), firstLine };
    }
    if (inside !== undefined) yield* repeatedIn(inside, [...path, key], text);
  }
}

function countKeys(value: unknown): number {
  let count = 0;
  const left: unknown[] = [value]; // a list and no recursion: the text may be nested as deep as it is long
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next !== "object" || next === null) continue;
    const inside = Object.values(next);
    if (!Array.isArray(next)) count += inside.length;
    for (const item of inside) left.push(item);
  }
  return count;
}
