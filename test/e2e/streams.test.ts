import { describe, expect, test } from "vitest";
import { DONE, type Ended, makeWorld, ofType, prompts, said, type World } from "./support.ts";

/** Puts a program on PATH that prints these lines, whatever it is asked. */
function printing(world: World, name: string, lines: readonly (object | string)[], exitCode = 0): void {
  const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
  world.install(name, `cat > /dev/null\ncat <<'LINES'\n${text}\nLINES\nexit ${exitCode}`);
}

async function both(name: string, lines: readonly (object | string)[]): Promise<[plain: Ended, json: Ended]> {
  const world = makeWorld();
  printing(world, name, lines);
  const args = ["-p", "x", "-m", "1", "--agent", name];
  return [await world.ralph(args), await world.ralph([...args, "--json"])];
}

const TODOS = [
  { content: "Read the file", status: "completed" },
  { content: "Edit the code", status: "in_progress" },
  { content: "Run tests", status: "pending" },
];

describe("Claude's stream, as the spec describes it", () => {
  const LINES = [
    { type: "system", session_id: "s-1" },
    { type: "assistant", message: { content: [{ type: "text", text: "I will look." }] } },
    {
      type: "assistant",
      message: {
        content: [{ type: "tool_use", id: "t1", name: "Read", input: { file_path: "/path/to/file.go" } }],
      },
    },
    {
      type: "user",
      message: {
        content: [
          {
            type: "tool_result",
            tool_use_id: "t1",
            content: "package main\n\nfunc main() {}\n",
            is_error: false,
          },
        ],
      },
    },
    {
      type: "assistant",
      message: { content: [{ type: "tool_use", id: "t2", name: "Bash", input: { command: "go test" } }] },
    },
    {
      type: "user",
      message: {
        content: [{ type: "tool_result", tool_use_id: "t2", content: "Exit code 1\nFAIL", is_error: true }],
      },
    },
    {
      type: "assistant",
      message: { content: [{ type: "tool_use", id: "t3", name: "TodoWrite", input: { todos: TODOS } }] },
    },
    {
      type: "result",
      result: `All done. ${DONE}`,
      total_cost_usd: 0.05,
      usage: {
        input_tokens: 1000,
        output_tokens: 500,
        cache_read_input_tokens: 800,
        cache_creation_input_tokens: 0,
      },
    },
  ];

  test("becomes the events of the one model", async () => {
    const [, json] = await both("claude", LINES);
    expect(json.code).toBe(0);
    const all = said(json.stdout);
    expect(all[0]).toMatchObject({ type: "session", sessionId: "s-1" });
    expect(all).toContainEqual({ type: "text", text: "I will look." });
    expect(all).toContainEqual({
      type: "tool.started",
      callId: "t1",
      name: "Read",
      summary: "/path/to/file.go",
    });
    expect(all).toContainEqual({
      type: "tool.ended",
      callId: "t1",
      ok: true,
      output: "package main\n\nfunc main() {}\n",
      lines: 3,
      chars: 29,
    });
    expect(ofType(all, "tool.ended").find((event) => event.callId === "t2")).toMatchObject({ ok: false });
    expect(ofType(all, "todos")[0]?.items).toEqual([
      { text: "Read the file", state: "done" },
      { text: "Edit the code", state: "active" },
      { text: "Run tests", state: "pending" },
    ]);
    expect(ofType(all, "result")).toEqual([
      {
        type: "result",
        ok: true,
        text: `All done. ${DONE}`,
        usage: {
          inputTokens: 1000,
          outputTokens: 500,
          cacheReadTokens: 800,
          cacheWriteTokens: 0,
          costUsd: 0.05,
        },
      },
    ]);
  });

  test("is shown with tool lines, results that name their call, the list and the final line", async () => {
    const [plain] = await both("claude", LINES);
    expect(plain.stderr).toContain(
      [
        "⏺ Read(/path/to/file.go)",
        "✅ Result ← Read (3 lines, 29 chars)",
        "  ⎿  package main",
        "",
        "     func main() {}",
        "",
      ].join("\n"),
    );
    expect(plain.stderr).toContain(
      "⏺ Bash(go test)\n❌ Failed ← Bash (2 lines, 16 chars)\n  ⎿  Exit code 1\n     FAIL\n",
    );
    expect(plain.stderr).toContain(
      [
        "📋 Todo List",
        "  ✅ Read the file",
        "  🔄 Edit the code ← ACTIVE",
        "  ⏸️ Run tests",
        "  📊 Progress: 1/3 (33%)",
      ].join("\n"),
    );
    expect(plain.stderr).toMatch(
      /^✅ Complete \(cost: \$0\.05, tokens: 1\.8K in \(800 cached\) \/ 500 out, tools: 3, errors: 1, time: [\d.]+m?s\)$/m,
    );
    expect(plain.stdout).toBe("I will look.\n");
  });
});

