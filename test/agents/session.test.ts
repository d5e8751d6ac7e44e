import { describe, expect, test } from "vitest";
import { adapterFor } from "../../src/agents/registry.ts";
import type { AgentKind, AgentSpec } from "../../src/spec.ts";

const PROMPT = "Plan it.\nWith me.";

function session(kind: AgentKind, agent: Partial<AgentSpec> = {}) {
  return adapterFor(kind).interactive?.({
    agent: { kind, command: kind, flags: [], autonomy: "full", ...agent },
    prompt: PROMPT,
  });
}

describe("a session at the user's terminal", () => {
  test.each<[AgentKind, Partial<AgentSpec>, string[]]>([
    ["claude", {}, []],
    ["claude", { model: "opus" }, ["--model", "opus"]],
    ["claude", { model: "opus", flags: ["--model=haiku"] }, ["--model=haiku"]],
    ["claude", { command: "claude -p --verbose", flags: ["--output-format", "json"] }, ["--verbose"]],
    [
      "claude",
      { flags: ["--max-turns=3", "--allowedTools", "Bash", "Edit"] },
      ["--allowedTools", "Bash", "Edit"],
    ],
    ["codex", {}, []],
    ["codex", { model: "gpt-5" }, ["-m", "gpt-5"]],
    ["codex", { model: "gpt-5", flags: ["-c", "model=o3"] }, ["-c", "model=o3"]],
    [
      "codex",
      { command: "codex exec --json -o x -", flags: ["--skip-git-repo-check", "--search"] },
      ["--search"],
    ],
    ["codex", { flags: ["-p", "e"] }, ["-p", "e"]],
  ])("%s %j", (kind, agent, args) => {
    expect(session(kind, agent)).toEqual({ file: kind, args: [...args, "--", PROMPT] });
  });

  test("a command of several words keeps them", () => {
    expect(session("claude", { command: "npx -y @anthropic-ai/claude-code" })).toEqual({
      file: "npx",
      args: ["-y", "@anthropic-ai/claude-code", "--", PROMPT],
    });
  });

  test.each<AgentKind>(["amp", "custom"])("%s: no way is known", (kind) => {
    expect(session(kind)).toBeUndefined();
  });
});
