import { describe, expect, test } from "vitest";
import { errorOf } from "./project.ts";
import { LOCAL, MAIN, resolved } from "./resolving.ts";

describe("the agent", () => {
  const CLAUDE = {
    [MAIN]: {
      agent: { command: "claude", kind: "claude", flags: ["--x"], model: "opus", autonomy: "edits" },
    },
  };

  test("of another kind gets none of what was written for the one in the settings", async () => {
    const run = await resolved(CLAUDE, { agent: "codex" });
    expect(run.spec.agent).toEqual({ kind: "codex", command: "codex", flags: [], autonomy: "edits" });
    expect(run.sources.get("agent.flags")).toBe("default");
  });

  test("of the same kind keeps it", async () => {
    const run = await resolved(CLAUDE, { agent: "/opt/claude" }, ["/opt/claude"]);
    expect(run.spec.agent).toMatchObject({
      kind: "claude",
      command: "/opt/claude",
      flags: ["--x"],
      model: "opus",
    });
  });

  test("may be a program with words of its own, or lie in the home folder", async () => {
    const run = await resolved({}, { agent: "npx my-agent" }, ["npx"]);
    expect(run.spec.agent).toMatchObject({ kind: "custom", command: "npx my-agent" });
    const home = await resolved({}, { agent: "~/bin/claude -v" }, ["/home/jo e/bin/claude"]);
    expect(home.spec.agent.command).toBe("'/home/jo e'/bin/claude -v");
  });

  test("may have a Windows path", async () => {
    const program = "C:\\tools\\claude.exe";
    await expect(resolved({}, { agent: `${program} -v` }, [program])).resolves.toBeDefined();
  });

  test("kind can be set", async () => {
    const run = await resolved({ [MAIN]: { agent: { command: "my-claude", kind: "claude" } } }, {}, [
      "my-claude",
    ]);
    expect(run.spec.agent.kind).toBe("claude");
    expect(run.sources.get("agent.kind")).toBe(MAIN);
  });

  test("is missing", async () => {
    expect(await errorOf(() => resolved({}, {}, []))).toEqual([
      "there is no agent to run",
      "none is named, and none of claude, codex, amp, copilot, gemini, qwen, opencode, cursor-agent is on PATH",
      "Install one of them, or name another: ralph run --agent <command>, or run ralph init.",
    ]);
  });

  test("is not installed", async () => {
    const fix =
      "Install it, or name another agent with --agent or with agent.command in .ralph/settings.json.";
    expect(await errorOf(() => resolved({}, { agent: "nope -x" }))).toEqual([
      "cannot start nope",
      "no program of that name is on PATH (agent.command, --agent)",
      fix,
    ]);
    expect(await errorOf(() => resolved({ [MAIN]: { agent: { command: "./nope" } } }))).toEqual([
      "cannot start ./nope",
      `there is no program at that path (agent.command, ${MAIN})`,
      fix,
    ]);
  });

  test("has a flag with an open quote", async () => {
    const files = {
      [MAIN]: { agent: { command: "claude", flags: ["-v"] } },
      [LOCAL]: { agent: { flags: ["-a", "--say 'a"] } },
    };
    expect(await errorOf(() => resolved(files))).toEqual([
      `bad setting agent.flags[1] in ${LOCAL}, line 5, column 7`,
      'a quote or a backslash in it is not closed: "--say \'a"',
      "Close it; agent.flags[1] is split into words as a shell would.",
    ]);
    expect(await errorOf(() => resolved(CLAUDE, { agent: 'claude "' }))).toEqual([
      "bad value for --agent",
      'a quote or a backslash in it is not closed: "claude ""',
      "Close it; --agent is split into words as a shell would.",
    ]);
  });
});
