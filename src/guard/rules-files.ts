import {
  type Call,
  deleting,
  entitling,
  type Judge,
  moving,
  table,
  type Verdict,
  worst,
  writing,
} from "./call.ts";
import { readOptions } from "./options.ts";

/* Programs that delete, write or move files, or change who may. */

const remove: Judge = (call) => deleting(call, readOptions(call.args).operands);

const shred: Judge = (call) => {
  const { operands } = readOptions(call.args, ["n", "s", "iterations", "size"]);
  const verdict = deleting(call, operands);
  return operands.some((path) => path.startsWith("/dev/")) ? "write-device" : verdict;
};

/** The last operand is written, unless a folder was named for all of them. */
function targetsOf(
  call: Call,
  valued: readonly string[] = [],
): { sources: readonly string[]; target: readonly string[] } {
  const options = readOptions(call.args, [
    "t",
    "target-directory",
    "S",
    "suffix",
    "m",
    "mode",
    "o",
    "owner",
    "g",
    "group",
    ...valued,
  ]);
  const folder = options.values("t", "target-directory");
  if (folder.length > 0) return { sources: options.operands, target: folder };
  return { sources: options.operands.slice(0, -1), target: options.operands.slice(-1) };
}

const copy: Judge = (call) => writing(call, targetsOf(call).target);

const move: Judge = (call) => {
  const { sources, target } = targetsOf(call);
  return worst([moving(call, sources), writing(call, target)]);
};

const install: Judge = (call) => {
  const options = readOptions(call.args, ["m", "mode", "o", "owner", "g", "group", "t", "target-directory"]);
  if (options.values("m", "mode").some(isSetuid)) return "setuid";
  return writing(call, options.has("d", "directory") ? options.operands : targetsOf(call).target);
};

const link: Judge = (call) => {
  const { operands } = readOptions(call.args, ["t", "target-directory", "S", "suffix"]);
  return writing(call, operands.length > 1 ? operands.slice(-1) : []);
};

const everyOperand: Judge = (call) =>
  writing(call, readOptions(call.args, ["s", "size", "r", "reference"]).operands);

const convert: Judge = (call) => {
  const to = call.args.filter((word) => word.startsWith("of=")).map((word) => word.slice(3));
  const isEndless = call.args.some((word) => /^if=\/dev\/(?:zero|u?random)$/.test(word));
  const isBounded = call.args.some((word) => word.startsWith("count="));
  return worst([writing(call, to), isEndless && !isBounded && to.length > 0 ? "exhaust" : undefined]);
};

const stream: Judge = (call) => {
  const options = readOptions(call.args, ["e", "f", "expression", "file"]);
  const inPlace = call.args.some((word) => /^-[nErsz]*i|^--in-place/.test(word));
  if (!inPlace) return undefined;
  const hasScript = options.has("e", "f", "expression", "file");
  return writing(call, hasScript ? options.operands : options.operands.slice(1));
};

const editor: Judge = (call) => writing(call, readOptions(call.args, ["c", "S", "cmd", "p"]).operands);

const archive: Judge = (call) => {
  const [first = "", ...rest] = call.args;
  // `tar xzf` without a dash.
  const args = /^[A-Za-z]+$/.test(first) && !first.startsWith("-") ? [`-${first}`, ...rest] : call.args;
  const options = readOptions(args, [
    "f",
    "file",
    "C",
    "directory",
    "T",
    "X",
    "exclude",
    "strip-components",
    "transform",
  ]);
  const verdicts: Verdict[] = [];
  if (options.has("remove-files")) verdicts.push(moving(call, options.operands));
  if (options.has("x", "extract", "get")) verdicts.push(writing(call, options.values("C", "directory")));
  if (options.has("c", "create"))
    verdicts.push(
      writing(
        call,
        options.values("f", "file").filter((file) => file !== "-"),
      ),
    );
  if (options.values("to-command", "checkpoint-action", "use-compress-program", "I").length > 0)
    verdicts.push("unresolved");
  return worst(verdicts);
};

const unzip: Judge = (call) => writing(call, readOptions(call.args, ["d", "x", "P"]).values("d"));

