import { expect, test } from "vitest";
import { ANTHROPIC, CHAT, eventsOf, GEMINI, playing, post, RESPONSES, textOf } from "./asking.ts";
import { say, scenes } from "./script.ts";

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
