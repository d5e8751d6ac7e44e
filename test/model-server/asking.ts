import { afterEach, expect } from "vitest";
import type { JsonObject } from "../../src/agents/json.ts";
import type { Script } from "./script.ts";
import { type ModelServer, modelServer } from "./server.ts";

const open: ModelServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

/** A server that plays a script, closed after the test. */
export async function playing(script: Script, folder?: string): Promise<ModelServer> {
  const server = await modelServer(script, folder);
  open.push(server);
  return server;
}

/** Asks it by a real request. */
export function post(server: ModelServer, path: string, body: JsonObject): Promise<Response> {
  return fetch(`${server.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** The data of every server-sent event of an answer. */
export async function eventsOf(response: Response): Promise<JsonObject[]> {
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
export const ANTHROPIC = {
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
export const RESPONSES = {
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
export const CHAT = {
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
export const GEMINI = {
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
/** Protocol, address, question. */
export const WAYS = [
  ["anthropic", "/v1/messages?beta=true", ANTHROPIC],
  ["responses", "/v1/responses", RESPONSES],
  ["chat", "/v1/chat/completions", CHAT],
  ["gemini", "/v1beta/models/gemini-pro:streamGenerateContent?alt=sse", GEMINI],
] as const;

/** Everything that an answer says in words, whatever its protocol. */
export function textOf(events: readonly JsonObject[]): string {
  const texts = JSON.stringify(events).matchAll(
    /"(?:text_delta","text|delta|content|parts":\[\{"text)":"([^"]*)"/g,
  );
  return [...texts].map((match) => match[1]).join("");
}
