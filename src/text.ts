/** Keeps the first `limit` characters and says so, only when something was cut. Never splits a surrogate pair. */
export function truncate(text: string, limit: number): { text: string; truncated: boolean } {
  if (text.length <= limit) return { text, truncated: false };
  const last = text.charCodeAt(limit - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit;
  return { text: `${text.slice(0, end)}... [truncated]`, truncated: true };
}

/**
 * What stands in the first pair of these tags, whatever their case; undefined when there is none. Two searches and not
 * one lazy pattern: an opening tag that never closes, said a million times, must not cost a million looks to the end.
 */
export function inFirstTag(text: string, tag: "response" | "blocked"): string | undefined {
  const open = text.search(new RegExp(`<${tag}>`, "i"));
  if (open < 0) return undefined;
  const rest = text.slice(open + tag.length + 2);
  const close = rest.search(new RegExp(`</${tag}>`, "i"));
  return close < 0 ? undefined : rest.slice(0, close);
}
