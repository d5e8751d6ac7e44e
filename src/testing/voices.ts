import { copilotVoice, cursorVoice, geminiVoice, opencodeVoice, qwenVoice } from "./more-voices.ts";
import type { Script } from "./script.ts";
import { type Failure, line, SESSION, STATES, STATUS, type Voice } from "./voice.ts";

function claudeVoice(): Voice {
  const assistant = (block: object, parent: string | null = null) =>
    line({
      type: "assistant",
      message: { role: "assistant", content: [block] },
      parent_tool_use_id: parent,
      session_id: SESSION,
    });
  const result = (rest: object) =>
    line({ type: "result", subtype: "success", session_id: SESSION, num_turns: 1, ...rest });
  return {
    begin: () => line({ type: "system", subtype: "init", session_id: SESSION, model: "scripted", tools: [] }),
    say: (text) => assistant({ type: "text", text }),
    think: (text) => assistant({ type: "thinking", thinking: text }),
    subagent: (text) => assistant({ type: "text", text }, "toolu_sub"),
    todos: (items) =>
      assistant({
        type: "tool_use",
        id: "toolu_todos",
        name: "TodoWrite",
        input: { todos: items.map((one) => ({ content: one.text, status: STATES[one.state] })) },
      }),
    toolStarted: (id, name, input) => assistant({ type: "tool_use", id, name, input }),
    toolEnded: (id, output, how) =>
      line({
        type: "user",
        message: {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: id, content: output, is_error: !how.ok }],
        },
        parent_tool_use_id: null,
        session_id: SESSION,
      }),
    end: (final, usage, denials) =>
      result({
        is_error: false,
        result: final,
        stop_reason: "end_turn",
        terminal_reason: "completed",
        total_cost_usd: usage.costUsd,
        usage: {
          input_tokens: usage.inputTokens,
          output_tokens: usage.outputTokens,
          cache_read_input_tokens: usage.cacheReadTokens,
          cache_creation_input_tokens: usage.cacheWriteTokens,
        },
        permission_denials: Array.from({ length: denials }, () => ({ tool_name: "Bash" })),
      }),
    fail: (failure, message) =>
      result({
        is_error: true,
        api_error_status: STATUS[failure],
        terminal_reason: failure === "context" ? "prompt_too_long" : "completed",
        result: message,
      }),
  };
}

function codexVoice(): Voice {
  const item = (kind: "started" | "completed", rest: object) => line({ type: `item.${kind}`, item: rest });
  return {
    begin: () => [...line({ type: "thread.started", thread_id: SESSION }), ...line({ type: "turn.started" })],
    say: (text) => item("completed", { id: "m", type: "agent_message", text }),
    think: (text) => item("completed", { id: "r", type: "reasoning", text }),
    subagent: () => [],
    todos: (items) =>
      item("completed", {
        id: "t",
        type: "todo_list",
        items: items.map((one) => ({ text: one.text, completed: one.state === "done" })),
      }),
    toolStarted: (id, name, input) =>
      item("started", {
        id,
        type: "command_execution",
        command: input["command"] ?? name,
        status: "in_progress",
      }),
    toolEnded: (id, output, how) =>
      item("completed", {
        id,
        type: "command_execution",
        command: "",
        aggregated_output: output,
        exit_code: how.ok ? 0 : 1,
        status: how.ok ? "completed" : "failed",
      }),
    end: (final, usage) => [
      ...(final === "" ? [] : item("completed", { id: "f", type: "agent_message", text: final })),
      ...line({
        type: "turn.completed",
        usage: {
          input_tokens: usage.inputTokens + usage.cacheReadTokens,
          cached_input_tokens: usage.cacheReadTokens,
          output_tokens: usage.outputTokens,
        },
      }),
    ],
    fail: (_failure, message) => [
      ...line({ type: "error", message }),
      ...line({ type: "turn.failed", error: { message } }),
    ],
  };
}

function textVoice(): Voice {
  return {
    begin: () => [],
    say: (text) => [text],
    think: () => [],
    subagent: () => [],
    todos: () => [],
    toolStarted: () => [],
    toolEnded: () => [],
    end: (final) => (final === "" ? [] : [final]),
    fail: (_failure, message) => [message],
  };
}

const VOICES: Readonly<Record<NonNullable<Script["voice"]>, () => Voice>> = {
  claude: claudeVoice,
  amp: claudeVoice, // it speaks as Claude does
  codex: codexVoice,
  copilot: copilotVoice,
  gemini: geminiVoice,
  qwen: qwenVoice,
  opencode: opencodeVoice,
  cursor: cursorVoice,
  text: textVoice,
};

/** The voice of an agent program. */
export function voiceOf(name: Script["voice"]): Voice {
  return VOICES[name ?? "claude"]();
}

/** What each failure says when the script gives no words of its own. */
export const FAILURES: Readonly<Record<Failure, string>> = {
  rate: "API Error: Request rejected (429) · This request would exceed your rate limit",
  quota: "You've hit your usage limit. Try again in 1h.",
  auth: "unexpected status 401 Unauthorized: invalid api key",
  context: "Codex ran out of room in the model's context window: prompt is too long",
  server: "API Error: 500 Internal server error",
};
