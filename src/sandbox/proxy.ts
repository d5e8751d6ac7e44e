/**
 * The proxy outside the sandbox: the only way from inside it to a network. It listens on a socket in a folder that nobody else can
 * open, takes CONNECT and plain HTTP, and asks `judge` about every host. Written by hand on Node's own parser: what there is on npm
 * listens on ports, and resolves a name a second time when it connects.
 */
import { once } from "node:events";
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, request, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join as joinPath } from "node:path";
import { pipeline } from "node:stream";
import { codeOf, messageOf, UserError } from "../errors.ts";
import { type HostPattern, type Target, writtenHost } from "./hosts.ts";
import { join } from "./pipes.ts";
import { judge, type Lookup, lookupBySystem, type Patience, reach, type Verdict, type Way } from "./reach.ts";
import { endToEnd, type Malformed, readConnect, readPlain } from "./requests.ts";
import {
  answeredWords,
  askForTunnel,
  lostWords,
  NO_UPSTREAMS,
  type Scheme,
  type Upstreams,
  upstreamFor,
  upstreamHeaders,
} from "./upstream.ts";

/** What the proxy decided about one request. */
export interface Decision {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The host in its one form; empty when what was asked for is no host. */
  readonly host: string;
  readonly port: number;
  readonly allowed: boolean;
  readonly why: string;
  /** It is on the list, and was not reached. */
  readonly failed?: true;
}

export interface ProxyOptions {
  /** Where to listen; absent: in a new folder of its own. */
  readonly socketPath?: string;
  readonly patterns: readonly HostPattern[];
  readonly onDecision: (decision: Decision) => void;
  readonly lookup?: Lookup;
  /** The user's own proxies; absent: none. */
  readonly upstreams?: Upstreams;
  readonly patience?: Partial<Patience>;
  readonly mostConnections?: number;
  readonly now?: () => number;
}

export interface Proxy {
  readonly socketPath: string;
  /** Ends every connection, and takes the socket away. */
  close(): Promise<void>;
}

const MOST_CONNECTIONS = 512;
const MOST_HEADER_BYTES = 64 * 1024;
const HEADERS_MS = 30_000;
const KEEP_ALIVE_MS = 60_000;
/** A model may think for many minutes without a byte. */
const PATIENCE: Patience = { connectMs: 30_000, idleMs: 30 * 60_000 };
/** Once one side has said that it has no more to send, or was refused. */
const HALF_OPEN_MS = 2 * 60_000;

