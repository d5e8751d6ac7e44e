import { type Call, type Judge, type Verdict, worst } from "./call.ts";
import { readOptions } from "./options.ts";
import { absolute, whereIs } from "./paths.ts";

/** Settings by which git runs a program, trusts somebody, or goes elsewhere. */
const CODE_KEYS = [
  /^core\.(?:hookspath|fsmonitor|pager|editor|sshcommand|askpass|gitproxy|attributesfile|worktree|alternaterefscommand)$/,
  /^(?:alias|pager|filter|merge|diff|difftool|mergetool|credential|url|include|includeif|protocol|gpg|browser|sequence|uploadpack|remote|http|interactive|trailer|man|safe)\..+$/,
  /^diff\.external$|^sequence\.editor$|^init\.templatedir$|^commit\.template$/,
];
/** Of those, what says nothing but words. */
const HARMLESS_KEYS =
  /^(?:diff\.(?:algorithm|renames|colormoved|context)|merge\.(?:conflictstyle|ff|log)|pager\.\w+|remote\..*\.(?:fetch|pushdefault)|safe\.directory|http\.(?:postbuffer|lowspeed\w+))$/;
/** Variables by which git runs a program. */
const CODE_VARIABLES =
  /^(?:GIT_(?:SSH|SSH_COMMAND|EDITOR|PAGER|ASKPASS|EXTERNAL_DIFF|PROXY_COMMAND|CONFIG_(?:KEY|VALUE|COUNT|PARAMETERS|GLOBAL|SYSTEM).*|EXEC_PATH|TEMPLATE_DIR|SEQUENCE_EDITOR))$/;

/** Git, whatever stands before its verb. */
export const git: Judge = (call) => {
  const own = ["C", "c", "git-dir", "work-tree", "namespace", "exec-path", "config-env", "super-prefix"];
  const options = readOptions(call.args, own, "first");
  const [verb = "", ...args] = options.operands;
  const settings = [...options.values("c"), ...options.values("config-env")].map(
    (pair) => pair.split("=")[0] ?? "",
  );
  const cwd = options.values("C").reduce((at, to) => absolute(to, at, call.place.home), call.cwd);
  const variables = [...call.env.keys()].filter(
    (name) => CODE_VARIABLES.test(name) && isProgram(call.env.get(name)),
  );
  const verdicts: Verdict[] = [
    settings.some(runsCode) ? "git-code" : undefined,
    variables.length > 0 ? "git-code" : undefined,
    VERBS[verb]?.(args, { ...call, cwd }),
  ];
  // What another repository loses is lost too.
  return worst(verdicts);
};

/** `GIT_EDITOR=true` and `GIT_PAGER=cat` only keep git from asking. */
function isProgram(value: string | undefined): boolean {
  return !["true", "cat", ":", "", "less", "vim", "nano", "/dev/null"].includes(value ?? "");
}

function runsCode(key: string): boolean {
  const name = key.toLowerCase();
  return CODE_KEYS.some((one) => one.test(name)) && !HARMLESS_KEYS.test(name);
}

type VerbJudge = (args: readonly string[], call: Call) => Verdict;

const push: VerbJudge = (args) => {
  const options = readOptions(args, ["o", "push-option", "receive-pack", "exec", "repo"]);
  if (options.has("delete", "d", "prune")) return "delete-remote";
  if (options.has("force", "f", "mirror")) return "force-push";
  const [remote = "", ...refs] = options.operands;
  if (refs.some((ref) => ref.startsWith(":") && ref.length > 1)) return "delete-remote";
  if (refs.some((ref) => ref.startsWith("+"))) return "force-push";
  return /:\/\/|^[^/]+@[^/]+:/.test(remote) ? "send-files" : undefined;
};

const EVERYTHING = new Set([".", "./", "*", ":/", ":", ":/*", ":/.", "-A", "./*"]);
const isEverything = (words: readonly string[], call: Call) =>
  words.some((word) => EVERYTHING.has(word) || whereIs(word, call.cwd, call.place) === "whole-project");
const isElsewhere = (call: Call) =>
  !["project", "whole-project", "temp"].includes(whereIs(call.cwd, "/", call.place));

const checkout: VerbJudge = (args, call) => {
  const options = readOptions(args, ["b", "B", "orphan", "conflict", "pathspec-from-file"]);
  const dashes = args.indexOf("--");
  const paths = dashes < 0 ? options.operands : args.slice(dashes + 1);
  if (options.has("f", "force", "discard-changes", "B")) return "discard-edits";
  if (dashes >= 0 && (paths.length === 0 || isElsewhere(call))) return "discard-edits";
  return isEverything(paths, call) ? "discard-edits" : undefined;
};

