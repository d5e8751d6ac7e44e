import { describe, expect, it } from "vitest";
import { adapterFor } from "../../src/agents/registry.ts";
import type { AgentEvent } from "../../src/events.ts";
import type { AgentKind } from "../../src/spec.ts";

function read(kind: AgentKind, ...lines: unknown[]): AgentEvent[] {
  const parser = adapterFor(kind).parser();
  return lines.flatMap((line) => parser.line(JSON.stringify(line)));
}

const blocks = (...content: unknown[]): object => ({
  type: "assistant",
  message: { content },
  parent_tool_use_id: null,
});
const outcome = (block: object, more: object = {}): object => ({
  type: "user",
  message: { content: [{ type: "tool_result", tool_use_id: "t", ...block }] },
  parent_tool_use_id: null,
  ...more,
});

describe("claude: what no capture shows", () => {
  it("takes the lines of the older format", () => {
    expect(
      read(
        "claude",
        { type: "system", session_id: "s" },
        {
          type: "result",
          result: "ok",
          total_cost_usd: 0.05,
          usage: { input_tokens: 1000, output_tokens: 500, cache_read_input_tokens: 800 },
        },
      ),
    ).toEqual([
      { type: "session", sessionId: "s" },
      {
        type: "result",
        ok: true,
        text: "ok",
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

  it.each([
    [{ result: "x", is_error: true }, false],
    [{ result: "x", is_error: "no" }, false],
    [{ result: "x", is_error: null }, false],
    [{ subtype: "success" }, false],
    [{ subtype: "error_max_turns", result: "x" }, false],
    [{ subtype: "error_max_turns", is_error: false }, false],
    [{ subtype: "success", is_error: false }, true],
    [{ subtype: "success", result: "" }, true],
  ])("a result %j is good: %s", (fields, ok) => {
    expect(read("claude", { type: "result", ...fields })).toMatchObject([{ type: "result", ok }]);
  });

  it("adds up what several models used, subagents included", () => {
    const modelUsage = {
      big: {
        inputTokens: 1,
        outputTokens: 2,
        cacheReadInputTokens: 3,
        cacheCreationInputTokens: 4,
        costUSD: 0.5,
      },
      small: {
        inputTokens: 10,
        outputTokens: 20,
        cacheReadInputTokens: 30,
        cacheCreationInputTokens: 40,
        costUSD: 0.25,
      },
    };
    const usage = { inputTokens: 11, outputTokens: 22, cacheReadTokens: 33, cacheWriteTokens: 44 };
    const line = { type: "result", is_error: false, result: "", usage: { input_tokens: 999 }, modelUsage };
    expect(read("claude", line)).toMatchObject([{ usage: { ...usage, costUsd: 0.75 } }]);
    expect(read("claude", { ...line, total_cost_usd: 0.7 })).toMatchObject([
      { usage: { ...usage, costUsd: 0.7 } },
    ]);
  });

  it("shows the list of TodoWrite, but not that of a subagent", () => {
    const call = {
      type: "tool_use",
      id: "t",
      name: "TodoWrite",
      input: {
        todos: [
          { content: "a", status: "in_progress" },
          { content: "b", status: "completed" },
          { content: "c" },
        ],
      },
    };
    expect(read("claude", blocks(call)).at(-1)).toEqual({
      type: "todos",
      items: [
        { text: "a", state: "active" },
        { text: "b", state: "done" },
        { text: "c", state: "pending" },
      ],
    });
    const bySub = read("claude", { ...blocks(call), parent_tool_use_id: "p" });
    expect(bySub).toMatchObject([{ type: "tool.started", sub: "p" }]);
  });

  it("changes its task list only when the change came off", () => {
    const create = (id: string, subject: string) =>
      blocks({ type: "tool_use", id, name: "TaskCreate", input: { subject } });
    const done = (id: string, more: object, result?: unknown) =>
      outcome({ tool_use_id: id, ...more }, { tool_use_result: result });
    const events = read(
      "claude",
      create("1", "kept"),
      done("1", { content: "Task #7 created successfully: kept" }),
      create("2", "refused"),
      done("2", { content: "no", is_error: true }),
      blocks({ type: "tool_use", id: "3", name: "TaskUpdate", input: { taskId: "7", status: "completed" } }),
      done("3", { content: "Task not found" }, { success: false }),
    );
    expect(events.filter((event) => event.type === "todos")).toEqual([
      { type: "todos", items: [{ text: "kept", state: "pending" }] },
    ]);
  });

  it.each([
    ["Exit code 1\nThis command requires approval", false],
    ["Exit code 1\nrm was blocked. For security, Claude Code may only write", false],
    ["something else went wrong", false],
    ["Claude requested permissions to use mcp__x, but you haven't granted it yet.", true],
    ["Permission to use Bash with command rm -rf\n/ has been denied.", true],
  ])("a failed call that says %j was denied: %s", (content, denied) => {
    const [event] = read("claude", outcome({ content, is_error: true }));
    expect(event).toMatchObject({ type: "tool.ended", ok: false });
    expect(event !== undefined && "denied" in event && event.denied === true).toBe(denied);
  });

  it("does not take the output of a call that worked for a denial", () => {
    const [event] = read("claude", outcome({ content: "This command requires approval" }));
    expect(event).not.toHaveProperty("denied");
  });

  it("believes the decision that newer versions tell beside the outcome", () => {
    const meta = (id: string) => ({
      tool_result_meta: [{ id, permission_decision: { decision: "reject" } }],
    });
    expect(
      read("claude", outcome({ content: "a hook's own words", is_error: true }, meta("t"))),
    ).toMatchObject([{ denied: true }]);
    expect(read("claude", outcome({ content: "x", is_error: true }, meta("another")))[0]).not.toHaveProperty(
      "denied",
    );
  });

  it.each([
    [{ status: "rejected", resetsAt: 1_794_768_000, rateLimitType: "five_hour" }, 1_794_768_000_000],
    [{ status: "rejected", resetsAt: 1_794_768_000_000 }, 1_794_768_000_000],
  ])("tells when a plan's limit resets: %j", (rate_limit_info, retryAtMs) => {
    expect(read("claude", { type: "rate_limit_event", rate_limit_info })).toMatchObject([
      { type: "limited", scope: "quota", final: false, retryAtMs },
    ]);
  });

  it("only notes a plan's limit that is not reached", () => {
    const event = (status: string) => ({
      type: "rate_limit_event",
      rate_limit_info: { status, resetsAt: 1_794_768_000 },
    });
    expect(read("claude", event("allowed"))).toMatchObject([{ type: "notice", level: "debug" }]);
    expect(read("claude", event("allowed_warning"))).toMatchObject([{ type: "notice", level: "info" }]);
  });

  it("forgets the error of a request that was followed by a real answer", () => {
    const synthetic = {
      type: "assistant",
      error: "rate_limit",
      message: { model: "<synthetic>", content: [{ type: "text", text: "429" }] },
    };
    const last = { type: "result", subtype: "error_during_execution", is_error: true, errors: ["boom"] };
    expect(read("claude", synthetic, blocks({ type: "text", text: "hi" }), last).at(-1)).toMatchObject({
      error: "boom",
    });
    expect(read("claude", synthetic, last).at(-2)).toMatchObject({
      type: "limited",
      scope: "rate",
      final: true,
    });
  });

  it("keeps what it does not know", () => {
    const line = '{"type":"tomorrow","x":1}';
    expect(adapterFor("claude").parser().line(line)).toEqual([{ type: "unrecognised", line }]);
    expect(adapterFor("claude").parser().line("plain words")).toEqual([
      { type: "unrecognised", line: "plain words" },
    ]);
  });
});
