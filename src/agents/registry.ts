import type { AgentKind } from "../spec.ts";
import type { AgentAdapter } from "./agent.ts";
import { amp } from "./amp/adapter.ts";
import { claude } from "./claude/adapter.ts";
import { codex } from "./codex/adapter.ts";
import { copilot } from "./copilot/adapter.ts";
import { cursor } from "./cursor/adapter.ts";
import { custom } from "./custom/adapter.ts";
import { gemini } from "./gemini/adapter.ts";
import { opencode } from "./opencode/adapter.ts";
import { qwen } from "./qwen/adapter.ts";
import { commandWords, programName } from "./words.ts";

/** The programs that ralph knows how to drive, in the order in which they are looked for. */
export const KNOWN_AGENTS: readonly AgentAdapter[] = [
  claude,
  codex,
  amp,
  copilot,
  gemini,
  qwen,
  opencode,
  cursor,
];

/** npm packages whose name differs from the program that they hold. */
const PACKAGES: ReadonlyMap<string, string> = new Map([
  ["claude-code", "claude"],
  ["gemini-cli", "gemini"],
  ["qwen-code", "qwen"],
  ["opencode-ai", "opencode"],
]);

/** The adapter of a kind of agent. */
export function adapterFor(kind: AgentKind): AgentAdapter {
  return KNOWN_AGENTS.find((adapter) => adapter.kind === kind) ?? custom;
}

/** The kind of agent that a command starts. Throws the error of `commandWords` for a command that has no words. */
export function kindOf(command: string): AgentKind {
  const [first, ...rest] = commandWords(command);
  const program = programName(first);
  const name = program === "npx" ? packageName(rest.find((word) => !word.startsWith("-")) ?? "") : program;
  return KNOWN_AGENTS.find((adapter) => adapter.program === name)?.kind ?? "custom";
}

/** `@openai/codex@latest` is codex. */
function packageName(word: string): string {
  const name = programName(word.replace(/(?<=.)@[^/]*$/, ""));
  return PACKAGES.get(name) ?? name;
}
