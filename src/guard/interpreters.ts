import { writing } from "./call.ts";
import { type Inner, script, type Unwrap, words } from "./inner.ts";
import { readOptions } from "./options.ts";

/* Programs that take a program as a text or a file: shells, languages, other machines, containers, editors. */

const shell: Unwrap = ({ args, stdin }) => {
  const options = readOptions(args, ["o", "O", "rcfile", "init-file"], "first");
  const [first, ...rest] = options.operands;
  if (options.has("c")) return first === undefined ? [] : [script(first, { args: rest.slice(1) })];
  if (first !== undefined && !options.has("s") && first !== "-")
    return [{ kind: "file", path: first, args: rest, isShell: true }];
  return stdin === "" ? [] : [script(stdin, { args: rest })];
};

const evaluate: Unwrap = ({ args }) => [script(args.join(" "))];

const source: Unwrap = ({ args }) => {
  const [path, ...rest] = args;
  return path === undefined ? [] : [{ kind: "file", path, args: rest, isShell: true }];
};

const ssh: Unwrap = ({ args, stdin }) => {
  const [, ...rest] = readOptions(args, "BbcDEeFIiJLlmOopQRSWw".split(""), "first").operands;
  if (rest.length > 0) return [script(rest.join(" "), { isRemote: true })];
  return stdin === "" ? [] : [script(stdin, { isRemote: true })];
};

const interpreter =
  (flags: readonly string[], valued: readonly string[] = []): Unwrap =>
  (call) => {
    const options = readOptions(call.args, [...flags, ...valued], "first");
    const inline = options.values(...flags);
    if (inline.length > 0) {
      const inPlace = options.has("i") && /^(?:perl|ruby)/.test(call.name);
      const files = inPlace ? [{ kind: "verdict", verdict: writing(call, options.operands) } as const] : [];
      return [...inline.map((text): Inner => ({ kind: "code", text })), ...files];
    }
    const [module_] = options.values("m");
    if (module_ !== undefined && call.name.startsWith("python")) return words([module_, ...options.operands]);
    const [first, ...rest] = options.operands;
    if (first === undefined || first === "-")
      return call.stdin === "" ? [] : [{ kind: "code", text: call.stdin }];
    return [{ kind: "file", path: first, args: rest, isShell: false }];
  };

const python: Unwrap = (call) => {
  // `-m` ends python's own options.
  const at = call.args.indexOf("-m");
  if (at >= 0 && call.args.slice(0, at).every((word) => word.startsWith("-")))
    return words(call.args.slice(at + 1));
  return interpreter(["c"], ["W", "X"])(call);
};

const awk: Unwrap = ({ args }) => {
  const options = readOptions(args, ["F", "v", "f"], "first");
  const [program] = options.operands;
  return options.has("f") || program === undefined ? [] : [{ kind: "code", text: program }];
};

const CONTAINER_VALUED =
  "v volume mount name w workdir e env p publish network net u user entrypoint cap-add security-opt pid ipc device env-file platform add-host f file l label m memory cpus h hostname restart gpus detach-keys index project-directory profile n namespace c container context".split(
    " ",
  );

const container: Unwrap = ({ args }) => {
  const at = args.findIndex((word) => word === "run" || word === "exec");
  if (at < 0 || at > 6) return [];
  const options = readOptions(args.slice(at + 1), CONTAINER_VALUED, "first");
  const [entry] = options.values("entrypoint");
  const rest = [...(entry === undefined ? [] : [entry]), ...options.operands.slice(1)].filter(
    (word, n) => !(n === 0 && word === "--"),
  );
  return rest.length === 0 ? [] : [{ kind: "words", words: rest, isInContainer: true }];
};

const editor: Unwrap = ({ args }) =>
  readOptions(args, ["c", "cmd"])
    .values("c", "cmd")
    .filter((text) => /^:?!/.test(text))
    .map((text) => script(text.replace(/^:?!/, "")));

const deno: Unwrap = ({ args }) =>
  args[0] === "eval" ? [{ kind: "code", text: args.slice(1).join(" ") }] : [];

const NODE_VALUED = ["r", "require", "import", "loader", "input-type"];

/** What each of them makes of its words. */
export const INTERPRETERS: readonly (readonly [names: string, unwrap: Unwrap])[] = [
  ["bash sh zsh dash ksh ash fish rbash mksh", shell],
  ["eval", evaluate],
  ["source .", source],
  ["ssh autossh", ssh],
  ["python python2 python3 pypy pypy3", python],
  ["node nodejs bun tsx", interpreter(["e", "eval", "p", "print"], NODE_VALUED)],
  ["perl", interpreter(["e", "E"], ["I", "M", "F"])],
  ["ruby", interpreter(["e"], ["r", "I"])],
  ["php", interpreter(["r"], ["d", "c"])],
  ["lua luajit Rscript osascript", interpreter(["e"], [])],
  ["deno", deno],
  ["awk gawk mawk nawk", awk],
  ["docker podman nerdctl docker-compose kubectl oc", container],
  ["vim vi nvim ex view", editor],
];
