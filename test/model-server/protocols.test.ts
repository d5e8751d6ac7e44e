import { describe, expect, test } from "vitest";
import { type JsonObject, objectAt, stringAt } from "../../src/agents/json.ts";
import { ANTHROPIC, CHAT, eventsOf, GEMINI, playing, post, RESPONSES, textOf, WAYS } from "./asking.ts";
import { call, fail, run, say, write } from "./script.ts";

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
