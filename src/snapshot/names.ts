/** Well-formed UTF-8 in a string whose characters are bytes; what is left over is a byte that is no text. */
const UTF8 =
  /[\x00-\x7f]+|(?:[\xc2-\xdf]|\xe0[\xa0-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f]|(?:\xf0[\x90-\xbf]|[\xf1-\xf3][\x80-\xbf]|\xf4[\x80-\x8f])[\x80-\xbf])[\x80-\xbf]|[\x80-\xff]/g;

/**
 * A file's name as a string, whatever its bytes are: those that are no text become lone surrogates (U+DC80 to U+DCFF), which
 * no text holds, so that `bytesOf` gives back exactly what was.
 */
export function nameOf(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  if (!text.includes("\ufffd")) return text;
  return bytes
    .toString("latin1")
    .replace(UTF8, (part) =>
      part.length === 1 && part > "\x7f"
        ? String.fromCharCode(0xdc00 + part.charCodeAt(0))
        : Buffer.from(part, "latin1").toString("utf8"),
    );
}

/** The bytes of a name that `nameOf` made. */
export function bytesOf(name: string): Buffer {
  if (isText(name)) return Buffer.from(name, "utf8");
  return Buffer.concat(
    name
      .split(/([\udc80-\udcff])/u)
      .map((part) =>
        /^[\udc80-\udcff]$/u.test(part)
          ? Buffer.from([part.charCodeAt(0) - 0xdc00])
          : Buffer.from(part, "utf8"),
      ),
  );
}

/** Is this name text, which can be handed to another program as such? */
export function isText(name: string): boolean {
  return !/[\udc80-\udcff]/u.test(name);
}

/** The parts of a list that git wrote with `-z`. */
export function zeroSeparated(bytes: Buffer): string[] {
  const names: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(0, at);
    const stop = end < 0 ? bytes.length : end;
    names.push(nameOf(bytes.subarray(at, stop)));
    at = stop + 1;
  }
  return names;
}

/** The folders on the way to a path, the outermost first. */
export function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) folders.push(path.slice(0, at));
  return folders;
}
