import { arrayAt, type JsonObject, objectAt, stringAt } from "../../src/agents/json.ts";
import type { SpokenCall } from "./protocol.ts";
import type { Call, OfferedTool } from "./script.ts";

/** Names of tools that write a file, the most telling first. */
const WRITERS = ["Write", "write_file", "write", "create", "apply_patch"];
/** Names of tools that run a shell line. */
const RUNNERS = ["Bash", "exec_command", "shell_command", "run_shell_command", "bash", "shell"];

/** By what names tools call their inputs. */
const PATHS = ["file_path", "filePath", "path"];
const TEXTS = ["content", "file_text", "contents"];
const COMMANDS = ["command", "cmd"];

/**
 * A call in the words of the program that asked, so that one script drives every agent. Throws when nothing that it
 * offers can do it: then the script does not fit, and the test must say so.
 */
export function spokenCall(call: Call, tools: readonly OfferedTool[], id: string): SpokenCall {
  if ("tool" in call) {
    const { name, kind } = named([call.tool], tools);
    return { id, name, kind, input: call.input };
  }
  const tool = named("write" in call ? WRITERS : RUNNERS, tools);
  const { name, kind } = tool;
  if (kind === "freeform" && "write" in call) return { id, name, kind, input: patch(call.write, call.text) };
  const values =
    "write" in call
      ? [...PATHS.map((key) => [key, call.write]), ...TEXTS.map((key) => [key, call.text])]
      : COMMANDS.map((key) => [key, commandFor(tool, key, call.run)]);
  return { id, name, kind, input: fitted(tool.schema, Object.fromEntries(values)) };
}

function named(names: readonly string[], tools: readonly OfferedTool[]): OfferedTool {
  const found = names
    .map((name) => tools.find((tool) => tool.name === name))
    .find((tool) => tool !== undefined);
  if (found !== undefined) return found;
  const offered = tools.map((tool) => tool.name).join(", ");
  throw new Error(`the script calls ${names.join(" or ")}; offered are: ${offered || "no tools at all"}`);
}

/** The older Codex takes a shell line as an argument vector. */
function commandFor(tool: OfferedTool, key: string, line: string): unknown {
  const takesList = stringAt(objectAt(objectAt(tool.schema, "properties"), key), "type") === "array";
  return takesList ? ["sh", "-c", line] : line;
}

/** Codex writes files by patches. A file that is there already is written over. */
function patch(path: string, text: string): string {
  const lines = text.replace(/\n$/, "").split("\n");
  return [
    "*** Begin Patch",
    `*** Add File: ${path}`,
    ...lines.map((line) => `+${line}`),
    "*** End Patch",
    "",
  ].join("\n");
}

/** The values that a schema has a place for, and something harmless for all else that it requires. */
export function fitted(schema: JsonObject, values: JsonObject): JsonObject {
  const properties = objectAt(schema, "properties");
  const required = arrayAt(schema, "required").filter((key) => typeof key === "string");
  const known = Object.entries(values).filter(([key]) => key in properties);
  const rest = required
    .filter((key) => !(key in values))
    .map((key) => [key, harmless(objectAt(properties, key))]);
  return Object.fromEntries([...known, ...rest]);
}

function harmless(schema: JsonObject): unknown {
  const [first] = arrayAt(schema, "enum");
  if (first !== undefined) return first;
  switch (stringAt(schema, "type")?.toLowerCase()) {
    case "boolean":
      return false;
    case "integer":
    case "number":
      return 0;
    case "array":
      return [];
    case "object":
      return fitted(schema, {});
    default:
      return "As the script says";
  }
}
