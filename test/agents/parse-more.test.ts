import { describe, expect, it } from "vitest";
import { adapterFor } from "../../src/agents/registry.ts";
import type { AgentEvent } from "../../src/events.ts";
import type { AgentKind } from "../../src/spec.ts";
import { facts, factsOf } from "./support.ts";

function read(kind: AgentKind, ...lines: unknown[]): AgentEvent[] {
  const parser = adapterFor(kind).parser();
  return lines.flatMap((line) => parser.line(JSON.stringify(line)));
}

/** Without what the program says about itself. */
function told(kind: AgentKind, ...lines: unknown[]): AgentEvent[] {
  return read(kind, ...lines).filter((event) => event.type !== "notice");
}

describe("copilot: what no capture shows", () => {
  const said = (content: string, rest: object = {}): object => ({
    type: "assistant.message",
    data: { content, ...rest },
  });

  it("takes no claim from a subagent", () => {
    const events = told("copilot", said("mine"), said("the other's", { parentToolCallId: "t1" }), {
      type: "result",
      exitCode: 0,
      sessionId: "s",
    });
    expect(events).toEqual([
      { type: "text", text: "mine" },
      { type: "text", text: "the other's", sub: "t1" },
      { type: "session", sessionId: "s" },
      { type: "result", ok: true, text: "mine" },
    ]);
  });

  it("claims nothing when it failed without a word, or told no exit code", () => {
    for (const result of [{ exitCode: 1 }, {}]) {
      expect(
        told("copilot", said("<response>DONE</response>"), { type: "result", ...result }).at(-1),
      ).toEqual({
        type: "result",
        ok: false,
        text: "",
        error: "the turn failed",
      });
    }
  });

  it("does not take the time that it has waited already for one to wait", () => {
    const message = "retried 5 times (total retry wait time: 57.35 seconds) Last error: 429 slow down";
    const events = read(
      "copilot",
      { type: "session.error", data: { message, statusCode: 429 } },
      { type: "result", exitCode: 1 },
    );
    const ending = adapterFor("copilot").classify(factsOf(events, { exitCode: 1 }));
    expect(ending).toEqual({
      kind: "limited",
      scope: "rate",
      message: "retried 5 times Last error: 429 slow down",
    });
  });

  it("knows its own kinds of line, and no others", () => {
    expect(read("copilot", { type: "hook.start", data: {} })).toMatchObject([{ type: "notice" }]);
    expect(read("copilot", { type: "weather" })).toMatchObject([{ type: "unrecognised" }]);
  });

  it("is unauthorised when it says at its start that nobody is logged in", () => {
    const stderrTail =
      "Error: No authentication information found.\n\nOne.\n\nTwo:\n  • Three\n  • Four\n  • Five\n  • Six\n";
    expect(adapterFor("copilot").classify(facts({ exitCode: 1, stderrTail }))).toEqual({
      kind: "unauthorised",
      message: "Error: No authentication information found.",
    });
  });
});

describe("gemini: what no capture shows", () => {
  const piece = (content: string): object => ({ type: "message", role: "assistant", content, delta: true });

  it("puts the pieces of a text together, and takes the last text for the final one", () => {
    const use = { type: "tool_use", tool_name: "glob", tool_id: "t", parameters: { pattern: "*.ts" } };
    const lines = [
      piece("I w"),
      piece("ill."),
      use,
      piece("Do"),
      piece("ne."),
      { type: "result", status: "success" },
    ];
    expect(told("gemini", ...lines)).toMatchObject([
      { type: "text", text: "I will." },
      { type: "tool.started", callId: "t", name: "glob", summary: "*.ts" },
      { type: "text", text: "Done." },
      { type: "result", ok: true, text: "Done." },
    ]);
  });

  it("shows its list", () => {
    const todos = [
      { description: "a", status: "completed" },
      { description: "b", status: "in_progress" },
    ];
    const use = { type: "tool_use", tool_name: "write_todos", tool_id: "t", parameters: { todos } };
    expect(told("gemini", use)[1]).toEqual({
      type: "todos",
      items: [
        { text: "a", state: "done" },
        { text: "b", state: "active" },
      ],
    });
  });

  it.each([
    [145, "unauthorised", undefined],
    [147, "unauthorised", undefined],
    [173, "limited", "rate"],
    [247, "limited", "overload"],
    [144, "error", undefined],
    [1, "error", undefined],
  ])("tells by its exit code %i what its words leave out: %s", (exitCode, kind, scope) => {
    const events = read("gemini", { type: "result", status: "error", error: { message: "no" } });
    const ending = adapterFor("gemini").classify(factsOf(events, { exitCode }));
    expect(ending).toEqual({ kind, message: "no", ...(scope === undefined ? {} : { scope }) });
  });

  it("is unauthorised when no way to log in is set", () => {
    const stderrTail =
      "YOLO mode is enabled.\nPlease set an Auth method in your /home/lab/.gemini/settings.json\n";
    expect(adapterFor("gemini").classify(facts({ exitCode: 41, stderrTail })).kind).toBe("unauthorised");
  });
});

