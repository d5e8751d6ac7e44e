import { afterEach, describe, expect, test } from "vitest";
import { type JsonObject, objectAt, stringAt } from "../../src/agents/json.ts";
import { call, fail, run, type Script, say, scenes, write } from "./script.ts";
import { type ModelServer, modelServer } from "./server.ts";

const open: ModelServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function playing(script: Script, folder?: string): Promise<ModelServer> {
  const server = await modelServer(script, folder);
  open.push(server);
  return server;
}

function post(server: ModelServer, path: string, body: JsonObject): Promise<Response> {
  return fetch(`${server.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** The data of every server-sent event of an answer. */
async function eventsOf(response: Response): Promise<JsonObject[]> {
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const text = await response.text();
  return text
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => /^(?:event: \S+\n)?data: (.*)$/s.exec(event)?.[1] ?? `not an event: ${event}`)
    .filter((data) => data !== "[DONE]")
    .map((data) => JSON.parse(data));
}

const FILE = {
  type: "object",
  properties: { file_path: { type: "string" }, content: { type: "string" } },
  required: ["file_path", "content"],
};
const SHELL = {
  type: "object",
  properties: { command: { type: "string" }, is_background: { type: "boolean" }, why: { type: "string" } },
  required: ["command", "is_background"],
};

/** The same question in the four protocols, with tools under the names of four programs. */
const ANTHROPIC = {
  model: "claude",
  stream: true,
  max_tokens: 100,
  system: [{ type: "text", text: "Be good." }],
  messages: [{ role: "user", content: "Do it." }],
  tools: [
    { name: "Write", input_schema: FILE },
    { name: "Bash", input_schema: SHELL },
  ],
};
const RESPONSES = {
  model: "gpt",
  stream: true,
  instructions: "Be good.",
  input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "Do it." }] }],
  tools: [
    { type: "function", name: "exec_command", parameters: { properties: { cmd: { type: "string" } } } },
    { type: "custom", name: "apply_patch", format: {} },
    { type: "web_search" },
  ],
};
const CHAT = {
  model: "gpt",
  stream: true,
  messages: [
    { role: "system", content: "Be good." },
    { role: "user", content: "Do it." },
  ],
  tools: [
    { type: "function", function: { name: "write_file", parameters: FILE } },
    { type: "function", function: { name: "run_shell_command", parameters: SHELL } },
  ],
};
const GEMINI = {
  systemInstruction: { parts: [{ text: "Be good." }] },
  contents: [{ role: "user", parts: [{ text: "Do it." }] }],
  tools: [
    {
      functionDeclarations: [
        { name: "write_file", parametersJsonSchema: FILE },
        { name: "run_shell_command", parameters: SHELL },
      ],
    },
  ],
};
const WAYS = [
  ["anthropic", "/v1/messages?beta=true", ANTHROPIC],
  ["responses", "/v1/responses", RESPONSES],
  ["chat", "/v1/chat/completions", CHAT],
  ["gemini", "/v1beta/models/gemini-pro:streamGenerateContent?alt=sse", GEMINI],
] as const;

/** Everything that an answer says in words, whatever its protocol. */
function textOf(events: readonly JsonObject[]): string {
  const texts = JSON.stringify(events).matchAll(
    /"(?:text_delta","text|delta|content|parts":\[\{"text)":"([^"]*)"/g,
  );
  return [...texts].map((match) => match[1]).join("");
}

describe.each(WAYS)("%s", (name, path, body) => {
  test("says what the script says, in pieces, and keeps what was asked", async () => {
    const server = await playing([say("All is done."), say("Again.")]);
    const events = await eventsOf(await post(server, path, body));
    expect(textOf(events)).toBe("All is done.");
    expect(server.asked()).toMatchObject([{ n: 0, system: "Be good.", heard: ["Do it."], results: [] }]);
    expect(textOf(await eventsOf(await post(server, path, body)))).toBe("Again.");
    // A list that is over calls nothing more.
    expect(textOf(await eventsOf(await post(server, path, body)))).toContain("nothing more");
    expect(server.requests.map((request) => request.path)).toEqual([path, path, path]);
    expect(server.faults).toEqual([]);
  });

  test("writes files and runs commands by the tools that are offered", async () => {
    const server = await playing([write("a.txt", "one\ntwo\n"), run("ls")], "/project");
    const wrote = JSON.stringify(await eventsOf(await post(server, path, body)));
    const ran = JSON.stringify(await eventsOf(await post(server, path, body)));
    const [writer, runner] = {
      anthropic: ["Write", "Bash"],
      responses: ["apply_patch", "exec_command"],
      chat: ["write_file", "run_shell_command"],
      gemini: ["write_file", "run_shell_command"],
    }[name];
    expect(wrote).toContain(`"name":"${writer}"`);
    expect(wrote).toContain("/project/a");
    expect(ran).toContain(`"name":"${runner}"`);
    expect(server.faults).toEqual([]);
  });

  test("turns down with status, body and retry-after, as often as it is told to", async () => {
    const server = await playing([fail(429, { message: "slow down", retryAfter: 3, times: 2 }), say("now")]);
    for (let n = 0; n < 2; n++) {
      const refused = await post(server, path, body);
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "3"]);
      expect(await refused.json()).toMatchObject({ error: { message: "slow down" } });
    }
    expect((await post(server, path, body)).status).toBe(200);
  });

  test("is cut in the middle of the stream", async () => {
    const server = await playing([{ say: "one two three four", breaks: "cut" }]);
    const response = await post(server, path, body);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  });

  test("stalls in the middle of the stream until the client has had enough", async () => {
    const server = await playing([{ say: "one two three four", breaks: "stall" }]);
    const reader = (await post(server, path, body)).body?.getReader();
    const first = await reader?.read();
    expect(first?.done).toBe(false);
    const more = new Promise((resolve) => setTimeout(resolve, 200, "silence"));
    // The rest of what was on its way may come in one more piece; after that nothing does.
    const rest = (async () => {
      for (let part = await reader?.read(); part?.done === false; part = await reader?.read());
      return "the end";
    })();
    expect(await Promise.race([rest, more])).toBe("silence");
    await reader?.cancel();
  });

  test("a call of a tool that is not offered is a fault, not a mystery", async () => {
    const server = await playing([call("Teleport", {})]);
    const refused = await post(server, path, body);
    expect(refused.status).toBe(400);
    expect(server.faults).toEqual([expect.stringContaining("the script calls Teleport; offered are: ")]);
  });
});

test("anthropic's events come in their order, with the stop reason and the tokens", async () => {
  const server = await playing([
    { think: "hm", say: "Look.", calls: [{ run: "ls" }], tokens: { input: 7, output: 3 } },
  ]);
  const events = await eventsOf(await post(server, "/v1/messages", ANTHROPIC));
  expect(events.map((event) => event["type"]).filter((type, n, all) => type !== all[n - 1])).toEqual([
    "message_start",
    ...Array(3).fill(["content_block_start", "content_block_delta", "content_block_stop"]).flat(),
    "message_delta",
    "message_stop",
  ]);
  expect(events.at(-2)).toMatchObject({
    delta: { stop_reason: "tool_use" },
    usage: { input_tokens: 7, output_tokens: 3 },
  });
  const partial = events.map((event) => stringAt(objectAt(event, "delta"), "partial_json") ?? "");
  expect(JSON.parse(partial.join(""))).toEqual({ command: "ls", is_background: false });
});

test("responses end with the whole answer; a patch goes to the freeform tool", async () => {
  const server = await playing([{ calls: [{ write: "a/b.txt", text: "one\n" }] }]);
  const events = await eventsOf(await post(server, "/v1/responses", RESPONSES));
  expect(events.map((event) => event["sequence_number"])).toEqual(events.map((_, n) => n));
  expect(events.at(-1)).toMatchObject({
    type: "response.completed",
    response: {
      status: "completed",
      output: [
        {
          type: "custom_tool_call",
          name: "apply_patch",
          input: "*** Begin Patch\n*** Add File: a/b.txt\n+one\n*** End Patch\n",
        },
      ],
    },
  });
});

test("without a stream the answer comes whole", async () => {
  const server = await playing([say("A"), say("B"), say("C"), say("D")]);
  const whole = async (path: string, body: JsonObject) => (await post(server, path, body)).json();
  expect(await whole("/v1/messages", { ...ANTHROPIC, stream: false })).toMatchObject({
    content: [{ type: "text", text: "A" }],
    stop_reason: "end_turn",
  });
  expect(await whole("/v1/responses", { ...RESPONSES, stream: false })).toMatchObject({
    output: [{ content: [{ type: "output_text", text: "B" }] }],
  });
  expect(await whole("/v1/chat/completions", { ...CHAT, stream: false })).toMatchObject({
    choices: [{ message: { content: "C" }, finish_reason: "stop" }],
  });
  expect(await whole("/v1beta/models/x:generateContent", GEMINI)).toMatchObject({
    candidates: [{ content: { parts: [{ text: "D" }] }, finishReason: "STOP" }],
  });
});

test("what tools gave back is kept apart from what was said", async () => {
  const server = await playing([]);
  await post(server, "/v1/messages", {
    ...ANTHROPIC,
    messages: [
      { role: "user", content: "Do it." },
      { role: "assistant", content: [{ type: "tool_use", id: "1", name: "Bash", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "1", content: "a.txt" }] },
    ],
  });
  await post(server, "/v1/responses", {
    ...RESPONSES,
    input: [...RESPONSES.input, { type: "function_call" }, { type: "function_call_output", output: "b.txt" }],
  });
  await post(server, "/v1/chat/completions", {
    ...CHAT,
    messages: [...CHAT.messages, { role: "assistant" }, { role: "tool", content: "c.txt" }],
  });
  expect(server.asked().map((asked) => [asked.heard, asked.results])).toEqual([
    [["Do it."], ["a.txt"]],
    [["Do it."], ["b.txt"]],
    [["Do it."], ["c.txt"]],
  ]);
});

test("side questions are answered, and eat nothing of the script", async () => {
  const server = await playing([say("the work")]);
  const bare = { ...ANTHROPIC, tools: [], stream: false };
  const form = { type: "object", properties: { title: { type: "string" } }, required: ["title"] };
  const titled = await post(server, "/v1/messages", {
    ...bare,
    output_config: { format: { type: "json_schema", schema: form } },
  });
  const [block] = ((await titled.json()) as { content: { text: string }[] }).content;
  expect(Object.keys(JSON.parse(block?.text ?? ""))).toEqual(["title"]);
  expect((await post(server, "/v1/messages", { ...bare, max_tokens: 1 })).status).toBe(200);
  const naming = [{ role: "system", content: "You are a title generator." }, ...CHAT.messages];
  await post(server, "/v1/chat/completions", { ...CHAT, tools: [], messages: naming });
  const helper = { role: "system", content: "You are now acting as the managed memory extraction subagent." };
  await post(server, "/v1/chat/completions", { ...CHAT, messages: [helper, ...CHAT.messages] });
  expect(await (await post(server, "/v1/messages/count_tokens", ANTHROPIC)).json()).toEqual({
    input_tokens: 10,
  });
  expect(await (await post(server, "/v1beta/models/x:countTokens", GEMINI)).json()).toEqual({
    totalTokens: 10,
  });
  expect(await (await fetch(`${server.url}/v1/models`)).json()).toMatchObject({ data: [] });
  expect((await fetch(server.url, { method: "HEAD" })).status).toBe(200);
  expect(server.asked()).toEqual([]);
  expect(server.faults).toEqual([]);
  expect(textOf(await eventsOf(await post(server, "/v1/messages", ANTHROPIC)))).toBe("the work");
});

test("a function decides, scenes keep conversations apart, and a test can wait for a request", async () => {
  const server = await playing(({ n, heard }) => say(`${n}: ${heard.at(-1)}`));
  const ask = async (text: string) =>
    textOf(
      await eventsOf(
        await post(server, "/v1/messages", { ...ANTHROPIC, messages: [{ role: "user", content: text }] }),
      ),
    );
  const second = server.arrival(2);
  expect(await ask("one")).toBe("0: one");
  expect(await ask("two")).toBe("1: two");
  expect((await second).heard).toEqual(["two"]);
  server.play(scenes({ red: [say("r1"), say("r2")], blue: [say("b1")] }));
  expect([await ask("the red one"), await ask("the blue one"), await ask("the red one")]).toEqual([
    "r1",
    "b1",
    "r2",
  ]);
  expect(await ask("the green one")).toContain("nothing more");
});

test("what nobody knows is a fault", async () => {
  const server = await playing([]);
  expect((await post(server, "/v2/telemetry", {})).status).toBe(404);
  expect(server.faults).toEqual(["nobody knows POST /v2/telemetry"]);
});
