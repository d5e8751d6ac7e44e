import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { quote } from "shlex";
import type { Usage } from "../events.ts";
import type { AgentKind, AgentSpec } from "../spec.ts";

/** One thing that the scripted agent does in a turn. */
export type Action =
  | { readonly say: string }
  | { readonly think: string }
  /** Says it as a subagent would. */
  | { readonly subagent: string }
  | { readonly todos: readonly { readonly text: string; readonly state: "pending" | "active" | "done" }[] }
  /** Writes a file, relative to the project, as a tool call. */
  | { readonly write: string; readonly text: string }
  /** Runs a shell line as a tool call; its output is the tool's result. */
  | { readonly run: string }
  /** A tool call that the agent's own permission rules refuse. */
  | { readonly denied: string }
  /** A raw line on standard output, whatever it is. */
  | { readonly raw: string }
  /** Raw bytes on standard output, as base64. */
  | { readonly bytes: string }
  /** So many bytes of one line that never ends. */
  | { readonly flood: number }
  | { readonly stderr: string }
  | { readonly sleepMs: number }
  /** Creates this file, then never returns. */
  | { readonly hang: string }
  /** Leaves a process behind: it writes its pid into the file and lives on. */
  | {
      readonly leave: string;
      readonly how: "child" | "setsid" | "double-fork" | "ignore-term" | "setsid-ignore-term";
    }
  /** Ends the turn as the model's service would make it end. */
  | { readonly fail: "rate" | "quota" | "auth" | "context" | "server"; readonly message?: string }
  /** Ends the process at once, with no result. */
  | { readonly exit: number }
  | { readonly signal: NodeJS.Signals };

/** One turn: what it does, and its final text. */
export interface ScriptedTurn {
  readonly actions?: readonly Action[];
  readonly final?: string;
  readonly exitCode?: number;
  readonly usage?: Partial<Usage>;
}

/** A whole play. The last turn is repeated when the loop asks for more. */
export interface Script {
  /** In which agent's stream format it speaks; `text` is plain standard output. */
  readonly voice?: Exclude<AgentKind, "custom"> | "text";
  readonly turns: readonly ScriptedTurn[];
  /** Turns that are asked for a commit message. Default: one that answers "Do the scripted work". */
  readonly commitTurns?: readonly ScriptedTurn[];
}

/** What the scripted agent was asked in one call. */
export interface ScriptedCall {
  readonly argv: readonly string[];
  readonly prompt: string;
  readonly commit: boolean;
}

export interface ScriptedAgent {
  readonly spec: AgentSpec;
  /** The command line, for a settings file. */
  readonly command: string;
  /** Every call so far, in order. */
  calls(): ScriptedCall[];
}

/** An agent that plays a script, as a real process: for tests, and for trying a configuration without a model. */
export function scriptedAgent(script: Script, options: { folder?: string } = {}): ScriptedAgent {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), "ralph-script-"));
  const calls = join(folder, "calls");
  mkdirSync(calls, { recursive: true });
  const path = join(folder, "script.json");
  writeFileSync(path, JSON.stringify(script));
  const command = [process.execPath, programPath(), path].map(quote).join(" ");
  const voice = script.voice ?? "claude";
  return {
    command,
    spec: { kind: voice === "text" ? "custom" : voice, command, flags: [], autonomy: "full" },
    calls: () =>
      readdirSync(calls)
        .filter((name) => name.endsWith(".json"))
        .sort()
        .map((name) => JSON.parse(readFileSync(join(calls, name), "utf8")) as ScriptedCall),
  };
}

/** The program stands beside the bundle that this module is part of. */
function programPath(): string {
  return fileURLToPath(new URL("./scripted-agent.js", import.meta.url));
}