describe("qwen: what no capture shows", () => {
  const result = (text: string): object => ({
    type: "result",
    subtype: "success",
    is_error: false,
    result: text,
  });

  it("shows its list", () => {
    const input = { todos: [{ id: "1", content: "a", status: "pending" }] };
    const block = { type: "tool_use", id: "t", name: "todo_write", input };
    expect(told("qwen", { type: "assistant", message: { content: [block] } })).toEqual([
      { type: "tool.started", callId: "t", name: "todo_write", summary: "todos (1)" },
      { type: "todos", items: [{ text: "a", state: "pending" }] },
    ]);
  });

  it.each([
    ["[API Error: 429 Too many requests, try again in 5s]", false],
    ["not yet 1[API Error: 401 bad]\n", false],
    ["I mended the handling of [API Error: 401 bad] in the client.", true],
    ["[API Error: 401", true],
    ["", true],
  ])("takes %j for finished: %s", (text, ok) => {
    const events = read("qwen", result(text));
    expect(events.at(-1)).toMatchObject({ type: "result", ok, text: ok ? text : "" });
    expect(adapterFor("qwen").classify(factsOf(events, { exitCode: 0 })).kind === "finished").toBe(ok);
  });

  it("reads a huge text with many beginnings of a failure in no time at all", () => {
    const text = `${"[API Error: ".repeat(200_000)}x`;
    expect(read("qwen", result(text)).at(-1)).toMatchObject({ ok: true });
  });
});

describe("opencode: what no capture shows", () => {
  it("adds up what its steps cost", () => {
    const step = (reason: string): object => ({
      type: "step_finish",
      part: {
        reason,
        tokens: { input: 10, output: 2, reasoning: 1, cache: { read: 5, write: 4 } },
        cost: 0.25,
      },
    });
    const spent = {
      inputTokens: 20,
      outputTokens: 6,
      cacheReadTokens: 10,
      cacheWriteTokens: 8,
      costUsd: 0.5,
    };
    expect(told("opencode", step("tool-calls"), step("stop")).at(-1)).toMatchObject({ usage: spent });
  });

  it.each(["length", "content-filter", "unknown"])(
    "is not finished when its last step ended by %s",
    (reason) => {
      const said = { type: "text", part: { text: "<response>DONE</response>" } };
      const events = read("opencode", said, { type: "step_finish", part: { reason } });
      expect(adapterFor("opencode").classify(factsOf(events, { exitCode: 0 })).kind).toBe("error");
    },
  );

  it("takes the summary of a conversation that it compacted for no answer", () => {
    const sessionID = "s";
    const summary = { type: "text", sessionID, part: { text: "<response>DONE</response>" } };
    const stop = { type: "step_finish", sessionID, part: { reason: "stop" } };
    const goOn = {
      type: "text",
      sessionID,
      part: { synthetic: true, text: "Continue if you have next steps" },
    };
    const events = read("opencode", summary, stop, goOn);
    expect(events.filter((event) => event.type === "text")).toHaveLength(1);
    // The last event is one of an agent at work: it may be silent for long now.
    expect(events.at(-1)).toEqual({ type: "session", sessionId: "s" });
    expect(adapterFor("opencode").classify(factsOf(events, { exitCode: 0 }))).toMatchObject({
      kind: "error",
      message: expect.stringMatching(/compacted/),
    });
    const answer = { type: "text", sessionID, part: { text: "Not yet." } };
    expect(read("opencode", summary, stop, goOn, answer, stop).at(-1)).toMatchObject({
      ok: true,
      text: "Not yet.",
    });
  });

  it("is unauthorised without a key", () => {
    const error = { name: "ProviderAuthError", data: { providerID: "x", message: "no key for x" } };
    const events = read("opencode", { type: "error", error });
    expect(adapterFor("opencode").classify(factsOf(events, { exitCode: 1 }))).toEqual({
      kind: "unauthorised",
      message: "authentication failed: no key for x",
    });
  });

  it.each([
    "The user rejected permission to use this specific tool call.",
    "The user has specified a rule which prevents you from using this specific tool call.",
  ])("was denied: %s", (error) => {
    const part = { tool: "bash", callID: "c", state: { status: "error", input: { command: "ls" }, error } };
    expect(told("opencode", { type: "tool_use", part })[1]).toMatchObject({ ok: false, denied: true });
  });
});

describe("cursor, by its documentation", () => {
  const cursor = adapterFor("cursor");

  it.each([
    ["Error: Not authenticated. Run cursor-agent login.", { kind: "unauthorised" }],
    ["Error: You've hit your usage limit. Try again in 2h.", { kind: "limited", scope: "quota" }],
    ["Error: getaddrinfo ENOTFOUND api.example.com", { kind: "limited", scope: "offline" }],
    ["Error: something else", { kind: "error" }],
  ])("tells from its last words how a turn without a result ended: %s", (line, ending) => {
    const events = read("cursor", { type: "system", subtype: "init", session_id: "s" });
    expect(cursor.classify(factsOf(events, { exitCode: 1, stderrTail: `${line}\n` }))).toMatchObject(ending);
  });

  it("takes a result that is an error for none, and what it says for no claim", () => {
    const result = { type: "result", subtype: "error", is_error: true, result: "<response>DONE</response>" };
    expect(read("cursor", result)).toMatchObject([{ ok: false, text: "" }]);
  });

  it("takes the whole result for its final text when the last message is not its end", () => {
    const said = { type: "assistant", message: { content: [{ type: "text", text: "one" }] } };
    const result = { type: "result", subtype: "success", is_error: false, result: "one two" };
    expect(read("cursor", said, result).at(-1)).toMatchObject({ ok: true, text: "one two" });
  });
});
