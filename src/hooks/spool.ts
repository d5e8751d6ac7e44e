import { closeSync, existsSync, openSync, readSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isPlainId, namesIn, sessionFolder, spoolFolder } from "./places.ts";

/** So much of a note is read: who it is about and which tool it was stand at its beginning. */
const HEAD_BYTES = 4096;

/** The tool calls of a session since they were last looked at: how many, and how many of which. */
export interface ToolCalls {
  readonly count: number;
  readonly byName: ReadonlyMap<string, number>;
}

/**
 * Takes in what the PostToolUse hook noted: one file a call, named by the process that wrote it. Notes about sessions without a
 * loop are removed, those about others left for them.
 */
export function takeSpool(root: string, session: string): ToolCalls {
  const folder = spoolFolder(root);
  const byName = new Map<string, number>();
  let count = 0;
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    const head = headOf(path);
    const id = wordAfter(head, "session_id") ?? "";
    if (id !== session && isPlainId(id) && existsSync(sessionFolder(root, id))) continue;
    if (id === session) {
      const tool = wordAfter(head, "tool_name") ?? "a tool";
      byName.set(tool, (byName.get(tool) ?? 0) + 1);
      count++;
    }
    rmSync(path, { force: true, recursive: true });
  }
  return { count, byName };
}

/** The text after a key, where it is a plain word. */
function wordAfter(head: string, key: string): string | undefined {
  return new RegExp(`"${key}"\\s*:\\s*"([^"\\\\]{1,128})"`).exec(head)?.[1];
}

function headOf(path: string): string {
  try {
    const fd = openSync(path, "r");
    try {
      const bytes = Buffer.alloc(HEAD_BYTES);
      return bytes.toString("latin1", 0, readSync(fd, bytes));
    } finally {
      closeSync(fd);
    }
  } catch {
    return ""; // gone, or nothing that can be read: it counts for nobody
  }
}
