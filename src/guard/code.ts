import { type Call, deleting, entitling, type Verdict, worst, writing } from "./call.ts";
import { FETCHED, HIDDEN, literal, UNKNOWN } from "./marks.ts";
import { isOwnSecret, isSecret } from "./secrets.ts";
import { losesData } from "./sql.ts";

/*
 * One-liners of interpreters. This is no parser of five languages: it sees names and texts in quotes, and which names are called
 * with which texts. What it does not know by name it lets pass.
 */

/** A name with what it is called with. */
interface Used {
  readonly name: string;
  /** Texts in quotes between its brackets; or, without brackets, up to the end of the statement. */
  readonly texts: readonly string[];
  /** Everything between them. */
  readonly source: string;
}

const RUNS =
  /^(?:system|popen|exec|execSync|execFile|execFileSync|spawn|spawnSync|call|run|check_call|check_output|getoutput|getstatusoutput|Popen|shell_exec|passthru|proc_open|execlp|execvp|execv|execl|qx|backtick|open3|capture2|capture3)$/;
const DELETES =
  /^(?:rmtree|rm_rf|rm_r|rm_f|remove_dir|unlink|unlinkSync|remove|removedirs|removeSync|rmdir|rmdirSync|rmSync|rm|remove_tree|remove_entry_secure|delete|emptyDirSync)$/;
const WRITES =
  /^(?:writeFile|writeFileSync|appendFile|appendFileSync|createWriteStream|outputFileSync|write_text|write_bytes|file_put_contents|truncateSync|truncate|copyFile|copyFileSync|copyfile|copy2|renameSync|rename|move|symlinkSync|symlink|cpSync|fopen|write|copy|cp)$/;
