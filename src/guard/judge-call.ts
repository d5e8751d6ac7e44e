import { type Call, type Verdict, worst } from "./call.ts";
import { readOptions } from "./options.ts";
import { whereIs } from "./paths.ts";
import { matches } from "./patterns.ts";
import { RULES } from "./rules.ts";
import { FILE_JUDGES } from "./rules-files.ts";
import { git } from "./rules-git.ts";
import { MACHINE_JUDGES } from "./rules-machine.ts";
import { NETWORK_JUDGES } from "./rules-network.ts";
import { PUBLISH_JUDGES } from "./rules-publish.ts";
import { SERVICE_JUDGES, stranger } from "./rules-services.ts";
import { holdsSecrets, isSecret } from "./secrets.ts";

const TABLES = [FILE_JUDGES, MACHINE_JUDGES, NETWORK_JUDGES, SERVICE_JUDGES, PUBLISH_JUDGES];

/** Programs that only name a file, or use a key for what it is for. */
const NAMES_ONLY = new Set(
  "ls stat test [ echo printf cd mkdir touch file du which ssh ssh-add ssh-keygen realpath dirname basename rm chmod chown true export git find fd ansible".split(
    " ",
  ),
);
/** Programs without a judge of their own that are given any words. */
const HARMLESS = new Set(
  "git echo printf grep egrep fgrep rg ag ack awk gawk test [ [[ find fd which type command builtin exec eval export set read local declare cat head less more cut tr jq yq diff cmp comm node tsx deno ruby perl ts-node jest vitest pytest mocha cypress playwright env sudo xargs time timeout nice nohup bash sh zsh bats just task nx turbo".split(
    " ",
  ),
);
/** Programs that go down into folders, and so read or pack what is in them. */
const GOES_DOWN = new Set("tar zip 7z rsync scp rg ag ack rgrep".split(" "));

/** What is wrong with a call as it stands, whatever it starts in its turn. What the user said about it comes first. */
export function judgeCall(call: Call, written: string): Verdict | "denied" {
  const words = [call.name, ...call.args];
  const asWritten = [written, ...call.args];
  const isMeant = (pattern: string, kind: "allow" | "deny") =>
    matches(pattern, words, kind) || (written !== call.name && matches(pattern, asWritten, kind));
  if (call.place.deny.some((pattern) => isMeant(pattern, "deny"))) return "denied";
  const judges = TABLES.flatMap((table) => table.get(nameFor(call.name)) ?? []);
  // Words of the shell, and files of the project that are run, say what they like.
  const isStranger = judges.length === 0 && !written.includes("/") && !HARMLESS.has(call.name);
  const verdict = worst([
    ...judges.map((judge) => judge(call)),
    isStranger ? stranger(call) : undefined,
    call.name === "git" ? git(call) : undefined,
    steersGuard(call),
    call.name.startsWith("mkfs.") ? "disk-tool" : undefined,
    readsSecret(call),
  ]);
  if (verdict === undefined || !call.place.allow.some((pattern) => isMeant(pattern, "allow"))) return verdict;
  // What a run is judged by is nobody's to allow away.
  return verdict !== "unresolved" && RULES[verdict].category === "harness" ? verdict : undefined;
}

function nameFor(name: string): string {
  return /^python3\.\d+$/.test(name) ? "python3" : /^pip3\.\d+$/.test(name) ? "pip3" : name;
}

/** The variable that keeps the guard on. */
function steersGuard({ name, args, env }: Call): Verdict {
  const isNamed = args.some((word) => /^RALPH_GUARD(?:=|$)/.test(word));
  const isChange = /^(?:export|unset|declare|typeset|readonly|local)$/.test(name) && isNamed;
  return isChange || env.has("RALPH_GUARD") ? "harness-run" : undefined;
}

function readsSecret(call: Call): Verdict {
  const { name, args, cwd, place } = call;
  if (NAMES_ONLY.has(name)) return undefined;
  const isKey = (word: string, before: string) =>
    before === "-i" && /^(?:scp|sftp|rsync|ssh-copy-id)$/.test(name) && word !== "";
  const reads = args.some(
    (word, at) =>
      !isKey(word, args[at - 1] ?? "") && pathsIn(word).some((path) => isSecret(path, cwd, place)),
  );
  if (reads) return "read-secret";
  const options = readOptions(args);
  const isDown =
    GOES_DOWN.has(name) ||
    (/^(?:grep|egrep|fgrep|cp)$/.test(name) && options.has("r", "R", "a", "recursive", "archive"));
  const isRead =
    isDown && options.operands.some((path) => /[/~.]/.test(path) && holdsSecrets(path, cwd, place));
  return isRead && !options.operands.every((path) => whereIs(path, cwd, place) === "project")
    ? "read-secret"
    : undefined;
}

/** A path may stand behind an equals sign or an at sign: `if=…`, `file=@…`. */
function pathsIn(word: string): string[] {
  const parts = [word];
  for (const mark of ["=", "@", ":"]) {
    const at = word.indexOf(mark);
    if (at >= 0) parts.push(word.slice(at + 1));
  }
  return parts;
}

/** Does it print without end? Into a file, that fills the disk. */
export function isEndless(words: readonly string[]): boolean {
  const [name, ...args] = words;
  return name === "yes" || (name === "cat" && args.some((word) => /^\/dev\/(?:zero|u?random)$/.test(word)));
}
