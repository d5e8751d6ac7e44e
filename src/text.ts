/** Keeps the first `limit` characters and says so, only when something was cut. Never splits a surrogate pair. */
export function truncate(text: string, limit: number): { text: string; truncated: boolean } {
  if (text.length <= limit) return { text, truncated: false };
  const last = text.charCodeAt(limit - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit;
  return { text: `${text.slice(0, end)}... [truncated]`, truncated: true };
}