const synchronise: Judge = (call) => {
  const options = readOptions(call.args, ["e", "rsh", "exclude", "include", "filter", "f", "files-from"]);
  const target = options.operands.slice(-1);
  if (target.some(isRemote)) {
    return options.has("delete", "del", "delete-after", "delete-before", "delete-excluded")
      ? "delete-outside"
      : "send-files";
  }
  const isDeleting = options.has(
    "delete",
    "del",
    "delete-after",
    "delete-before",
    "delete-during",
    "delete-excluded",
  );
  const moved = options.has("remove-source-files") ? moving(call, options.operands.slice(0, -1)) : undefined;
  return worst([
    isDeleting
      ? deleting(
          call,
          target.map((path) => path.replace(/\/+$/, "/x")),
        )
      : undefined,
    writing(call, target),
    moved,
  ]);
};

/** `host:path`, and not a path with a colon in it. */
export function isRemote(word: string): boolean {
  return /^[^/:]+:|^(?:rsync|sftp|scp|ftp):\/\//.test(word);
}

const rights: Judge = (call) => {
  // A mode such as -w looks like an option.
  const words = call.args.filter((word) => !/^(?:-[RcfvhHLP]+|--(?!reference=).*)$/.test(word));
  const [mode = "", ...paths] = words;
  if (isSetuid(mode)) return "setuid";
  return entitling(call, paths);
};

const owner: Judge = (call) => entitling(call, readOptions(call.args, ["from"]).operands.slice(1));

const lists: Judge = (call) => {
  const options = readOptions(call.args, ["m", "modify", "x", "remove", "M", "X", "set"]);
  return entitling(call, options.operands);
};

const attributes: Judge = (call) =>
  entitling(
    call,
    call.args.filter((word) => !/^[-+=]/.test(word)),
  );

function isSetuid(mode: string): boolean {
  return /^0?[2467]\d{3}$/.test(mode) || /^[ugoa]*[+=][rwxXt]*s/.test(mode);
}

const patch: Judge = (call) => {
  const options = readOptions(call.args, ["d", "directory", "p", "strip", "i", "input", "o", "output"]);
  return writing(call, [...options.values("d", "directory", "o", "output"), ...options.operands.slice(0, 1)]);
};

const build: Judge = (call) => {
  const isInstall = call.args.some((word) => /^(?:un)?install$/.test(word));
  if (!isInstall) return undefined;
  const prefix = call.args.find((word) => /^(?:PREFIX|DESTDIR|prefix)=/.test(word));
  return prefix === undefined ? undefined : writing(call, [prefix.slice(prefix.indexOf("=") + 1)]);
};

/** What has no end and goes into a file is seen where the file is: here only what goes nowhere else. */
const follow: Judge = (call) =>
  call.args.some((word) => /^\/dev\/(?:zero|u?random)$/.test(word)) ? "exhaust" : undefined;

const allocate: Judge = (call) => {
  const options = readOptions(call.args, ["l", "length", "o", "offset"]);
  const isHuge = options.values("l", "length").some((size) => /^\d{12,}$|^\d{3,}[Gg]|\d[TtPpEe]/.test(size));
  return worst([isHuge ? "exhaust" : undefined, writing(call, options.operands)]);
};

/** What they are judged by. */
export const FILE_JUDGES = table([
  ["rm unlink rmdir trash trash-put srm wipe", remove],
  ["shred", shred],
  ["cp", copy],
  ["mv rename", move],
  ["install ginstall", install],
  ["ln link symlink", link],
  ["tee truncate", everyOperand],
  ["dd dcfldd", convert],
  ["sed gsed", stream],
  ["ed ex vi vim nvim nano emacs", editor],
  ["tar bsdtar", archive],
  ["unzip 7z", unzip],
  ["rsync", synchronise],
  ["chmod", rights],
  ["chown chgrp", owner],
  ["setfacl", lists],
  ["chattr", attributes],
  ["patch", patch],
  ["make gmake ninja", build],
  ["tail sort", follow],
  ["fallocate", allocate],
]);
