import { line, SESSION, STATES, STATUS, type Todos, type Voice } from "./voice.ts";

interface Call {
  readonly name: string;
  readonly input: object;
}

const listOf = (items: Todos) => items.map((one) => ({ content: one.text, status: STATES[one.state] }));

/** How Copilot speaks. */
export function copilotVoice(): Voice {
  const event = (type: string, data: object) => line({ type, data, id: "e", parentId: "p" });
  const result = (exitCode: number) =>
    line({ type: "result", sessionId: SESSION, exitCode, usage: { premiumRequests: 0 } });
  return {
    begin: () => event("session.tools_updated", { model: "scripted" }),
    say: (text) => event("assistant.message", { content: text, toolRequests: [] }),
    think: (text) => event("assistant.reasoning", { content: text }),
    subagent: (text) => event("assistant.message", { content: text, parentToolCallId: "toolu_sub" }),
    todos: () => [],
    toolStarted: (id, name, input) =>
      event("tool.execution_start", { toolCallId: id, toolName: name, arguments: input }),
    toolEnded: (id, output, how) =>
      event("tool.execution_complete", {
        toolCallId: id,
        success: how.denied !== true,
        ...(how.denied === true
          ? { error: { message: output, code: "denied" } }
          : { result: { content: output }, shellExecution: { exitCode: how.ok ? 0 : 1 } }),
      }),
    end: () => result(0),
    fail: (failure, message) => [
      ...event("session.error", { errorType: "query", message, statusCode: STATUS[failure] }),
      ...result(1),
    ],
  };
}

/** How Gemini speaks. */
export function geminiVoice(): Voice {
  const used = (id: string, name: string, input: object) =>
    line({ type: "tool_use", tool_id: id, tool_name: name, parameters: input });
  const half = (text: string) => Math.ceil(text.length / 2);
  const piece = (content: string) => line({ type: "message", role: "assistant", content, delta: true });
  return {
    begin: () => line({ type: "init", session_id: SESSION, model: "scripted" }),
    say: (text) => [...piece(text.slice(0, half(text))), ...piece(text.slice(half(text)))],
    think: () => [],
    subagent: () => [],
    todos: (items) => used("todos", "write_todos", { todos: listOf(items) }),
    toolStarted: used,
    toolEnded: (id, output, how) =>
      line({ type: "tool_result", tool_id: id, status: how.ok ? "success" : "error", output }),
    end: (_final, usage) =>
      line({
        type: "result",
        status: "success",
        stats: {
          input_tokens: usage.inputTokens + usage.cacheReadTokens,
          output_tokens: usage.outputTokens,
          cached: usage.cacheReadTokens,
        },
      }),
    fail: (failure, message) => {
      const error = JSON.stringify({ error: { code: STATUS[failure], message } });
      return line({ type: "result", status: "error", error: { message: `[API Error: ${error}]` } });
    },
    failCode: (failure) => STATUS[failure] % 256,
  };
}

/** How Qwen speaks: Claude's lines, and a failure that looks like an answer. */
export function qwenVoice(): Voice {
  const message = (role: "assistant" | "user", block: object, parent: string | null = null) =>
    line({ type: role, message: { role, content: [block] }, parent_tool_use_id: parent });
  const say = (text: string) => message("assistant", { type: "text", text });
  const result = (rest: object) =>
    line({ type: "result", subtype: "success", is_error: false, num_turns: 1, ...rest });
  const started = (id: string, name: string, input: object) =>
    message("assistant", { type: "tool_use", id, name, input });
  return {
    begin: () => line({ type: "system", subtype: "init", session_id: SESSION, model: "scripted" }),
    say,
    think: (text) => message("assistant", { type: "thinking", thinking: text }),
    subagent: (text) => message("assistant", { type: "text", text }, "toolu_sub"),
    todos: (items) => started("todos", "todo_write", { todos: listOf(items) }),
    toolStarted: started,
    toolEnded: (id, output, how) =>
      message("user", { type: "tool_result", tool_use_id: id, content: output, is_error: !how.ok }),
    end: (final, usage, denials) =>
      result({
        result: final,
        usage: {
          input_tokens: usage.inputTokens + usage.cacheReadTokens,
          output_tokens: usage.outputTokens,
          cache_read_input_tokens: usage.cacheReadTokens,
        },
        permission_denials: Array.from({ length: denials }, () => ({ tool_name: "run_shell_command" })),
      }),
    fail: (failure, words) => {
      const text = `[API Error: ${STATUS[failure]} ${words}]`;
      return [...say(text), ...result({ result: text })];
    },
    failCode: () => 0,
  };
}

