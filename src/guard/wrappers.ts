import { type Call, writing } from "./call.ts";
import { type Inner, script, type Unwrap, words } from "./inner.ts";
import { INTERPRETERS } from "./interpreters.ts";
import { UNKNOWN } from "./marks.ts";
import { readOptions } from "./options.ts";
import { rootsOf } from "./outputs.ts";

/* Programs that start others: what they are given is judged as if it stood there alone. */

/** All that follows the options is a command; `skip` words before it are the wrapper's own. */
const prefix =
  (valued: string, skip = 0): Unwrap =>
  ({ args }) =>
    words(readOptions(args, valued.split(" "), "first").operands.slice(skip));

const sudo: Unwrap = ({ args }) => {
  const options = readOptions(args, "u g C p r t h D R T U a user group host chdir".split(" "), "first");
  if (options.operands.length === 0)
    return [{ kind: "verdict", verdict: options.has("s", "i", "shell", "login") ? "accounts" : undefined }];
  return words(options.operands);
};

const env: Unwrap = ({ args }) => {
  const options = readOptions(args, ["u", "unset", "C", "chdir", "S", "split-string"], "first");
  const unset = options.values("u", "unset");
  const line = options.values("S", "split-string");
  return [
    ...(unset.includes("RALPH_GUARD") || options.operands.some((word) => word.startsWith("RALPH_GUARD="))
      ? [{ kind: "verdict", verdict: "harness-run" } as const]
      : []),
    ...line.map((text) => script([text, ...options.operands].join(" "))),
    ...(line.length > 0 ? [] : words(options.operands)),
  ];
};

const commandBuiltin: Unwrap = ({ args }) => {
  const options = readOptions(args, [], "first");
  return options.has("v", "V") ? [] : words(options.operands);
};

const xargs: Unwrap = ({ args, stdin }) => {
  const valued = "I i n P L d s a E arg-file max-args max-procs delimiter replace max-lines".split(" ");
  const options = readOptions(args, valued, "first");
  const given =
    options.values("a", "arg-file").length > 0
      ? [UNKNOWN]
      : stdin.split(/[\s\u0000]+/).filter((word) => word !== "");
  const items = stdin.includes(UNKNOWN) ? itemsOf(stdin) : given.slice(0, 50);
  const command = options.operands.length === 0 ? ["echo"] : options.operands;
  const [mark] = options.values("I", "replace");
  if (mark === undefined) return words([...command, ...items]);
  return items.slice(0, 20).flatMap((item) => words(command.map((word) => word.replaceAll(mark, item))));
};

/** What stands in unknown lines keeps its known beginning: `./…` is in the project, whatever follows. */
function itemsOf(text: string): string[] {
  return text
    .split(/\s+/)
    .filter((item) => item !== "")
    .slice(0, 50);
}

/** Tests of `find` that leave most files out. */
const NARROW =
  /^-(?:i?name|i?path|i?wholename|i?regex|newer\w*|[amc]time|[amc]min|size|empty|user|group|perm|maxdepth|inum|samefile|links)$/;

const find: Unwrap = (call) => {
  const { args } = call;
  const roots = rootsOf(args);
  const isNarrow = args.some((word) => NARROW.test(word));
  const found = roots.map((root) => (isNarrow ? `${root.replace(/\/$/, "")}/${UNKNOWN}` : root));
  const inner: Inner[] = [];
  if (args.includes("-delete")) inner.push(...words(["rm", "-rf", ...found]));
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    if (/^-f(?:print0?|printf|ls)$/.test(word))
      inner.push({ kind: "verdict", verdict: writing(call, [args[at + 1] ?? ""]) });
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(word)) continue;
    const rest = args.slice(at + 1);
    const end = rest.findIndex((one) => one === ";" || one === "+");
    const command = rest.slice(0, end < 0 ? undefined : end);
    inner.push(
      ...words(command.flatMap((one) => (one === "{}" ? found : [one.replaceAll("{}", found[0] ?? "")]))),
    );
  }
  return inner;
};

/** Programs of a project's own packages, and those that are fetched for it. */
const runner =
  (verbs: string): Unwrap =>
  ({ args }) => {
    const options = readOptions(args, ["C", "w", "workspace", "filter", "F", "prefix"], "first");
    const [verb = "", ...rest] = options.operands;
    if (!verbs.split(" ").includes(verb)) return [];
    return words(
      readOptions(rest, ["p", "package", "with", "python", "c"], "first").operands.map(withoutVersion),
    );
  };

const npx: Unwrap = ({ args }) =>
  words(
    readOptions(args, ["p", "package", "c", "call"], "first").operands.map((word, at) =>
      at === 0 ? withoutVersion(word) : word,
    ),
  );

