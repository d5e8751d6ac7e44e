import { closeSync, existsSync, fstatSync, readSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { openPlain } from "../files.ts";
import { isPlainId, namesIn, sessionFolder, spoolFolder } from "./places.ts";

/** So much of a note's two ends is read: who it is about and which tool it was stand at its beginning, which call at its end. */
const END_BYTES = 4096;

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
  const calls = new Set<string>();
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    const { head, tail } = endsOf(path);
    const id = wordAfter(head, "session_id") ?? "";
    if (id !== session && isPlainId(id) && existsSync(sessionFolder(root, id))) continue;
    if (id === "" && isBeingWritten(path)) continue;
    // The hooks of the plugin and those in the agent's settings note the same call. One without a name of its own is its own.
    const call = wordsAfter(tail, "tool_use_id").at(-1) ?? `the note ${name}`;
    if (id === session && !calls.has(call)) {
      calls.add(call);
      const tool = wordAfter(head, "tool_name") ?? "a tool";
      byName.set(tool, (byName.get(tool) ?? 0) + 1);
    }
    rmSync(path, { force: true, recursive: true });
  }
  return { count: calls.size, byName };
}

const WRITING_MS = 60_000;

/** The hook of another session may just have made it, and not have said anything in it yet. */
function isBeingWritten(path: string): boolean {
  const info = statSync(path, { throwIfNoEntry: false });
  return info?.isFile() === true && Math.abs(Date.now() - info.mtimeMs) < WRITING_MS;
}

/** The text after a key, where it is a plain word. */
function wordAfter(head: string, key: string): string | undefined {
  return wordsAfter(head, key)[0];
}

function wordsAfter(text: string, key: string): string[] {
  const pattern = new RegExp(`"${key}"\\s*:\\s*"([^"\\\\]{1,128})"`, "g");
  return Array.from(text.matchAll(pattern), ([, word]) => word ?? "");
}

function endsOf(path: string): { readonly head: string; readonly tail: string } {
  try {
    const fd = openPlain(path);
    try {
      const read = (from: number) => {
        const bytes = Buffer.alloc(END_BYTES);
        return bytes.toString("latin1", 0, readSync(fd, bytes, 0, END_BYTES, from));
      };
      return { head: read(0), tail: read(Math.max(0, fstatSync(fd).size - END_BYTES)) };
    } finally {
      closeSync(fd);
    }
  } catch {
    return { head: "", tail: "" }; // gone, or nothing that can be read: it counts for nobody
  }
}