describe("Codex's stream, as the spec describes it", () => {
  const LINES = [
    { type: "thread.started", thread_id: "th-1" },
    { type: "item.started", item: { id: "i1", type: "command_execution", command: "bash -lc 'go test'" } },
    {
      type: "item.completed",
      item: {
        id: "i1",
        type: "command_execution",
        command: "bash -lc 'go test'",
        aggregated_output: "ok\n",
        exit_code: 0,
      },
    },
    { type: "item.completed", item: { id: "i2", type: "reasoning", text: "I think it works." } },
    { type: "item.completed", item: { id: "i3", type: "agent_message", text: `All done. ${DONE}` } },
    { type: "turn.completed", usage: { input_tokens: 1000, cached_input_tokens: 800, output_tokens: 500 } },
  ];

  test("becomes the same events, and is shown in the same way", async () => {
    const [plain, json] = await both("codex", LINES);
    expect([plain.code, json.code]).toEqual([0, 0]);
    const all = said(json.stdout);
    expect(all).toContainEqual({ type: "session", sessionId: "th-1" });
    expect(all).toContainEqual({ type: "thinking", text: "I think it works." });
    expect(all).toContainEqual({
      type: "tool.ended",
      callId: "i1",
      ok: true,
      output: "ok\n",
      lines: 1,
      chars: 3,
    });
    expect(ofType(all, "result")[0]).toMatchObject({
      ok: true,
      text: `All done. ${DONE}`,
      usage: { inputTokens: 200, cacheReadTokens: 800, outputTokens: 500 },
    });
    expect(plain.stdout).toBe(`All done. ${DONE}\n`);
    expect(plain.stderr).toContain("⏺ Bash(go test)\n✅ Result ← Bash (1 line, 3 chars)\n  ⎿  ok\n");
    expect(plain.stderr).toMatch(
      /Complete \(tokens: 1K in \(800 cached\) \/ 500 out, tools: 1, errors: 0, time: /,
    );
    expect(plain.stderr).not.toContain("I think it works.");
  });
});

describe("Amp's stream, as the spec describes it", () => {
  const usage = {
    input_tokens: 100,
    output_tokens: 50,
    cache_read_input_tokens: 80,
    cache_creation_input_tokens: 0,
  };
  const LINES = [
    { type: "system", subtype: "init", session_id: "T-1", tools: ["Bash"] },
    { type: "assistant", message: { content: [{ type: "text", text: "I will look." }], usage } },
    {
      type: "assistant",
      message: { content: [{ type: "tool_use", id: "a1", name: "Bash", input: { cmd: "ls" } }] },
    },
    { type: "user", message: { content: [{ type: "tool_result", tool_use_id: "a1", content: "one\ntwo" }] } },
    { type: "result", subtype: "success", result: DONE, duration_ms: 1234, num_turns: 3, usage },
  ];

  test("becomes the same events, and is shown in the same way", async () => {
    const [plain, json] = await both("amp", LINES);
    expect([plain.code, json.code]).toEqual([0, 0]);
    const all = said(json.stdout);
    expect(all[0]).toMatchObject({ type: "session", sessionId: "T-1" });
    expect(all).toContainEqual({ type: "tool.started", callId: "a1", name: "Bash", summary: "ls" });
    expect(ofType(all, "result")[0]).toMatchObject({
      ok: true,
      text: DONE,
      turns: 3,
      usage: { inputTokens: 100, outputTokens: 50, cacheReadTokens: 80 },
    });
    expect(plain.stdout).toBe("I will look.\n");
    expect(plain.stderr).toContain("⏺ Bash(ls)\n✅ Result ← Bash (2 lines, 7 chars)\n  ⎿  one\n     two\n");
  });

  test("an error result is a failed turn, and its words reach the next prompt", async () => {
    const world = makeWorld();
    printing(world, "amp", [
      LINES[0] ?? {},
      { type: "result", subtype: "error_during_execution", error: "the tool crashed", is_error: true },
    ]);
    const ended = await world.ralph(["-p", "x", "-m", "2", "--agent", "amp"]);
    expect(ended.code).toBe(1);
    expect(world.read(".ralph/prompt_002.txt")).toContain("the tool crashed");
  });
});

describe("what a subagent does", () => {
  test("is marked as its own, and is no part of the answer", async () => {
    const world = makeWorld();
    const agent = world.speaking({ turns: [{ actions: [{ subagent: "I helped." }], final: DONE }] });
    const ended = await world.ralph(["-p", "x"]);
    expect(ended.stdout).toBe(`${DONE}\n`);
    expect(ended.stderr).toContain("↳ I helped.");
    expect(prompts(agent)).toHaveLength(1);
  });
});

describe("Claude's failures are told from its facts, not from `subtype` or its exit code", () => {
  const failed = (rest: object) => ({
    type: "result",
    subtype: "success",
    is_error: true,
    num_turns: 1,
    ...rest,
  });

  test.each([
    [
      "a server that is overloaded",
      failed({ api_error_status: 529, result: "API Error: Overloaded" }),
      "overload",
    ],
    ["a connection that was cut", failed({ result: "API Error: Connection closed mid-response" }), "offline"],
    [
      "a plan that is used up",
      failed({ api_error_status: 429, result: "You've hit your limit · resets in 3h" }),
      "quota",
    ],
  ])("%s makes the run wait", async (_what, result, scope) => {
    const world = makeWorld();
    printing(world, "claude", [{ type: "system", subtype: "init", session_id: "s" }, result], 1);
    const run = world.start(["-p", "x", "--agent", "claude"]);
    await run.printed("Waiting ");
    run.process.kill("SIGINT");
    expect((await run.ended).code).toBe(130);
    expect(ofType(world.journal(), "agent.exited")[0]?.ending).toMatchObject({ kind: "limited", scope });
  });

  test("a retry that Claude makes itself is shown, and is no failure", async () => {
    const [plain, json] = await both("claude", [
      { type: "system", subtype: "init", session_id: "s" },
      {
        type: "system",
        subtype: "api_retry",
        attempt: 1,
        max_retries: 10,
        retry_delay_ms: 500,
        error_status: 429,
        error: "rate_limit",
      },
      { type: "result", subtype: "success", is_error: false, result: DONE },
    ]);
    expect([plain.code, json.code]).toEqual([0, 0]);
    expect(ofType(said(json.stdout), "limited")[0]).toMatchObject({ scope: "rate", final: false });
    expect(plain.stderr).toMatch(/Rate limit: .*attempt 1 of 10.*retrying/);
  });

  test("too many turns is a failed turn", async () => {
    const world = makeWorld();
    printing(
      world,
      "claude",
      [
        {
          type: "result",
          subtype: "error_max_turns",
          is_error: true,
          errors: ["Reached maximum number of turns (2)"],
        },
      ],
      1,
    );
    expect((await world.ralph(["-p", "x", "-m", "2", "--agent", "claude"])).code).toBe(1);
    expect(world.read(".ralph/prompt_002.txt")).toContain("Reached maximum number of turns");
  });
});