function withoutVersion(word: string, index = 0): string {
  return index === 0 ? word.replace(/(.)@[^/@]*$/, "$1") : word;
}

const git: Unwrap = ({ args }) => {
  const [verb, ...rest] = readOptions(args, ["C", "c", "git-dir", "work-tree"], "first").operands;
  if (verb === "bisect" && rest[0] === "run") return words(rest.slice(1));
  if (verb === "submodule" && rest.includes("foreach")) {
    return [script(readOptions(rest.slice(rest.indexOf("foreach") + 1), [], "first").operands.join(" "))];
  }
  if (verb === "rebase" || verb === "filter-branch") {
    return readOptions(rest, ["x", "exec"])
      .values("x", "exec")
      .map((text) => script(text));
  }
  return [];
};

const asLine: Unwrap = ({ args }) => [
  script(readOptions(args, ["n", "interval", "d"], "first").operands.join(" ")),
];

const multiplexer: Unwrap = ({ args }) => {
  const [verb = "", ...rest] = readOptions(args, ["L", "S", "f"], "first").operands;
  if (
    !/^(?:new|new-session|neww|new-window|splitw|split-window|send|send-keys|run|run-shell|respawn-pane)$/.test(
      verb,
    )
  )
    return [];
  const { operands } = readOptions(rest, ["s", "n", "t", "c", "x", "y", "e", "F"]);
  return [script(operands.filter((word) => !/^(?:Enter|C-m|C-c)$/.test(word)).join(" "))];
};

const lock: Unwrap = ({ args }) => {
  const options = readOptions(args, ["w", "wait", "timeout", "E", "c", "command"], "first");
  const line = options.values("c", "command");
  const rest = options.operands.slice(1);
  if (line.length > 0) return line.map((text) => script(text));
  return rest[0] === "-c" ? [script(rest[1] ?? "")] : words(rest);
};

const withLine =
  (flag: string): Unwrap =>
  ({ args }) =>
    readOptions(args, [flag, "command"])
      .values(flag, "command")
      .map((text) => script(text));

const trap: Unwrap = ({ args }) => (args.length > 1 && args[0] !== "-" ? [script(args[0] ?? "")] : []);

const parallel: Unwrap = ({ args, stdin }) => {
  const options = readOptions(args, ["j", "jobs", "I", "a", "n", "colsep"], "first");
  const at = options.operands.findIndex((word) => /^::::?$/.test(word));
  const command = options.operands.slice(0, at < 0 ? undefined : at);
  const items = at < 0 ? itemsOf(stdin) : options.operands.slice(at + 1);
  return items
    .slice(0, 20)
    .map((item) =>
      script(
        [
          ...command.map((word) => word.replaceAll("{}", item)),
          ...(command.some((word) => word.includes("{}")) ? [] : [item]),
        ].join(" "),
      ),
    );
};

const PLAIN =
  "nohup setsid time builtin exec stdbuf chrt taskset unbuffer caffeinate xvfb-run busybox toybox dbus-run-session ssh-agent firejail proxychains proxychains4 torsocks catchsegv systemd-run";

const UNWRAPS = unwraps([
  ["sudo doas", sudo],
  ["env", env],
  ["timeout gtimeout", prefix("s k signal kill-after", 1)],
  ["nice", prefix("n adjustment")],
  ["ionice", prefix("c n p class classdata")],
  [PLAIN, prefix("i o e a f n p u unit c")],
  ["command", commandBuiltin],
  ["strace ltrace", prefix("o e p s u")],
  ["faketime", prefix("f", 1)],
  ["xargs gxargs", xargs],
  ["find gfind", find],
  ["npx pnpx bunx uvx", npx],
  ["npm pnpm yarn bun", runner("exec x dlx")],
  ["poetry uv pipenv pdm hatch rye", runner("run")],
  ["bundle", runner("exec")],
  ["git", git],
  ["watch", asLine],
  ["tmux", multiplexer],
  ["flock", lock],
  ["su script runuser", withLine("c")],
  ["trap", trap],
  ["parallel", parallel],
  ...INTERPRETERS,
]);

function unwraps(
  rows: readonly (readonly [names: string, unwrap: Unwrap])[],
): ReadonlyMap<string, readonly Unwrap[]> {
  const all = new Map<string, Unwrap[]>();
  for (const [names, unwrap] of rows) {
    for (const name of names.split(" ")) all.set(name, [...(all.get(name) ?? []), unwrap]);
  }
  return all;
}

/** What a call starts in its turn; nothing when it only does something itself. */
export function unwrap(call: Call): readonly Inner[] {
  const name = /^python3\.\d+$/.test(call.name) ? "python3" : call.name;
  return (UNWRAPS.get(name) ?? []).flatMap((one) => one(call));
}
