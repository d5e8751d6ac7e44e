import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isInside } from "../files.ts";

/** The programs whose sessions are known. What they differ in is in the table of agents.ts. */
export type SessionAgent = "claude" | "codex" | "copilot" | "gemini" | "qwen" | "opencode" | "other";

/** What a program tells a hook, as far as we ask. All of it is hostile: whoever wrote it, it is only text. */
export interface HookInput {
  readonly event: string;
  /** The session's id; empty when it tells none, and then nothing is ours. */
  readonly session: string;
  readonly agent: SessionAgent;
  /** Where the session works. */
  readonly cwd: string;
  /** What the user typed. */
  readonly prompt: string;
  /** The last message of the main agent, where the program tells it. */
  readonly message?: string;
  /** All that the agent said since the user's prompt, where the program tells only that. */
  readonly saidSince?: string;
  readonly transcript?: string;
  /** Tasks in the background that are still running. */
  readonly background: number;
  /** The turn is a subagent's. */
  readonly isSub: boolean;
  /** Why a session began or ended, or what went wrong. */
  readonly why: string;
  /** The tool that is about to be used, or was, and what it is given. */
  readonly tool: string;
  readonly toolInput: unknown;
  /** The program's own id of that call. */
  readonly toolCall: string;
  /** The program ends with this turn, whatever we answer. */
  readonly endsAtStop?: true;
  /** How many tokens the context holds, where the program tells it. */
  readonly contextTokens?: number;
}

/** Reads what stands on standard input; undefined when it is no JSON object. */
export function readInput(): HookInput | undefined {
  return inputOf(readFileSync(0).toString("utf8"), process.env);
}

/** The same from its text. Bytes that are no UTF-8 have become replacement characters by now. */
export function inputOf(json: string, env: NodeJS.ProcessEnv): HookInput | undefined {
  const value = parsed(json);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const told = value as Readonly<Record<string, unknown>>;
  const text = (key: string) => (typeof told[key] === "string" ? told[key] : undefined);
  const event = text("hook_event_name") ?? "";
  const message = text("last_assistant_message");
  const saidSince = text("prompt_response");
  const transcript = text("transcript_path");
  const tokens = told["context_tokens"];
  return {
    event,
    session: text("session_id") ?? "",
    agent: agentOf(told, event, env),
    cwd: text("cwd") ?? "",
    prompt: text("prompt") ?? "",
    ...(message === undefined ? {} : { message }),
    ...(saidSince === undefined ? {} : { saidSince }),
    ...(transcript === undefined ? {} : { transcript }),
    background: running(told["background_tasks"]),
    isSub: (text("agent_id") ?? "") !== "",
    why: text("source") ?? text("reason") ?? text("error") ?? "",
    tool: text("tool_name") ?? "",
    toolInput: told["tool_input"],
    toolCall: text("tool_use_id") ?? "",
    ...(told["ends_at_stop"] === true ? { endsAtStop: true } : {}),
    ...(typeof tokens === "number" && tokens >= 0 ? { contextTokens: tokens } : {}),
  };
}

/**
 * The project that a command is about: the folder in which the session was opened, or the one it stands in now when that is
 * another work tree.
 */
export function projectOf({ cwd }: HookInput, env: NodeJS.ProcessEnv): string {
  const opened = env["CLAUDE_PROJECT_DIR"] ?? "";
  if (!isFolder(cwd)) return isFolder(opened) ? opened : process.cwd();
  if (!isFolder(opened) || !isInside(opened, cwd)) return cwd;
  for (let folder = cwd; folder !== opened; folder = dirname(folder)) {
    if (statSync(join(folder, ".git"), { throwIfNoEntry: false }) !== undefined) return cwd;
  }
  return opened;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Which program asks. Variables of a program around it leak into its environment, so its own words come first. */
function agentOf(
  told: Readonly<Record<string, unknown>>,
  event: string,
  env: NodeJS.ProcessEnv,
): SessionAgent {
  if (told["program"] === "opencode") return "opencode"; // our own plugin says so
  if (typeof told["turn_id"] === "string") return "codex";
  if (/^(?:Before|After)(?:Agent|Tool)$/.test(event)) return "gemini";
  const path = typeof told["transcript_path"] === "string" ? told["transcript_path"] : "";
  const named = (["codex", "copilot", "gemini", "qwen", "claude"] as const).find((name) =>
    path.includes(`/.${name}/`),
  );
  if (named !== undefined) return named;
  if (env["COPILOT_PLUGIN_ROOT"] !== undefined) return "copilot";
  return env["CLAUDECODE"] === "1" || typeof told["prompt_id"] === "string" ? "claude" : "other";
}

const OVER = /^(?:completed|failed|killed|stopped|cancelled|canceled|done|exited)$/;

function running(tasks: unknown): number {
  if (!Array.isArray(tasks)) return 0;
  return tasks.filter((task: unknown) => {
    const status = typeof task === "object" && task !== null && "status" in task ? task.status : undefined;
    return typeof status !== "string" || !OVER.test(status);
  }).length;
}

function isFolder(path: string): boolean {
  return path.startsWith("/") && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
