/*
 * Hides secrets in whatever is shown or logged. It would rather hide too much than too little, and it must not be a
 * way to hang the program: each pattern either starts only where a run of its characters starts (the look-behinds),
 * or needs nothing after its greedy part, so that the time grows with the length of the text and not faster.
 */

const HIDDEN = "[redacted]";

/** Names that end like this, once `_`, `-` and `.` are dropped. Not "tokens": those are counted all over the place. */
const SECRET_ENDING =
  /(?:(?:api|access|auth|signing|encryption)keys?|token|secrets?|credentials?|authorization|cookie|[a-z]pwd)$/;
const SECRET_INSIDE = /password|passwd|passphrase|privatekey|secretkey|secretaccess|clientsecret/;

/** Longer names are no names. */
const LONGEST_NAME = 200;

const PEM =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g;

/** A name and what stands between it and its value: `token=`, `"apiKey": `, `--api-key `, `"--api-key", `. */
const NAME = /(?<![\w.-])([\w.-]+)(\\?["']?\s{0,40}(?:[:=,]\s{0,40})?)/g;

const SCHEME = /(?:Bearer|Basic|Digest|Token|ApiKey)\s{1,8}/iy;
const VALUE =
  /"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*|\\"[^"\\\n]*(?:\\[^"\n][^"\\\n]*)*|'[^'\n]*|`[^`\n]*|[^\s"'`&;]+/y;
const NO_SECRET = /^(?:true|false|null|undefined)$/;

const URL_USER = /:\/\/([^\s/?#"'`<>\\]*)@/g;

const BEARER = /\b(Bearer|Basic)(\s{1,8})[\w.~+/=-]{12,}/gi;

const TOKENS = new RegExp(
  [
    "(?<![A-Za-z0-9])sk-(?=[\\w-]{0,200}\\d)[\\w-]{12,}", // OpenAI, Anthropic
    "(?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9]{16,}",
    "(?<![A-Za-z0-9])github_pat_\\w{16,}",
    "(?<![A-Za-z0-9])glpat-[\\w-]{16,}",
    "(?<![A-Za-z0-9])npm_[A-Za-z0-9]{30,}",
    "(?<![A-Za-z0-9])xox[abeoprs]-[\\w-]{10,}",
    "(?<![A-Za-z0-9])(?:AKIA|ASIA)[0-9A-Z]{12,}",
    "(?<![A-Za-z0-9])AIza[\\w-]{30,}",
    "(?<![\\w-])eyJ[\\w-]{8,}\\.[\\w-]{8,}\\.[\\w-]*", // JWT
  ].join("|"),
  "g",
);

/** Text without its secrets. Where something was hidden, `[redacted]` stands. */
export function redact(text: string): string {
  return redactNamed(text.replace(PEM, HIDDEN))
    .replace(URL_USER, (whole, user: string) =>
      user.includes(":") || user.length > 16 ? `://${HIDDEN}@` : whole,
    )
    .replace(BEARER, (_, scheme: string, space: string) => `${scheme}${space}${HIDDEN}`)
    .replace(TOKENS, HIDDEN);
}

/** A JSON value without its secrets: those under secret-like keys, those after secret-like flags, those in texts. */
export function redactValue(value: unknown): unknown {
  return walk(value, 0);
}

/** Deeper than anything that is shown; a hostile file must not exhaust the stack. */
const DEEPEST = 64;

function walk(value: unknown, depth: number): unknown {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth > DEEPEST) return HIDDEN;
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => {
      const before: unknown = value[index - 1];
      const afterFlag = typeof item === "string" && !item.startsWith("-") && typeof before === "string";
      return afterFlag && isSecretFlag(before) ? HIDDEN : walk(item, depth + 1);
    });
  }
  // fromEntries defines keys rather than setting them: "__proto__" stays a key like any other.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]: [string, unknown]) => [
      redact(key),
      isSecretName(key) && item !== null && typeof item !== "boolean" ? HIDDEN : walk(item, depth + 1),
    ]),
  );
}

function isSecretName(name: string): boolean {
  if (name.length > LONGEST_NAME) return false;
  const letters = name.toLowerCase().replace(/[_.-]/g, "");
  return SECRET_ENDING.test(letters) || SECRET_INSIDE.test(letters);
}

function isSecretFlag(word: string): boolean {
  return /^--?[\w.-]+$/.test(word) && isSecretName(word);
}

/** Hides the values of secret-like names. Looks at each name; values are passed over only when they are hidden. */
function redactNamed(text: string): string {
  const parts: string[] = [];
  let done = 0;
  NAME.lastIndex = 0;
  for (let match = NAME.exec(text); match !== null; match = NAME.exec(text)) {
    const [whole, name = "", gap = ""] = match;
    if (!isSecretName(name) || !leadsToValue(name, gap)) {
      // Only the name is behind us: in `a: token=b` the gap must not swallow what comes next.
      NAME.lastIndex = match.index + Math.max(1, name.length);
      continue;
    }
    const from = valueStart(text, match.index + whole.length);
    const value = matchAt(VALUE, text, from);
    const open = /^(?:\\"|["'`])?/.exec(value)?.[0] ?? "";
    const bare = value.slice(open.length);
    if (bare === "" || NO_SECRET.test(bare) || (isFlag(name) && bare.startsWith("--"))) continue;
    parts.push(text.slice(done, from), open, HIDDEN);
    done = from + value.length;
    NAME.lastIndex = done;
  }
  parts.push(text.slice(done));
  return parts.join("");
}

function isFlag(name: string): boolean {
  return name.startsWith("-");
}

/** After a flag white space or a comma is enough; after any other name only `:` and `=` lead to a value. */
function leadsToValue(name: string, gap: string): boolean {
  return isFlag(name) ? /[\s:=,]/.test(gap) : /[:=]/.test(gap);
}

function valueStart(text: string, from: number): number {
  return from + matchAt(SCHEME, text, from).length;
}

function matchAt(pattern: RegExp, text: string, from: number): string {
  pattern.lastIndex = from;
  return pattern.exec(text)?.[0] ?? "";
}
