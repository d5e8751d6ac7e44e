import { posix } from "node:path";
import type { Call } from "./call.ts";
import { FETCHED, FILE, HIDDEN, isKnown, marksIn, PIDS, SECRET, UNKNOWN } from "./marks.ts";
import { readOptions } from "./options.ts";
import { absolute } from "./paths.ts";
import { isOwnSecret, isSecret } from "./secrets.ts";

/** What a call would print, as far as that can be told. `fileText` tells what was written into a file before. */
export function outputOf(call: Call, fileText: (path: string) => string | undefined): string {
  const { name, args, stdin, cwd, place } = call;
  const { operands } = readOptions(args);
  const ofFile = (path: string) =>
    fileText(path) ??
    (isOwnSecret(path) || isSecret(path, cwd, place) || path === "/etc/passwd" ? SECRET : FILE + UNKNOWN);
  switch (name) {
    case "echo":
      return `${unescaped(args.filter((word, index) => !(index === 0 && /^-[neE]+$/.test(word))).join(" "))}\n`;
    case "printf":
      return formatted(args[0] === "--" ? args.slice(1) : args);
    case "cat":
    case "tac":
      return operands.length === 0
        ? stdin
        : operands.map((path) => (path === "-" ? stdin : ofFile(path))).join("");
    case "tee":
      return stdin;
    case "pwd":
      return cwd;
    case "mktemp":
      return made(call);
    case "realpath":
    case "readlink":
      return absolute(operands[0] ?? ".", cwd, place.home);
    case "dirname":
      return posix.dirname(operands[0] ?? "");
    case "basename":
      return posix.basename(operands[0] ?? "");
    case "which":
    case "type":
      return operands[0] ?? "";
    case "command":
      return operands.at(-1) ?? "";
    case "seq":
    case "date":
    case "expr":
    case "wc":
    case "nproc":
      return "0";
    case "find":
    case "fd":
      return rootsOf(args)
        .map((root) => `${root}/${UNKNOWN}`)
        .join("\n");
    case "ls":
      return operands.length > 0 && args.some((word) => /^-\w*d/.test(word))
        ? operands.join("\n")
        : operands.every((path) => !path.startsWith("/") && !path.startsWith(".."))
          ? `./${UNKNOWN}`
          : UNKNOWN;
    case "git":
      return ofGit(args, call);
    case "ps":
    case "pgrep":
    case "pidof":
      return PIDS;
    case "env":
    case "printenv":
    case "set":
    case "export":
      return operands.length === 0 ? SECRET + UNKNOWN : UNKNOWN;
    case "curl":
    case "wget":
    case "wget2":
    case "http":
    case "https":
    case "xh":
    case "aria2c":
    case "lynx":
    case "telnet":
    case "nc":
    case "ncat":
    case "netcat":
      return FETCHED;
    case "openssl":
      return args.includes("-d") ? HIDDEN : args[0] === "s_client" ? FETCHED : marksIn(stdin) + UNKNOWN;
    case "base64":
    case "base32":
      return args.some((word) => /^(?:-[diD]+|--decode)$/.test(word))
        ? HIDDEN
        : filtered(operands.map(ofFile).join("") + stdin);
    case "xxd":
      return args.some((word) => /^-\w*r/.test(word))
        ? HIDDEN
        : filtered(operands.map(ofFile).join("") + stdin);
    case "gunzip":
    case "zcat":
    case "bunzip2":
    case "xzcat":
    case "unxz":
    case "rev":
      return HIDDEN;
    case "gzip":
    case "xz":
    case "bzip2":
    case "zstd":
      return args.some((word) => /^-\w*d/.test(word)) ? HIDDEN : filtered(stdin);
    case "tar":
      return stdin === "" ? FILE + UNKNOWN : filtered(stdin);
    case "head":
    case "tail":
    case "grep":
    case "egrep":
    case "rg":
    case "sed":
    case "awk":
    case "cut":
    case "sort":
    case "uniq":
    case "tr":
    case "jq":
    case "od":
    case "strings":
    case "less":
    case "more":
    case "nl":
    case "fold":
    case "iconv":
    case "yq":
      return filtered(
        operands
          .filter((word) => /[./]/.test(word))
          .map(ofFile)
          .join("") + stdin,
      );
    // Tools that print settings for the shell which asks them.
    case "ssh-agent":
    case "pyenv":
    case "rbenv":
    case "nodenv":
    case "fnm":
    case "direnv":
    case "mise":
    case "opam":
    case "brew":
    case "conda":
      return "";
    default:
      return filtered(stdin);
  }
}

/** Behind a filter only the marks are known. */
function filtered(text: string): string {
  return marksIn(text).replace(FILE, "") + UNKNOWN;
}

/** Where `find` looks. */
export function rootsOf(args: readonly string[]): readonly string[] {
  const words = args.filter((word) => !/^-[HLPO]\d?$/.test(word));
  const end = words.findIndex((word) => /^[-(!,]/.test(word));
  const roots = words.slice(0, end < 0 ? undefined : end);
  return roots.length === 0 ? ["."] : roots;
}

function made(call: Call): string {
  const options = readOptions(call.args, ["p", "tmpdir", "suffix"]);
  const [template] = options.operands;
  const [folder] = options.values("p", "tmpdir");
  const name = template?.replace(/X{3,}/, UNKNOWN) ?? `tmp.${UNKNOWN}`;
  if (template !== undefined && folder === undefined && !options.has("t", "tmpdir"))
    return absolute(name, call.cwd, call.place.home);
  return posix.join(folder === undefined || folder === "" ? "/tmp" : folder, name);
}

function ofGit(args: readonly string[], { place }: Call): string {
  const words = readOptions(args, ["C", "c"], "first").operands;
  if (words[0] === "rev-parse" && args.includes("--show-toplevel")) return place.project;
  if (words[0] === "ls-files" || words[0] === "ls-tree" || words.includes("--name-only"))
    return `./${UNKNOWN}`;
  return UNKNOWN;
}

function unescaped(text: string): string {
  return text.replaceAll("\\n", "\n").replaceAll("\\t", "\t");
}

/** `printf` with what its users use: %s, %b, %d and line breaks. */
function formatted([format = "", ...values]: readonly string[]): string {
  if (!isKnown(format)) return format;
  const left = [...values];
  const once = () =>
    unescaped(format).replace(/%(?:%|-?\d*\.?\d*([a-zA-Z]))/g, (found, kind: string | undefined) =>
      kind === undefined ? (found === "%%" ? "%" : found) : (left.shift() ?? ""),
    );
  let text = once();
  for (let round = 0; left.length > 0 && round < 50; round++) {
    const before = left.length;
    text += once();
    if (left.length === before) break;
  }
  return text;
}
