import { isKnown } from "./marks.ts";

/**
 * Does a pattern of the settings mean this command? Both are words: a `*` in a word stands for any letters, and as the last
 * word for any further words. A `deny` holds for whatever begins with it. An `allow` must name every word, and a `*` of its own
 * stands neither for a way up (`..`) nor for what is not known.
 */
export function matches(pattern: string, words: readonly string[], kind: "allow" | "deny"): boolean {
  const wanted = pattern.trim().split(/\s+/);
  const isOpen = wanted.at(-1) === "*";
  const named = isOpen ? wanted.slice(0, -1) : wanted;
  if (named.length === 0 || named[0] === "" || words.length < named.length) return false;
  if (kind === "allow" && !isOpen && words.length !== named.length) return false;
  return named.every((want, index) => isMeant(want, words[index] ?? "", kind));
}

function isMeant(want: string, word: string, kind: "allow" | "deny"): boolean {
  if (!want.includes("*")) return want === word;
  if (kind === "allow" && (!isKnown(word) || waysUp(word) > waysUp(want))) return false;
  const parts = want.split(/\*+/);
  const [first = ""] = parts;
  const last = parts.at(-1) ?? "";
  if (!word.startsWith(first) || !word.endsWith(last) || word.length < first.length + last.length)
    return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = word.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= word.length - last.length;
}

function waysUp(path: string): number {
  return path.split("/").filter((part) => part === "..").length;
}
