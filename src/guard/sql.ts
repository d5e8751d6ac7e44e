/** Does a text of SQL, or of a store's own commands, lose all of something? Words in quotes and comments say nothing. */
export function losesData(sql: string): boolean {
  return statements(sql).some((words) => {
    const [verb = "", second = "", third = ""] = words;
    if (verb === "drop")
      return (
        /^(?:database|schema|table|user|role|owned|keyspace|collection|view|index|tablespace)$/.test(
          second,
        ) || second === "materialized"
      );
    if (verb === "truncate") return true;
    if (verb === "delete" && second === "from") return !narrows(words);
    if (verb === "update") return words.includes("set") && !narrows(words);
    if (verb === "alter" && (words.includes("drop") || words.includes("delete")))
      return third !== "" && !words.includes("constraint") && !words.includes("default");
    return verb === "flushall" || verb === "flushdb";
  });
}

/** A condition that holds for every row is none. */
function narrows(words: readonly string[]): boolean {
  const at = words.indexOf("where");
  if (at < 0) return false;
  const rest = words.slice(at + 1).join(" ");
  return rest !== "1" && rest !== "true" && rest !== "1 = 1" && rest !== "1=1";
}

function statements(sql: string): string[][] {
  const all: string[][] = [];
  let words: string[] = [];
  const token = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"|`[^`]*`|;|\\\w+|[\w.$]+|[^\s\w;]/g;
  for (const [piece] of sql.matchAll(token)) {
    if (piece.startsWith("--") || piece.startsWith("/*")) continue;
    if (piece === ";") {
      all.push(words);
      words = [];
    } else words.push(/^['"`]/.test(piece) ? "?" : piece.toLowerCase());
  }
  all.push(words);
  return all.filter((list) => list.length > 0).map((list) => (list[0] === "explain" ? [] : list));
}
