import { closeSync, fstatSync, readSync, statSync } from "node:fs";
import { openPlain } from "../files.ts";

const FIRST_BYTES = 64 * 1024;
const MOST_BYTES = 4 * 1024 * 1024;

/** When a loop began: behind this byte of the transcript, where its size was known then, and at this time. */
export interface Since {
  readonly from: number;
  readonly sinceMs: number;
}

/**
 * The last thing that the main agent said, from the end of a transcript; undefined when it said nothing since the loop began. A
 * transcript may be huge: its tail is read, and more of it only while nothing was found.
 */
export function lastMessage(path: string, { from, sinceMs }: Since): Said | undefined {
  let fd: number;
  try {
    fd = openPlain(path);
  } catch {
    return undefined;
  }
  try {
    const { size } = fstatSync(fd);
    // One that was written anew since is shorter: then all of it is.
    const least = from <= size ? from : 0;
    for (let length = FIRST_BYTES; ; length *= 4) {
      const start = Math.max(least, size - length);
      const bytes = Buffer.alloc(size - start);
      readSync(fd, bytes, 0, bytes.length, start);
      // The first line is cut in the middle, where the tail does not begin at a line.
      const skip = start === least ? 0 : bytes.indexOf(0x0a) + 1;
      const found = lastSaid(bytes.toString("utf8", skip), sinceMs);
      if (found !== undefined || start === least || length >= MOST_BYTES) return found;
    }
  } finally {
    closeSync(fd);
  }
}

/** The size of a transcript: what is said from now on stands behind it. */
export function transcriptSize(path: string | undefined): number {
  if (path === undefined) return 0;
  try {
    return statSync(path).size;
  } catch {
    return 0; // it is not there yet
  }
}

/** What the main agent said, and in which message. */
export interface Said {
  readonly text: string;
  /** The message's own name; empty where it has none. */
  readonly message: string;
  /** It asks for no tool: with it the turn can be over. */
  readonly final: boolean;
}

/** The same in one line of a transcript. */
interface SaidInLine extends Said {
  readonly atMs: number;
}

/** The last message in lines of a transcript. One message may stand in several lines, a part in each. Pure. */
export function lastSaid(lines: string, sinceMs = 0): Said | undefined {
  let found: Said | undefined;
  for (const line of lines.split("\n").reverse()) {
    // Most lines are results of tools, and large: only what can be a message of the agent is parsed.
    const said = line.includes("assistant") ? saidIn(line) : undefined;
    if (said === undefined) continue;
    if (said.atMs < sinceMs) break;
    if (found === undefined) found = { text: said.text, message: said.message, final: said.final };
    else if (said.message !== "" && said.message === found.message)
      found = { ...found, text: `${said.text}\n${found.text}` };
    else break;
  }
  return found;
}

type Json = Readonly<Record<string, unknown>>;

function saidIn(line: string): SaidInLine | undefined {
  let value: Json;
  try {
    value = recordOf(JSON.parse(line));
  } catch {
    return undefined; // half a line, or none of ours
  }
  const told = typeof value["timestamp"] === "string" ? Date.parse(value["timestamp"]) : Number.NaN;
  // A line that does not tell its time is as young as it could be.
  const atMs = Number.isNaN(told) ? Number.POSITIVE_INFINITY : told;
  // Claude Code and Qwen Code
  if (value["type"] === "assistant" && value["isSidechain"] !== true && !value["parent_tool_use_id"]) {
    const message = recordOf(value["message"]);
    const final = message["stop_reason"] !== "tool_use";
    return said(textIn(message["content"] ?? message["parts"]), message["id"], { atMs, final });
  }
  // Copilot
  const data = recordOf(value["data"]);
  if (value["type"] === "assistant.message" && !data["parentToolCallId"]) {
    const { toolRequests } = data;
    const final = !Array.isArray(toolRequests) || toolRequests.length === 0;
    return said(textIn(data["content"]), data["messageId"], { atMs, final });
  }
  // Codex
  const payload = recordOf(value["payload"]);
  if (payload["type"] === "message" && payload["role"] === "assistant") {
    return said(textIn(payload["content"]), payload["id"], { atMs, final: true });
  }
  return undefined;
}

function said(text: string, id: unknown, more: Pick<SaidInLine, "atMs" | "final">): SaidInLine | undefined {
  return text === "" ? undefined : { text, message: typeof id === "string" ? id : "", ...more };
}

/** The text of a message: itself, or its parts that are text. */
function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map(recordOf)
    .filter(
      ({ type, thought }) =>
        (type === undefined || type === "text" || type === "output_text") && thought !== true,
    )
    .flatMap(({ text }) => (typeof text === "string" ? [text] : []))
    .join("\n");
}

function recordOf(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}