/** Starts a proxy for one run. */
export async function startProxy(options: ProxyOptions): Promise<Proxy> {
  const { patterns, onDecision, lookup = lookupBySystem, now = Date.now } = options;
  const { upstreams = NO_UPSTREAMS } = options;
  const patience = { ...PATIENCE, ...options.patience };
  const halfOpenMs = Math.min(HALF_OPEN_MS, patience.idleMs);
  const sockets = new Set<Socket>();

  function held(socket: Socket): Socket {
    sockets.add(socket);
    return socket.once("close", () => sockets.delete(socket));
  }

  function tell(target: Partial<Target>, decided: Pick<Decision, "allowed" | "why" | "failed">): void {
    const { allowed, why, failed } = decided;
    const where = { host: target.host ?? "", port: target.port ?? 0 };
    onDecision({ at: now(), ...where, allowed, why, ...(failed === true ? { failed } : {}) });
  }

  async function decide(target: Target, scheme: Scheme): Promise<Verdict> {
    const verdict = await judge(target, patterns, lookup, upstreamFor(target, scheme, upstreams));
    tell(target, verdict);
    return verdict;
  }

  /** Opens the way for a tunnel. Undefined when it is open; otherwise what to say. */
  async function establish(
    socket: Socket,
    target: Target,
    { upstream }: Way,
  ): Promise<Malformed | undefined> {
    if (upstream === undefined) {
      return once(socket, "connect").then(
        () => undefined,
        (error: unknown) => unreachable(target, error),
      );
    }
    const why = await askForTunnel(socket, upstream, target);
    return why === undefined ? undefined : undone(target, why);
  }

  /** The user's proxy did not do what was asked of it: written down, and for whoever asked. */
  function undone(target: Target, why: string): Malformed {
    tell(target, { allowed: true, why, failed: true });
    return { status: 502, words: `${shown(target)} cannot be reached: ${why}.` };
  }

  /** Says no on a connection that was to become a tunnel. Read on, or what it still sends would break the answer off. */
  function refuse(client: Socket, { status, words }: Malformed): void {
    const body = `${words}\n`;
    client.setTimeout(halfOpenMs, () => client.destroy());
    client.resume();
    client.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
  }

  async function tunnel(asked: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    client.on("error", () => client.destroy());
    client.setTimeout(0);
    const target = readConnect(asked);
    if ("words" in target) {
      tell({}, { allowed: false, why: target.words });
      return refuse(client, target);
    }
    const verdict = await decide(target, "https");
    if (client.destroyed) return;
    if (!verdict.allowed) return refuse(client, verdict);
    // Until there is a tunnel, a proxy has as long for its answer as for the connection.
    const outside = held(reach(target, verdict.way, { ...patience, idleMs: patience.connectMs }));
    outside.on("error", () => outside.destroy());
    const vanished = () => outside.destroy(new Error("nobody waits for it"));
    client.once("close", vanished);
    const failure = await establish(outside, target, verdict.way);
    client.off("close", vanished);
    if (failure !== undefined) {
      outside.destroy();
      return refuse(client, failure);
    }
    outside.setTimeout(patience.idleMs);
    client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    outside.write(head);
    join(client, outside);
    for (const side of [client, outside]) side.once("end", () => outside.setTimeout(halfOpenMs));
  }

  async function forward(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const plain = readPlain(asked);
    if ("words" in plain) {
      tell({}, { allowed: false, why: plain.words });
      return reply(answer, plain);
    }
    const { target, path, headers } = plain;
    const verdict = await decide(target, "http");
    if (answer.destroyed) return;
    if (!verdict.allowed) return reply(answer, verdict);
    const { way } = verdict;
    const { upstream } = way;
    const outside = request({
      createConnection: () => held(reach(target, way, patience)),
      ...(asked.method === undefined ? {} : { method: asked.method }),
      path: upstream === undefined ? path : `http://${plain.authority}${path}`,
      headers: upstream === undefined ? headers : [...headers, ...upstreamHeaders(upstream)],
      maxHeaderSize: MOST_HEADER_BYTES,
    });
    const lost = (error: unknown) => {
      if (upstream === undefined || answer.headersSent || answer.destroyed)
        reply(answer, unreachable(target, error));
      else reply(answer, undone(target, lostWords(upstream, error)));
    };
    outside.on("error", lost);
    outside.on("response", (response) => {
      // Nobody but a proxy asks for a log-in so. Other troubles of its look like an answer of the host, and are passed on as such.
      if (upstream !== undefined && response.statusCode === 407) {
        response.resume();
        return reply(answer, undone(target, answeredWords(upstream, response)));
      }
      try {
        answer.sendDate = false;
        answer.writeHead(response.statusCode ?? 502, endToEnd(response.rawHeaders));
        answer.flushHeaders();
      } catch (error) {
        return lost(error); // an answer that nobody can be given, like status 99
      }
      pipeline(response, answer, () => {}); // one that breaks off is broken off for the client too
    });
    // Gone without an answer that could be passed on, like one that changes the protocol.
    outside.once("close", () => {
      if (!answer.headersSent) lost(new Error("no answer"));
    });
    answer.once("close", () => {
      outside.destroy();
      asked.unpipe(outside);
      asked.resume();
    });
    outside.flushHeaders(); // an answer may come before the first byte of the body
    asked.pipe(outside);
  }

  const server = createServer({
    maxHeaderSize: MOST_HEADER_BYTES,
    headersTimeout: HEADERS_MS,
    requestTimeout: 0, // a large upload may take its time; the idle limit holds
    insecureHTTPParser: false,
    noDelay: true,
  });
  server.maxConnections = options.mostConnections ?? MOST_CONNECTIONS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.maxHeadersCount = 0; // beyond a number Node leaves headers out, and heeds them all the same; their size is limited
  server.timeout = patience.idleMs;
  server.on("connection", held);
  server.on("connect", (asked, client, head) => {
    const socket = client as Socket; // the server's own, never a TLS one
    tunnel(asked, socket, head).catch(() => socket.destroy());
  });
  server.on("request", (asked, answer) => {
    forward(asked, answer).catch(() => answer.destroy());
  });

  const place = prepare(options.socketPath);
  try {
    server.listen({ path: place.socketPath });
    await once(server, "listening");
    chmodSync(place.socketPath, 0o600);
  } catch (error) {
    server.close();
    place.remove();
    throw cannotListen(place.socketPath, error);
  }
  return {
    socketPath: place.socketPath,
    async close() {
      const closed = server.listening ? once(server, "close") : undefined;
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
      place.remove();
    },
  };
}

function reply(answer: ServerResponse, { status, words }: Malformed): void {
  if (answer.headersSent || answer.destroyed) {
    answer.destroy();
    return;
  }
  answer.writeHead(status, { "Content-Type": "text/plain; charset=utf-8" }).end(`${words}\n`);
}

function shown({ host, port }: Target): string {
  return `${writtenHost(host)}:${port}`;
}

function unreachable(target: Target, error: unknown): Malformed {
  return { status: 502, words: `${shown(target)} cannot be reached (${codeOf(error) ?? messageOf(error)}).` };
}

/** A folder that is ours alone, with no socket of an earlier run in it. */
function prepare(wanted: string | undefined): { socketPath: string; remove(): void } {
  if (wanted === undefined) {
    const folder = mkdtempSync(joinPath(tmpdir(), "ralph-proxy-")); // made for us alone
    return {
      socketPath: joinPath(folder, "proxy.sock"),
      remove: () => rmSync(folder, { recursive: true, force: true }),
    };
  }
  try {
    const folder = dirname(wanted);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { mode, uid } = lstatSync(folder);
    if ((mode & 0o077) !== 0 || uid !== process.getuid?.()) throw new Error("its folder is open to others");
    if (lstatSync(wanted, { throwIfNoEntry: false })?.isSocket() === true) rmSync(wanted);
  } catch (error) {
    throw cannotListen(wanted, error);
  }
  return { socketPath: wanted, remove: () => rmSync(wanted, { force: true }) };
}

function cannotListen(path: string, error: unknown): UserError {
  return new UserError(
    "cannot start the proxy of the sandbox",
    `${messageOf(error)} (${path})`,
    "Give it a folder that is yours alone (mode 0700), with a path of at most 90 characters.",
    { cause: error },
  );
}
