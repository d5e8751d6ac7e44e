import { execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect } from "vitest";
import type { LoopEvent } from "../../src/events.ts";

export const PLUGIN = join(dirname(fileURLToPath(import.meta.url)), "../../plugin");

/** The commands of the plugin, as an agent reads them. */
const COMMANDS = (
  JSON.parse(readFileSync(join(PLUGIN, "hooks/hooks.json"), "utf8")) as {
    hooks: Record<string, [{ hooks: [{ command: string }] }]>;
  }
).hooks;

/** What a hook said: the words of the program it answers. */
export interface Said {
  readonly decision?: string;
  readonly reason?: string;
  readonly systemMessage?: string;
  readonly hookSpecificOutput?: { readonly hookEventName: string; readonly additionalContext: string };
}

/** A folder with a project and the state of hooks, and sessions of agents in it. */
export interface World {
  readonly project: string;
  readonly state: string;
  readonly home: string;
  session(options?: SessionOptions): Session;
  /** The events of the only run, or of the newest. */
  journal(): LoopEvent[];
  journalPath(): string;
  runs(): string[];
  /** What the hooks wrote down. */
  log(): string;
  write(path: string, text: string): void;
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
  type(prompt: string): Promise<Said>;
  tool(name?: string, more?: Record<string, unknown>): Promise<Said>;
  stop(message: string | undefined, more?: Record<string, unknown>): Promise<Said>;
  hook(event: string, more?: Record<string, unknown>): Promise<Said>;
  /** What a hook got is not always JSON. */
  raw(event: string, stdin: string | Buffer): Promise<{ said: Said; code: number | null; stdout: string }>;
}

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

let count = 0;

export function world({ git = false } = {}): World {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "ralph-hooks-")));
  made.push(home);
  const project = join(home, "project");
  const state = join(home, "state");
  mkdirSync(project);
  if (git) {
    const run = (...args: string[]) => execFileSync("git", args, { cwd: project, stdio: "ignore" });
    run("init", "-q");
    writeFileSync(join(project, "a.txt"), "a\n");
    run("add", ".");
    run("-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "first");
  }
  const folders = () => {
    const projects = join(state, "projects");
    if (!existsSync(projects)) return [];
    return readdirSync(projects)
      .flatMap((name) => readdirSync(join(projects, name)).map((run) => join(projects, name, run)))
      .filter((folder) => existsSync(join(folder, "journal.ndjson")))
      .sort((a, b) => (a.slice(a.lastIndexOf("/")) < b.slice(b.lastIndexOf("/")) ? -1 : 1));
  };
  const journalPath = () => join(folders().at(-1) ?? "", "journal.ndjson");
  return {
    project,
    state,
    home,
    session: (options = {}) => session({ home, project, state }, options),
    runs: folders,
    journalPath,
    journal: () =>
      readFileSync(journalPath(), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as LoopEvent),
    log: () => (existsSync(join(state, "hooks.log")) ? readFileSync(join(state, "hooks.log"), "utf8") : ""),
    write: (path, text) => {
      mkdirSync(dirname(join(project, path)), { recursive: true });
      writeFileSync(join(project, path), text);
    },
  };
}

function session(
  at: { home: string; project: string; state: string },
  {
    id = `00000000-0000-4000-8000-${String(++count).padStart(12, "0")}`,
    agent = "claude",
    cwd = at.project,
    env = {},
  }: SessionOptions,
): Session {
  const transcript = join(at.home, `.${agent}`, `${id}.jsonl`);
  const own: Record<string, unknown> =
    agent === "codex"
      ? { transcript_path: transcript, turn_id: "turn-1", model: "gpt-5.5" }
      : agent === "copilot"
        ? { timestamp: "2026-11-15T18:11:43.121Z" }
        : { transcript_path: transcript, prompt_id: "prompt-1", permission_mode: "default" };
  const environment = {
    PATH: process.env["PATH"] ?? "",
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
        ...more,
      }),
  };
}
