import { basename } from "node:path";
import { type ResolvedRun, type ResolveInput, type RunFlags, resolveRun } from "../../src/config/resolve.ts";
import type { AgentKind } from "../../src/spec.ts";
import { project } from "./project.ts";

/** The two settings files. */
export const MAIN = ".ralph/settings.json";
export const LOCAL = ".ralph/settings.local.json";

/** Like the real one it throws for a command that cannot be split: whoever calls it must have looked before. */
function kindOf(command: string): AgentKind {
  if (command.includes('"')) throw new Error("cannot be split");
  const name = basename(command.split(" ")[0] ?? "");
  return name === "claude" || name === "codex" || name === "amp" ? name : "custom";
}

/** What `resolveRun` is given in the tests; `programs` are those that can be found. */
export function input(folder: string, flags: RunFlags, programs = ["claude", "codex", "amp"]): ResolveInput {
  const findProgram = (name: string) => (programs.includes(name) ? `/bin/${name}` : undefined);
  return { project: folder, cwd: folder, flags, env: { HOME: "/home/jo e" }, findProgram, kindOf };
}

/** A run resolved in a project with these files. */
export function resolved(
  files: Record<string, unknown>,
  flags: RunFlags = {},
  programs?: string[],
): Promise<ResolvedRun> {
  return resolveRun(input(project(files), { prompt: "go", ...flags }, programs));
}
