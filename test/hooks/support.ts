import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { isAlive, makeWorld, processesWith, until, type World } from "../e2e/support.ts";
import { endNow } from "../processes.ts";

export const PLUGIN = join(dirname(fileURLToPath(import.meta.url)), "../../plugin");

/** The commands of the plugin, as an agent reads them. */
const COMMANDS = (
  JSON.parse(readFileSync(join(PLUGIN, "hooks/hooks.json"), "utf8")) as {
    hooks: Record<string, [{ hooks: [{ command: string }] }]>;
  }
).hooks;

/** What a hook said, in the words of the program it answers. */
export interface Said {
  readonly decision?: string;
  readonly reason?: string;
  readonly systemMessage?: string;
  readonly hookSpecificOutput?: { readonly hookEventName: string; readonly additionalContext: string };
}

/** A world of its own, and sessions of agents in it. */
export interface HookWorld extends World {
  session(options?: SessionOptions): Session;
  /** What the hooks wrote down. */
  log(): string;
  /** Ends the hook that runs now as its program would: with SIGTERM. */
  endHook(): Promise<void>;
  removeInHome(name: string): void;
}

export interface SessionOptions {
  readonly id?: string;
  /** Which program it is: what it tells hooks differs. */
  readonly agent?: "claude" | "codex" | "copilot";
  readonly cwd?: string;
  readonly env?: Record<string, string>;
}

/** A session as its hooks see it. Every call runs the plugin's own command with `sh`, as a real process. */
export interface Session {
  readonly id: string;
  /** Where its program writes down what was said. */
  readonly transcript: string;
  type(prompt: string): Promise<Said>;
  tool(name?: string, more?: Record<string, unknown>): Promise<Said>;
  stop(message: string | undefined, more?: Record<string, unknown>): Promise<Said>;
  hook(event: string, more?: Record<string, unknown>): Promise<Said>;
  /** What a hook gets is not always JSON. */
  raw(event: string, stdin: string | Buffer): Promise<{ said: Said; code: number | null; stdout: string }>;
}

let count = 0;

export function world(options: { git?: boolean } = {}): HookWorld {
  const made = makeWorld(options);
  const log = join(made.state, "hooks.log");
  return {
    ...made,
    session: (how = {}) => session(made, how),
    log: () => (existsSync(log) ? readFileSync(log, "utf8") : ""),
    endHook: () => endHook(made),
    removeInHome: (name) => rmSync(join(made.home, name)),
  };
}

function isHook(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("stop.cjs");
  } catch {
    return false; // gone in the meantime
  }
}

/** The Stop hook is the process that runs stop.cjs with this world's state. */
async function endHook({ state }: World): Promise<void> {
  const [pid] = processesWith(state).filter(isHook);
  if (pid === undefined) throw new Error("no hook runs");
  endNow(pid, "SIGTERM");
  await until("the hook is gone", () => !isAlive(pid));
}

function session(at: World, options: SessionOptions): Session {
  const { agent = "claude", cwd = at.project, env = {} } = options;
  const id = options.id ?? `00000000-0000-4000-8000-${String(++count).padStart(12, "0")}`;
  const transcript = join(at.home, `${agent}.jsonl`);
  const own: Record<string, unknown> =
    agent === "codex"
      ? { transcript_path: transcript, turn_id: "turn-1", model: "gpt-5.5" }
      : agent === "copilot"
        ? { timestamp: "2026-11-15T18:11:43.121Z" }
        : { transcript_path: transcript, prompt_id: "prompt-1", permission_mode: "default" };
  const environment = {
    PATH: `${at.bin}:${process.env["PATH"] ?? ""}`,
    HOME: at.home,
    RALPH_STATE_DIR: at.state,
    CLAUDE_PLUGIN_ROOT: PLUGIN,
    CLAUDE_PROJECT_DIR: at.project,
    ...(agent === "claude" ? { CLAUDE_CODE_SESSION_ID: id, CLAUDECODE: "1" } : {}),
    ...(agent === "copilot" ? { COPILOT_PLUGIN_ROOT: PLUGIN } : {}),
    ...env,
  };
  const raw: Session["raw"] = async (event, stdin) => {
    const command = COMMANDS[event]?.[0].hooks[0].command;
    if (command === undefined) throw new Error(`the plugin has no hook for ${event}`);
    const child = spawn("sh", ["-c", command], {
      cwd: agent === "copilot" ? PLUGIN : cwd,
      env: environment,
      stdio: ["pipe", "pipe", "pipe"],
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
    child.stdin.on("error", () => {}); // a guard that leaves at once reads nothing
    child.stdin.end(stdin);
    const code = await new Promise<number | null>((done) => child.once("close", done));
    const stdout = Buffer.concat(out).toString("utf8");
    expect(Buffer.concat(err).toString("utf8")).toBe("");
    return { said: stdout === "" ? {} : (JSON.parse(stdout) as Said), code, stdout };
  };
  const hook: Session["hook"] = async (event, more = {}) => {
    const told = { session_id: id, ...own, cwd, hook_event_name: event, ...more };
    const { said, code } = await raw(event, JSON.stringify(told));
    expect(code).toBe(0);
    return said;
  };
  return {
    id,
    transcript,
    raw,
    hook,
    type: (prompt) => hook("UserPromptSubmit", { prompt }),
    tool: (name = "Write", more = {}) =>
      hook("PostToolUse", { tool_name: name, tool_input: {}, tool_response: "ok", ...more }),
    stop: (message, more = {}) =>
      hook("Stop", {
        stop_hook_active: false,
        ...(message === undefined ? {} : { last_assistant_message: message }),
        ...(agent === "claude" ? { background_tasks: [], session_crons: [] } : {}),
        ...(agent === "copilot" ? { transcript_path: transcript, stop_reason: "end_turn" } : {}),
        ...more,
      }),
  };
}
