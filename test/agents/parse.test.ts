import { describe, expect, it } from "vitest";
import { adapterFor } from "../../src/agents/registry.ts";
import type { AgentEvent } from "../../src/events.ts";
import type { AgentKind } from "../../src/spec.ts";

function read(kind: AgentKind, ...lines: unknown[]): AgentEvent[] {
  const parser = adapterFor(kind).parser();
  return lines.flatMap((line) => parser.line(JSON.stringify(line)));
}

describe("codex: what no capture shows", () => {
  const item = (stage: string, fields: object): object => ({
    type: `item.${stage}`,
    item: { id: "i", ...fields },
  });

  it("gives a call that is only told when it is over its beginning", () => {
    const search = { type: "web_search", query: "ralph loop" };
    expect(read("codex", item("completed", search))).toEqual([
      { type: "tool.started", callId: "i", name: "WebSearch", summary: "ralph loop" },
      { type: "tool.ended", callId: "i", ok: true, output: "", lines: 0, chars: 0 },
    ]);
  });

  it("begins a call once, however often it is told", () => {
    const call = {
      type: "mcp_tool_call",
      server: "docs",
      tool: "find",
      arguments: { query: "q" },
      status: "in_progress",
    };
    const over = {
      ...call,
      status: "completed",
      result: { content: [{ type: "text", text: "one" }, { type: "image" }] },
    };
    expect(read("codex", item("started", call), item("updated", call), item("completed", over))).toEqual([
      { type: "tool.started", callId: "i", name: "docs.find", summary: "q" },
      { type: "notice", level: "debug", text: "item.updated: docs.find" },
      { type: "tool.ended", callId: "i", ok: true, output: "one\n[image]", lines: 2, chars: 11 },
    ]);
  });

  it("begins a call anew when its id is used again", () => {
    const search = item("completed", { type: "web_search", query: "q" });
    expect(read("codex", search, search).map((event) => event.type)).toEqual([
      "tool.started",
      "tool.ended",
      "tool.started",
      "tool.ended",
    ]);
  });

  it("tells a failed, a declined and an unfinished call", () => {
    const call = (status: string) => item("completed", { type: "command_execution", command: "ls", status });
    expect(read("codex", call("failed"))[1]).toMatchObject({ ok: false });
    expect(read("codex", call("failed"))[1]).not.toHaveProperty("denied");
    expect(read("codex", call("declined"))[1]).toMatchObject({ ok: false, denied: true });
    const mcp = { type: "mcp_tool_call", status: "failed", error: { message: "no such tool" } };
    expect(read("codex", item("completed", mcp))[1]).toMatchObject({ ok: false, output: "no such tool" });
  });

  it.each([
    ["/bin/bash -lc 'ls -l'", "ls -l"],
    ["bash -lc ls", "ls"],
    ["/bin/sh -c \"echo 'a b'\"", "echo 'a b'"],
    ["/bin/bash -lc 'open", "/bin/bash -lc 'open"],
    ["git push", "git push"],
    ["/bin/zsh -lc ls -l", "/bin/zsh -lc ls -l"],
  ])("shows of %s what it runs", (command, summary) => {
    expect(read("codex", item("started", { type: "command_execution", command }))).toMatchObject([
      { summary },
    ]);
  });

  it("shows a list that is under way", () => {
    const list = {
      type: "todo_list",
      items: [
        { text: "a", completed: true },
        { text: "b", completed: false },
      ],
    };
    expect(read("codex", item("updated", list))).toEqual([
      {
        type: "todos",
        items: [
          { text: "a", state: "done" },
          { text: "b", state: "pending" },
        ],
      },
    ]);
  });

  it("does not claim for a failed turn what was said before it failed", () => {
    const said = item("completed", { type: "agent_message", text: "<response>DONE</response>" });
    expect(read("codex", said, { type: "turn.failed", error: { message: "boom" } }).at(-1)).toEqual({
      type: "result",
      ok: false,
      text: "",
      error: "boom",
    });
  });

  it("never counts less than nothing", () => {
    const usage = { input_tokens: 5, cached_input_tokens: 9, output_tokens: -3 };
    expect(read("codex", { type: "turn.completed", usage })).toMatchObject([
      { usage: { inputTokens: 0, cacheReadTokens: 9, outputTokens: 0 } },
    ]);
  });
});

describe("custom", () => {
  it("takes every line for something said, JSON or not", () => {
    const parser = adapterFor("custom").parser();
    expect(['  {"type":"result"}', "", "two"].flatMap((line) => parser.line(line))).toEqual([
      { type: "text", text: '  {"type":"result"}' },
      { type: "text", text: "two" },
    ]);
  });
});
