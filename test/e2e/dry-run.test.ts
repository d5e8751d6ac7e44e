import { describe, expect, test } from "vitest";
import { DONE, expectUserError, makeWorld } from "./support.ts";

describe("--dry-run", () => {
  test("starts nothing and writes nothing", async () => {
    const world = makeWorld({ git: true });
    const agent = world.speaking(
      { turns: [{ final: DONE }] },
      { guardrails: [{ command: "touch ran" }], scm: { command: "git", tasks: ["commit"] } },
    );
    const before = world.git("status", "--porcelain", "--ignored");
    const ended = await world.ralph(["-p", "x", "--dry-run"]);
    expect(ended.code).toBe(0);
    expect(ended.stdout).toMatch(/Nothing is started/);
    expect(agent.calls()).toEqual([]);
    expect(world.stateFiles()).toEqual([]);
    expect(world.ralphFiles()).toEqual(["settings.json"]);
    expect(world.git("status", "--porcelain", "--ignored")).toBe(before);
    expect(world.has("ran")).toBe(false);
  });

  test("shows each value with where it came from", async () => {
    const world = makeWorld({ git: true });
    world.installAgent("claude", { turns: [{ final: DONE }] });
    world.settings({
      agent: { command: "claude", flags: ["--model opus"] },
      maximumIterations: 7,
      guardrails: [{ command: "make test", failAction: "REPLACE" }],
      scm: { command: "git", tasks: ["commit", "push"] },
    });
    world.localSettings({ completionResponse: "LOCAL" });
    const { stdout, code } = await world.ralph(["-p", "x", "--max-output-lines", "3", "--dry-run"]);
    expect(code).toBe(0);
    const row = (key: string) =>
      stdout
        .split("\n")
        .find((line) => line.trimStart().startsWith(`${key} `))
        ?.trim()
        .split(/\s{2,}/);
    expect(row("prompt")).toEqual(["prompt", "x", "--prompt"]);
    expect(row("agent.command")).toEqual(["agent.command", "claude", ".ralph/settings.json"]);
    expect(row("agent.kind")).toEqual(["agent.kind", "claude", "inferred from agent.command"]);
    expect(row("agent.flags")).toEqual(["agent.flags", "--model opus", ".ralph/settings.json"]);
    expect(row("maximumIterations")).toEqual(["maximumIterations", "7", ".ralph/settings.json"]);
    expect(row("completionResponse")).toEqual(["completionResponse", "LOCAL", ".ralph/settings.local.json"]);
    expect(row("outputTruncateChars")).toEqual(["outputTruncateChars", "5000", "default"]);
    expect(row("output.maxOutputLines")).toEqual(["output.maxOutputLines", "3", "--max-output-lines"]);
    expect(row("guardrails[0]")?.[1]).toMatch(/^make test \(REPLACE, 10m\)$/);
    expect(row("scm.tasks")).toEqual(["scm.tasks", "commit, push", ".ralph/settings.json"]);
  });

  test("shows the exact commands and the first prompt", async () => {
    const world = makeWorld({ git: true });
    world.installAgent("codex", { voice: "codex", turns: [{ final: DONE }] });
    world.write("prompt.md", "first line\nsecond line\n");
    world.settings({
      agent: { command: "codex", flags: ["--config 'a b'"] },
      includeIterationCountInPrompt: true,
      claimHint: false,
      guardrails: [{ command: "make 'a b'" }],
      scm: { command: "git", tasks: ["commit", "push"] },
    });
    const { stdout, code } = await world.ralph(["-f", "prompt.md", "--dry-run"]);
    expect(code).toBe(0);
    expect(stdout).toContain(
      "  codex exec --json --dangerously-bypass-approvals-and-sandbox --skip-git-repo-check --config 'a b' -\n",
    );
    expect(stdout).toMatch(/^ {2}sh -c .*make .*a b/m);
    expect(stdout).toContain(".ralph/guardrail_001_make_a_b.log");
    expect(stdout).toMatch(/git commit -am/);
    expect(stdout).toMatch(/git push/);
    expect(stdout).toContain("  | Iteration 1 of 10, 9 remaining.\n  | \n  | first line\n  | second line\n");
  });

  test("needs no trust, and asks nothing of an agent that is not trusted", async () => {
    const world = makeWorld();
    world.install("codex", "touch codex-ran");
    world.settings({ agent: { command: "codex" } });
    const env = { RALPH_TRUST_PROJECT: undefined, CI: undefined };
    const ended = await world.ralph(["-p", "x", "--dry-run"], { env });
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain("codex exec --json");
    expect(world.has("codex-ran")).toBe(false);
  });

  test("tells of bad input as a run would", async () => {
    const world = makeWorld();
    expectUserError(await world.ralph(["-p", "x", "--agent", "no-such-agent", "--dry-run"]), "no-such-agent");
    world.settings('{"nope":1}');
    expectUserError(await world.ralph(["-p", "x", "--agent", "true", "--dry-run"]), "nope");
  });

  test("hides secrets", async () => {
    const world = makeWorld();
    world.settings({ agent: { command: "true", flags: ["--api-key sk-ant-api03-abcdef0123456789"] } });
    const { stdout } = await world.ralph(["-p", "x", "--dry-run"]);
    expect(stdout).toContain("[redacted]");
    expect(stdout).not.toContain("abcdef0123456789");
  });

  test("lets no escape sequence of a prompt file or of the settings reach the terminal", async () => {
    const world = makeWorld();
    world.write("prompt.md", "harmless \u001b]0;pwned\u0007\u001b[2J\u009b31m words");
    world.settings({
      guardrails: [{ command: "echo \u001b[2J" }],
      agent: { command: "true", flags: ["\u001b[31m"] },
    });
    const { stdout, code } = await world.ralph(["-f", "prompt.md", "--dry-run"]);
    expect(code).toBe(0);
    expect(stdout).toContain("harmless");
    expect(stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  });
});