const RIGHTS = /^(?:chmod|chmodSync|chown|chownSync|fchmod|lchown|chmod_R|chown_R)$/;
const NETWORK =
  /(?:^|[^\w$])(?:urlopen|urllib|requests|httpx|aiohttp|fetch|axios|https?\b\W{0,3}\.(?:get|request|post)|LWP|Net::HTTP|open-uri|TCPSocket|fsockopen|socket|IO::Socket|HTTP::Tiny|http\.client|curl_exec)|require\(['"](?:node:)?(?:https?|net|tls)['"]\)|file_get_contents\(\s*['"]https?:/;
const SENDS =
  /(?:^|[^\w$])(?:post|put|POST|PUT|sendall|send|write|upload|PostForm|post_form)\b|method\s*:|data\s*=|body\s*:/;
const EVALUATES =
  /(?:^|[^\w$.])(?:eval|exec|Function|compile|execfile|instance_eval|assert|runInThisContext|runInNewContext|__import__)\b/;
const SHELL = /(?:^|\/)(?:ba|z|da|k)?sh(?:\s|$)|cmd\.exe/;
const HOME =
  /(?:Dir\.home|expanduser\(\s*['"]~['"]|Path\.home\(\)|homedir\(\)|ENV\{?\[?['"]?HOME|environ(?:\.get\(|\[)['"]HOME|process\.env\.HOME|getenv\(['"]HOME)/;

/** What a text of code comes to. `shell` judges a line that the code would give to a shell. */
export function judgeCode(
  code: string,
  call: Pick<Call, "cwd" | "place">,
  shell: (line: string) => void,
): Verdict {
  const { place, cwd } = call;
  if (code.includes(FETCHED)) return "run-fetched";
  if (code.includes(HIDDEN)) return "run-hidden";
  const uses = usesIn(code);
  const texts = textsIn(code);
  const verdicts: Verdict[] = [];
  for (const line of code.matchAll(/`([^`$]*)`/g))
    if (!/\bfetch|=>|const\b/.test(code)) shell(literal(line[1] ?? ""));
  for (const used of uses) {
    const { name, texts: given, source } = used;
    if (RUNS.test(name)) {
      const line = lineOf(given);
      if (line !== undefined) shell(line);
    } else if (DELETES.test(name)) {
      const paths = given.length > 0 ? given : HOME.test(source) ? [place.home] : [];
      verdicts.push(
        deleting(
          call,
          paths.filter(looksLikePath).map((path) => path.replace(/\/\*+$/, "/x")),
        ),
      );
    } else if (RIGHTS.test(name)) verdicts.push(entitling(call, given.filter(looksLikePath)));
    else if (WRITES.test(name)) verdicts.push(writing(call, targetOf(name, given)));
    else if (name === "open" || name === "Path") verdicts.push(opened(given, call));
    else if (
      /^(?:execute|executescript|query|raw|exec_query|do|unsafe|\$executeRawUnsafe)$/.test(name) &&
      given.some(losesData)
    )
      verdicts.push("database-drop");
  }
  if (texts.some((text) => looksLikePath(text) && isSecret(text, cwd, place))) verdicts.push("read-secret");
  if (NETWORK.test(code)) {
    const isFar = !texts.some((text) => /localhost|127\.0\.0\.1/.test(text));
    if (
      /socket|Socket|fsockopen|connect|net['"]\)/.test(code) &&
      (texts.some((text) => SHELL.test(text)) || /pty/.test(code))
    )
      verdicts.push("reverse-shell");
    if (isFar && EVALUATES.test(code)) verdicts.push("run-fetched");
    if (isFar && SENDS.test(code) && texts.some(isOwnSecret)) verdicts.push("send-secret");
    else if (isFar && SENDS.test(code) && /readFile|\bopen\(|File\.read|environ|process\.env\b/.test(code))
      verdicts.push("send-files");
  }
  if (/\bfork\b/.test(code) && /\b(?:while|for|loop|until)\b/.test(code)) verdicts.push("fork-bomb");
  if (
    EVALUATES.test(code) &&
    /b64decode|atob|base64|fromhex|unhexlify|decompress|MIME::Base64|'hex'|"hex"|rot13/.test(code)
  )
    verdicts.push("run-hidden");
  return worst(verdicts);
}

function looksLikePath(text: string): boolean {
  return text.length < 4096 && !text.includes("\n") && (text.includes("/") || /^[~.]/.test(text));
}

/** One text is a line for a shell; several are a program and its words. */
function lineOf(texts: readonly string[]): string | undefined {
  const [first] = texts;
  if (first === undefined) return undefined;
  if (/\s/.test(first) || texts.length === 1) return first;
  return texts
    .filter((text) => !/^(?:utf-?8|inherit|pipe|ignore|w|r)$/.test(text))
    .map((text) => `'${text.replaceAll("'", "'\\''")}'`)
    .join(" ");
}

function targetOf(name: string, texts: readonly string[]): string[] {
  const isTwo = /^(?:copy|rename|move|symlink|cp)/.test(name);
  const at = isTwo ? texts[1] : texts[0];
  if (name === "fopen" && !texts.slice(1).some((mode) => /^[wax]/.test(mode))) return [];
  return at === undefined || !/[./~]/.test(at) || /\n/.test(at) ? [] : [at];
}

function opened(texts: readonly string[], call: Pick<Call, "cwd" | "place">): Verdict {
  const [path = "", ...modes] = texts;
  const isWriting =
    modes.some((mode) => /^[rbt]*[wax+]/.test(mode) && mode.length < 4) ||
    /^\s*>/.test(path) ||
    modes.some((mode) => /^\s*>/.test(mode));
  if (!isWriting) return undefined;
  return writing(
    call,
    [path, ...modes].map((one) => one.replace(/^\s*>+\s*/, "")).filter((one) => /[./~]/.test(one)),
  );
}

/** Texts in quotes, without what is computed in them. */
function textsIn(code: string): string[] {
  return [...code.matchAll(TEXT)].map(([piece]) => unquoted(piece));
}

const TEXT = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/g;

function unquoted(piece: string): string {
  const text = piece.slice(1, -1).replace(/\\(["'`\\])/g, "$1");
  return literal(text).replace(/\$\{[^}]*\}|#\{[^}]*\}/g, UNKNOWN);
}

/** Every name with what follows it. */
function usesIn(code: string): Used[] {
  const bare = code.replace(TEXT, (piece) => " ".repeat(piece.length));
  const all: Used[] = [];
  for (const match of bare.matchAll(/[A-Za-z_$][\w$]*/g)) {
    if (all.length > 500) break;
    const from = match.index + match[0].length;
    const after = /^\s*\(/.exec(bare.slice(from, from + 20));
    const end = after === null ? endOfStatement(bare, from) : closing(bare, from + after[0].length - 1);
    const source = code.slice(from, end);
    all.push({ name: match[0], texts: textsIn(source), source });
  }
  return all;
}

function endOfStatement(code: string, from: number): number {
  const end = code.slice(from).search(/[;\n}]|=>|\)/);
  return end < 0 ? code.length : from + end;
}

function closing(code: string, from: number): number {
  let depth = 0;
  for (let at = from; at < code.length; at++) {
    if (code[at] === "(") depth++;
    else if (code[at] === ")" && --depth === 0) return at + 1;
  }
  return code.length;
}
