import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { type JsonObject, parseObject, stringAt } from "../../src/agents/json.ts";
import { anthropic } from "./anthropic.ts";
import { auxiliaryAnswer, isAuxiliary } from "./auxiliary.ts";
import { chat } from "./chat.ts";
import { gemini } from "./gemini.ts";
import type { Protocol, Spoken } from "./protocol.ts";
import { responses } from "./responses.ts";
import {
  type Answer,
  type Asked,
  type Call,
  type Conversation,
  OVER,
  player,
  type Refusal,
  type Script,
} from "./script.ts";
import { spokenCall } from "./tools.ts";

/** One request as it came. */
export interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: JsonObject;
  /** What was asked of the model; absent for lists, counts, probes and the program's own side questions. */
  readonly asked?: Asked;
}

export interface ModelServer {
  /** `http://127.0.0.1:PORT`, without a path. */
  readonly url: string;
  /** Every request, in the order in which they came. */
  readonly requests: readonly Recorded[];
  /** What was asked of the model, in order. */
  asked(): readonly Asked[];
  /** Resolves when so many requests have been made of the model, and gives the last of these. */
  arrival(count: number): Promise<Asked>;
  /** Where the script did not fit what the program offers, and requests that nobody knows. A test expects none. */
  readonly faults: readonly string[];
  /** Plays another script from now on. */
  play(script: Script): void;
  close(): Promise<void>;
}

/**
 * A model server of the test's own on a free port of 127.0.0.1. It speaks four protocols and plays one script. Files that
 * the script writes are named from `folder`: some programs take absolute paths only.
 */
export async function modelServer(script: Script = [], folder?: string): Promise<ModelServer> {
  const requests: Recorded[] = [];
  const faults: string[] = [];
  const arrivals: { count: number; wake: (asked: Asked) => void }[] = [];
  let next = player(script);

  const asked = () => requests.flatMap((request) => request.asked ?? []);
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      faults.push(error instanceof Error ? error.message : String(error));
      // Not 500: a program would try that again, and the test would never hear of it.
      if (!response.headersSent) json(response, 400, { error: { message: faults.at(-1) } });
      else response.destroy();
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "", headers } = request;
    const body = await bodyOf(request);
    const recorded = { method, path: url, headers, body };
    const route = method === "POST" ? routeOf(url) : undefined;
    if (route === undefined) {
      requests.push(recorded);
      const plain = plainAnswer(method, url);
      if (plain === undefined) faults.push(`nobody knows ${method} ${url}`);
      json(response, plain === undefined ? 404 : 200, plain ?? { error: { message: "not found" } });
      return;
    }
    const read = route.protocol.read(body);
    const conversation = { ...read, stream: route.streams ?? read.stream };
    const model = stringAt(body, "model") ?? modelIn(url);
    const voice = () => ({ protocol: route.protocol, model, serial: requests.length, folder });
    if (isAuxiliary(conversation)) {
      requests.push(recorded);
      await speak(response, conversation, auxiliaryAnswer(conversation), voice());
      return;
    }
    const question = { ...conversation, n: asked().length };
    requests.push({ ...recorded, asked: question });
    for (const one of arrivals.filter(({ count }) => count === question.n + 1)) one.wake(question);
    const reply = await next(question);
    if ("fail" in reply) refuse(response, route.protocol, reply);
    else await speak(response, question, reply, voice());
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    asked,
    arrival(count) {
      const there = asked()[count - 1];
      if (there !== undefined) return Promise.resolve(there);
      return new Promise((wake) => arrivals.push({ count, wake }));
    },
    faults,
    play(other) {
      next = player(other);
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

interface Route {
  readonly protocol: Protocol;
  /** Set where the address says whether to stream. */
  readonly streams?: boolean;
}

/** Which protocol an address speaks. Programs differ in the prefix, so only the end counts. */
function routeOf(url: string): Route | undefined {
  const path = url.split("?")[0] ?? "";
  if (path.endsWith("/messages")) return { protocol: anthropic };
  if (path.endsWith("/responses")) return { protocol: responses };
  if (path.endsWith("/chat/completions")) return { protocol: chat };
  if (path.endsWith(":generateContent")) return { protocol: gemini, streams: false };
  return path.endsWith(":streamGenerateContent") ? { protocol: gemini, streams: true } : undefined;
}

/** What is asked beside the model: a sign of life, counts, the list of models. */
function plainAnswer(method: string, url: string): JsonObject | undefined {
  const path = url.split("?")[0] ?? "";
  if (method === "HEAD" || path === "/") return {};
  if (path.endsWith("/count_tokens")) return { input_tokens: 10 };
  if (path.endsWith(":countTokens")) return { totalTokens: 10 };
  // The one key of either service; an empty list is a list that knows no better than the program itself.
  return path.endsWith("/models") ? { object: "list", data: [], models: [], has_more: false } : undefined;
}

function modelIn(url: string): string {
  return /models\/([^:?]+)/.exec(url)?.[1] ?? "model";
}

/** Who answers, and to which of the requests. */
interface Voice {
  readonly protocol: Protocol;
  readonly model: string;
  readonly serial: number;
  readonly folder: string | undefined;
}

async function speak(
  response: ServerResponse,
  conversation: Conversation,
  answer: Answer,
  { protocol, model, serial, folder }: Voice,
): Promise<void> {
  const spoken: Spoken = {
    id: `${protocol.name}_${serial}`,
    model,
    think: answer.think ?? "",
    say: answer.say ?? (answer.calls === undefined && answer.think === undefined ? (OVER.say ?? "") : ""),
    calls: (answer.calls ?? []).map((call, n) =>
      spokenCall(placed(call, folder), conversation.tools, `call_${serial}_${n + 1}`),
    ),
    tokens: answer.tokens ?? { input: 100, output: 10 },
  };
  if (!conversation.stream && answer.breaks === undefined) {
    json(response, 200, protocol.whole(spoken));
    return;
  }
  const events = conversation.stream ? protocol.stream(spoken) : [JSON.stringify(protocol.whole(spoken))];
  beginStream(response, conversation.stream);
  if (answer.breaks === undefined) {
    for (const event of events) response.write(event);
    response.end();
    return;
  }
  // Past the middle, so that words have been said; the last event, which says that all is well, is never among them.
  const half =
    events.length === 1 ? [events[0]?.slice(0, 20) ?? ""] : events.slice(0, Math.ceil(events.length / 2));
  for (const event of half.slice(0, -1)) response.write(event);
  await new Promise<void>((done) => response.write(half.at(-1) ?? "", () => done()));
  if (answer.breaks === "cut") response.destroy();
  else await once(response, "close");
}

function placed(call: Call, folder: string | undefined): Call {
  return "write" in call && folder !== undefined ? { ...call, write: resolve(folder, call.write) } : call;
}

function refuse(response: ServerResponse, protocol: Protocol, refusal: Refusal): void {
  if (refusal.inStream === true) {
    beginStream(response, true);
    response.end(protocol.refusalInStream(refusal).join(""));
    return;
  }
  const headers = refusal.retryAfter === undefined ? {} : { "retry-after": String(refusal.retryAfter) };
  json(response, refusal.fail, protocol.refusal(refusal), headers);
}

function beginStream(response: ServerResponse, isSse: boolean): void {
  response.writeHead(200, {
    "content-type": isSse ? "text/event-stream" : "application/json",
    "cache-control": "no-cache",
  });
}

function json(response: ServerResponse, status: number, body: unknown, headers: JsonObject = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...(headers as Record<string, string>) });
  response.end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<JsonObject> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return parseObject(Buffer.concat(parts).toString("utf8")) ?? {};
}