const restore: VerbJudge = (args, call) => {
  const options = readOptions(args, ["s", "source", "conflict", "pathspec-from-file"]);
  const inIndexOnly = options.has("staged", "S") && !options.has("worktree", "W");
  if (inIndexOnly) return undefined;
  return isEverything(options.operands, call) || isElsewhere(call) ? "discard-edits" : undefined;
};

const switchBranch: VerbJudge = (args) =>
  readOptions(args, ["c", "C", "create", "orphan"]).has("f", "force", "discard-changes", "C")
    ? "discard-edits"
    : undefined;

const reset: VerbJudge = (args) =>
  readOptions(args).has("hard", "merge", "keep") ? "discard-edits" : undefined;

const clean: VerbJudge = (args) => {
  const options = readOptions(args, ["e", "exclude"]);
  return options.has("n", "dry-run")
    ? undefined
    : options.has("f", "force", "i")
      ? "discard-untracked"
      : undefined;
};

const stash: VerbJudge = (args) => (args[0] === "drop" || args[0] === "clear" ? "discard-stash" : undefined);

const branch: VerbJudge = (args) => {
  const options = readOptions(args, ["u", "set-upstream-to", "sort", "format", "contains"]);
  const isForced = options.has("force", "f");
  if (options.has("D") || (options.has("d", "delete") && isForced)) return "delete-branch";
  return options.has("M", "C") || (isForced && options.operands.length > 0) ? "rewrite-history" : undefined;
};

const rewrite: VerbJudge = (args) => (args.includes("--help") ? undefined : "rewrite-history");

const reflog: VerbJudge = (args) =>
  ["expire", "delete"].includes(args[0] ?? "") ? "drop-recovery" : undefined;

const collect: VerbJudge = (args) =>
  args.some((word) => /^--prune(?:=|$)/.test(word)) ? "drop-recovery" : undefined;

const updateRef: VerbJudge = (args) => (args.includes("-d") ? "delete-branch" : "rewrite-history");

const rebase: VerbJudge = (args) => (args.includes("--root") ? "rewrite-history" : undefined);

const config: VerbJudge = (args) => {
  const options = readOptions(args, ["f", "file", "blob", "type", "default", "comment", "value"]);
  const looks = ["get", "get-all", "get-regexp", "get-urlmatch", "list", "l", "name-only"];
  const words = options.operands;
  if (options.has(...looks) || words[0] === "get" || words[0] === "list") return undefined;
  if (options.has("e", "edit") || words[0] === "edit") return "git-code";
  const rest = ["set", "unset", "add"].includes(words[0] ?? "") ? words.slice(1) : words;
  const isReading =
    rest.length < 2 && rest === words && !options.has("unset", "unset-all", "remove-section", "add");
  return !isReading && rest.some(runsCode) ? "git-code" : undefined;
};

const remote: VerbJudge = (args) =>
  ["set-url", "remove", "rm", "rename"].includes(args[0] ?? "") ? "git-remote" : undefined;

const remove: VerbJudge = (args, call) => {
  const options = readOptions(args, ["pathspec-from-file"]);
  const touchesHarness = options.operands.some((path) => whereIs(path, call.cwd, call.place) === "harness");
  if (touchesHarness) return "harness-files";
  return !options.has("cached", "n", "dry-run") && isEverything(options.operands, call)
    ? "delete-project"
    : undefined;
};

const worktree: VerbJudge = (args) =>
  args[0] === "remove" && args.some((word) => /^(?:-f+|--force)$/.test(word)) ? "discard-edits" : undefined;

const readTree: VerbJudge = (args) => (readOptions(args).has("reset", "u") ? "discard-edits" : undefined);

const checkoutIndex: VerbJudge = (args) =>
  readOptions(args).has("f", "force") ? "discard-edits" : undefined;

const credential: VerbJudge = (args) => (args[0] === "fill" ? "read-secret" : undefined);

const submodule: VerbJudge = (args) =>
  args[0] === "deinit" && args.some((word) => /^(?:-f|--force|--all)$/.test(word))
    ? "discard-edits"
    : undefined;

const VERBS: Readonly<Record<string, VerbJudge>> = {
  push,
  checkout,
  restore,
  switch: switchBranch,
  reset,
  clean,
  stash,
  branch,
  "filter-branch": rewrite,
  "filter-repo": rewrite,
  replace: rewrite,
  reflog,
  gc: collect,
  prune: () => "drop-recovery",
  "update-ref": updateRef,
  rebase,
  config,
  remote,
  rm: remove,
  worktree,
  "read-tree": readTree,
  "checkout-index": checkoutIndex,
  credential,
  "credential-store": credential,
  submodule,
};