/** How OpenCode speaks: a call is told when it is over, and the last step is the end. */
export function opencodeVoice(): Voice {
  const event = (type: string, part: object) => line({ type, timestamp: 0, sessionID: SESSION, part });
  const calls = new Map<string, Call>();
  const over = (id: string, call: Call, rest: object) =>
    event("tool_use", { type: "tool", tool: call.name, callID: id, state: { input: call.input, ...rest } });
  return {
    begin: () => event("step_start", { type: "step-start" }),
    say: (text) => event("text", { type: "text", text }),
    think: (text) => event("reasoning", { type: "reasoning", text }),
    subagent: () => [],
    todos: (items) =>
      over(
        "todos",
        { name: "todowrite", input: { todos: listOf(items) } },
        { status: "completed", output: "" },
      ),
    toolStarted: (id, name, input) => {
      calls.set(id, { name, input });
      return [];
    },
    toolEnded: (id, output, how) => {
      const call = calls.get(id) ?? { name: "tool", input: {} };
      if (how.denied !== true)
        return over(id, call, { status: "completed", output, metadata: { exit: how.ok ? 0 : 1 } });
      const error = "The user rejected permission to use this specific tool call.";
      return over(id, call, { status: "error", error });
    },
    end: (_final, usage) =>
      event("step_finish", {
        type: "step-finish",
        reason: "stop",
        tokens: {
          input: usage.inputTokens,
          output: usage.outputTokens,
          reasoning: 0,
          cache: { read: usage.cacheReadTokens, write: usage.cacheWriteTokens },
        },
        cost: usage.costUsd,
      }),
    fail: (failure, message) =>
      line({
        type: "error",
        sessionID: SESSION,
        error: { name: "APIError", data: { message, statusCode: STATUS[failure] } },
      }),
  };
}

/** How Cursor speaks, by its documentation: a failed turn has no result, and standard error says why. */
export function cursorVoice(): Voice {
  const calls = new Map<string, Call>();
  const call = (subtype: "started" | "completed", id: string, of: Call, rest: object) =>
    line({
      type: "tool_call",
      subtype,
      call_id: id,
      tool_call: { [`${of.name}ToolCall`]: { args: of.input, ...rest } },
    });
  return {
    begin: () => line({ type: "system", subtype: "init", session_id: SESSION, model: "scripted" }),
    say: (text) =>
      line({ type: "assistant", message: { role: "assistant", content: [{ type: "text", text }] } }),
    think: (text) => [
      ...line({ type: "thinking", subtype: "delta", text }),
      ...line({ type: "thinking", subtype: "completed" }),
    ],
    subagent: () => [],
    todos: (items) => call("started", "todos", { name: "updateTodos", input: { todos: listOf(items) } }, {}),
    toolStarted: (id, name, input) => {
      calls.set(id, { name, input });
      return call("started", id, { name, input }, {});
    },
    toolEnded: (id, output, how) => {
      const of = calls.get(id) ?? { name: "tool", input: {} };
      const result =
        how.denied === true
          ? { rejected: { reason: output } }
          : { success: { stdout: output, exitCode: how.ok ? 0 : 1 } };
      return call("completed", id, of, { result });
    },
    end: (final, usage) =>
      line({
        type: "result",
        subtype: "success",
        is_error: false,
        result: final,
        usage: {
          inputTokens: usage.inputTokens,
          outputTokens: usage.outputTokens,
          cacheReadTokens: usage.cacheReadTokens,
          cacheWriteTokens: usage.cacheWriteTokens,
        },
      }),
    fail: () => [],
    complain: (message) => `Error: ${message}\n`,
  };
}
