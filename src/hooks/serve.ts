import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { messageOf } from "../errors.ts";
import type { DeskPlace, HookDesk } from "../loop/desk.ts";
import { answerText } from "./answer.ts";
import { limitConnections } from "./connections.ts";
import { inputOf } from "./input.ts";
import { log } from "./log.ts";
import { forgetOldSessions, forgetRun } from "./places.ts";
import { oneAtATime, type Queue } from "./queue.ts";
import { ANSWERS, type ServedPlace, TIMEOUTS } from "./served.ts";

/** What an agent tells of a tool call holds what the tool printed. */
const LARGEST_BODY_BYTES = 16 * 1024 * 1024;
/** All that is being asked at the same time, together; a question of a usual size is answered whatever else is asked. */
const MOST_BYTES = 64 * 1024 * 1024;
const USUAL_BYTES = 256 * 1024;
const MOST_CONNECTIONS = 256;
/** An agent waits no longer for most answers. */
const LONGEST_MS = 30_000;
/** Stops that wait for the look at the work tree of another one. */
const MOST_STOPS = 16;
/** An agent and those that it starts, in one turn: more of them are made up. */
const MOST_SESSIONS = 64;

/** Tool calls of one turn that are remembered. */
const MOST_ASKED = 100_000;

/** What is known from one question to the next. */
interface Desk {
  readonly place: DeskPlace;
  readonly token: string;
  /** The turn that is under way, and the sessions that asked in it. */
  iteration: number;
  readonly sessions: Set<string>;
  /** The tool calls that were asked about in it. */
  readonly asked: Set<string>;
  /** What was read of questions that are not answered yet. */
  bytes: number;
  readonly oneStop: Queue;
}

/**
 * Answers the hooks of a run's agents, for as long as ralph drives it: on loopback, at a port of its own, and only to who shows the
 * token that the agent got in its environment. Everything that the agent starts has that too, so what is asked is hostile input.
 * Like every hook it fails open: whatever goes wrong here, the session goes on as it would without us, and the log says so.
 */
export async function serveHooks(place: DeskPlace): Promise<HookDesk> {
  const desk: Desk = {
    place,
    token: randomBytes(24).toString("base64url"),
    iteration: 0,
    sessions: new Set(),
    asked: new Set(),
    bytes: 0,
    oneStop: oneAtATime(MOST_STOPS),
  };
  const server = createServer((request, response) => {
    answer(request, response, desk).catch((error: unknown) => {
      log(place.root, `${place.run}: a hook was not answered, for a fault of ralph's: ${messageOf(error)}`);
      end(response, 500);
    });
  });
  // A connection that was closed for being idle just when the agent asks again would leave the question unanswered.
  server.keepAliveTimeout = 0;
  server.requestTimeout = LONGEST_MS;
  limitConnections(server, MOST_CONNECTIONS);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  server.unref(); // the run decides when it is over
  forgetOldSessions(place.root, Date.now());
  const { port } = server.address() as AddressInfo;
  return {
    at(iteration) {
      if (iteration !== desk.iteration) {
        desk.sessions.clear();
        desk.asked.clear();
      }
      desk.iteration = iteration;
      return { url: `http://127.0.0.1:${port}/${iteration}`, token: desk.token, events: TIMEOUTS };
    },
    asked: desk.asked,
    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      forgetRun(place.root, place.run);
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, desk: Desk): Promise<void> {
  const { place, token, iteration, sessions } = desk;
  if (request.method !== "POST") return end(response, 405);
  if (!isSame(request.headers.authorization ?? "", `Bearer ${token}`) || request.url !== `/${iteration}`) {
    return end(response, 404);
  }
  const body = await bodyOf(request, desk);
  if (body === undefined) return end(response, 413);
  const input = inputOf(body, {});
  if (input === undefined) return end(response, 400);
  // What is asked before a tool is used leaves nothing behind but its name, and is always answered.
  if (input.event === "PreToolUse") {
    if (desk.asked.size < MOST_ASKED) desk.asked.add(input.toolCall.slice(0, 128));
  } else {
    if (sessions.size >= MOST_SESSIONS && !sessions.has(input.session)) return end(response, 200, "{}");
    sessions.add(input.session);
  }
  const served: ServedPlace = { ...place, iteration, env: environment(), oneStop: desk.oneStop };
  const said = await ANSWERS.get(input.event)?.(input, served);
  end(response, 200, said === undefined ? "{}" : answerText(said, input.event));

  /** What a hook that the agent starts would find in its environment. */
  function environment(): NodeJS.ProcessEnv {
    const { CLAUDE_CONTEXT_WINDOW, CLAUDE_CONTEXT_DIVISOR } = place.env;
    return {
      RALPH_RUN_ID: place.run,
      RALPH_PROJECT: place.spec.project,
      RALPH_ITERATION: String(iteration),
      CLAUDE_CODE_SESSION_ID: input?.session,
      CLAUDE_CONTEXT_WINDOW,
      CLAUDE_CONTEXT_DIVISOR,
    };
  }
}

/** Undefined when it is too large, or when too much is being asked at once. */
async function bodyOf(request: IncomingMessage, desk: Desk): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      desk.bytes += chunk.length;
      const isTooMuch = size > USUAL_BYTES && desk.bytes > MOST_BYTES;
      if (size > LARGEST_BODY_BYTES || isTooMuch) return undefined;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString("utf8");
  } finally {
    desk.bytes -= size;
  }
}

/** Who may not ask is not told how close a guess was. */
function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function end(response: ServerResponse, status: number, body = ""): void {
  if (response.headersSent) return;
  // Of a question that was refused the rest is not waited for.
  const close = status === 200 ? {} : { connection: "close" };
  response.writeHead(status, { "content-type": "application/json", ...close });
  response.end(body);
}
