import { writing } from "./call.ts";
import { denied, judgeCommand } from "./judge.ts";
import type { Place, Ruling } from "./ruling.ts";
import { isSecret } from "./secrets.ts";

const ALLOWED: Ruling = { allowed: true };

/** The names by which agents call the same tools. */
const SHELLS = new Set([
  "bash",
  "shell",
  "local_shell",
  "exec_command",
  "run_shell_command",
  "execute",
  "run_terminal_cmd",
  "container.exec",
  "unified_exec",
  "powershell",
]);
const WRITERS = new Set([
  "write",
  "edit",
  "multiedit",
  "notebookedit",
  "create",
  "str_replace",
  "str_replace_editor",
  "str_replace_based_edit_tool",
  "write_file",
  "replace",
  "edit_file",
  "create_file",
]);
const READERS = new Set(["read", "view", "read_file", "notebookread", "grep", "read_many_files", "glob"]);
const PATCHERS = new Set(["apply_patch", "applypatch", "patch"]);
const PATH_KEYS = ["file_path", "notebook_path", "path", "absolute_path", "filePath", "target_file"];

/** What the guard says of a tool call: a shell's command, a write or a read of files, a patch. Pure; never throws. */
export function judgeTool(tool: string, input: unknown, at: Place): Ruling {
  const name = tool.toLowerCase();
  const told =
    typeof input === "object" && input !== null ? (input as Readonly<Record<string, unknown>>) : {};
  const command = commandIn(told);
  if (PATCHERS.has(name))
    return patched(textIn(told, ["command", "input", "patch", "patchText"]) ?? command ?? "", at);
  if (SHELLS.has(name)) {
    if (command === undefined) return ALLOWED;
    const cwd = textIn(told, ["workdir", "cwd", "directory"]);
    const place = cwd === undefined ? at : { ...at, cwd: cwd.startsWith("/") ? cwd : `${at.cwd}/${cwd}` };
    // Codex gives patches to its shell too.
    return command.startsWith("*** Begin Patch") ? patched(command, place) : judgeCommand(command, place);
  }
  const paths = PATH_KEYS.flatMap((key) => (typeof told[key] === "string" ? [told[key]] : []));
  if (READERS.has(name) || told["command"] === "view")
    return paths.some((path) => isSecret(path, at.cwd, at)) ? denied("read-secret") : ALLOWED;
  return WRITERS.has(name) ? written(paths, at) : ALLOWED;
}

function written(paths: readonly string[], at: Place): Ruling {
  if (paths.some((path) => isSecret(path, at.cwd, at))) return denied("read-secret");
  const verdict = writing({ cwd: at.cwd, place: at }, paths);
  if (verdict === undefined) return ALLOWED;
  // Who allows a file to be written names the tool and the path: `Write ~/notes/**` is no command, so there is no such pattern.
  return verdict === "unresolved" ? ALLOWED : denied(verdict);
}

/** Every file that a patch names. */
function patched(patch: string, at: Place): Ruling {
  const paths = [...patch.matchAll(/^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$/gm)].map(
    ([, path]) => (path ?? "").trim(),
  );
  const unified = [...patch.matchAll(/^(?:\+\+\+|---) (?:[ab]\/)?(\S+)/gm)]
    .map(([, path]) => path ?? "")
    .filter((path) => path !== "/dev/null" && paths.length === 0);
  return written([...paths, ...unified], at);
}

/** A command is a text, or a program and its words. */
function commandIn(told: Readonly<Record<string, unknown>>): string | undefined {
  const given = told["command"] ?? told["cmd"] ?? told["script"];
  if (typeof given === "string") return given;
  if (!Array.isArray(given) || !given.every((word): word is string => typeof word === "string"))
    return undefined;
  const quoted = given.map((word) =>
    /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`,
  );
  return given[0] === "apply_patch" ? (given[1] ?? "") : quoted.join(" ");
}

function textIn(told: Readonly<Record<string, unknown>>, keys: readonly string[]): string | undefined {
  return keys.map((key) => told[key]).find((value): value is string => typeof value === "string");
}
