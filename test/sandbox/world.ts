import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  request,
} from "node:http";
import { connect, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { UserError } from "../../src/errors.ts";
import { type HostPattern, parsePattern } from "../../src/sandbox/hosts.ts";
import { type Decision, type ProxyOptions, startProxy } from "../../src/sandbox/proxy.ts";

/** Has this machine a loopback of IPv6? */
export const HAS_IPV6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === "::1"),
);

/** Patterns that must be right. */
export function patterns(...texts: string[]): HostPattern[] {
  return texts.map((one) => {
    const pattern = parsePattern(one);
    if (pattern instanceof UserError) throw pattern;
    return pattern;
  });
}

/** A proxy for one test, and what it decided. */
export async function proxyFor(allow: readonly string[], more: Partial<ProxyOptions> = {}) {
  const decisions: Decision[] = [];
  const proxy = await startProxy({
    patterns: patterns(...allow),
    onDecision: (decision) => decisions.push(decision),
    ...more,
  });
  onTestFinished(() => proxy.close());
  return { ...proxy, decisions };
}

/** Names that lead to loopback, and to where else a test says. */
export function names(table: Record<string, string[]>): NonNullable<ProxyOptions["lookup"]> {
  return async (host) => {
    const found = table[host];
    if (found === undefined) throw Object.assign(new Error("unknown"), { code: "ENOTFOUND" });
    return found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  };
}

/** One name, for a server on loopback, and how a pattern writes it. */
export const SITE = { lookup: names({ "site.test": ["127.0.0.1"] }) };
export const site = (port: number) => `site.test:${port}`;

/** Starts any server on loopback for one test; its port. */
export async function listen(server: Server, host = "127.0.0.1"): Promise<number> {
  const open = new Set<Socket>();
  server.on("connection", (socket) => {
    open.add(socket);
    socket.on("error", () => {}); // tests break connections off on purpose
    socket.once("close", () => open.delete(socket));
  });
  server.listen(0, host);
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("not on a port");
  return address.port;
}

/**
 * A port of loopback that nobody listens on. It is below those that the system hands out by itself, so that no other process is
 * given it between this look and the moment at which it is used.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 30_000);
    const server = createTcpServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}

/** A web server on loopback; its port. */
export function website(answer: RequestListener, host?: string): Promise<number> {
  return listen(createServer(answer), host);
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A plain request through the proxy. */
export async function get(
  socketPath: string,
  url: string,
  {
    method = "GET",
    headers = {},
    body = "",
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  const asked = request({ socketPath, path: url, method, headers: { Host: new URL(url).host, ...headers } });
  asked.end(body);
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: await text(answer) };
}

/** Sends these bytes to the proxy and reads until it closes; `end` says that there is no more to come. */
export async function raw(socketPath: string, bytes: string, { end = false } = {}): Promise<string> {
  const socket = connect({ path: socketPath, allowHalfOpen: true });
  if (end) socket.end(bytes, "latin1");
  else socket.write(bytes, "latin1");
  return text(socket);
}

/** Opens a tunnel; its connection, or the proxy's refusal. */
export async function tunnel(
  socketPath: string,
  target: string,
): Promise<{ readonly status: number; readonly socket: Socket; readonly words: string }> {
  const asked = request({ socketPath, method: "CONNECT", path: target, headers: { Host: target } });
  asked.end();
  const [answer, socket, head] = (await once(asked, "connect")) as [IncomingMessage, Socket, Buffer];
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  const status = answer.statusCode ?? 0;
  socket.unshift(head);
  return { status, socket, words: status === 200 ? "" : await text(socket) };
}

/** A folder for one test. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "ralph-sandbox-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}

/** A certificate for this name that signs itself, or undefined where there is no openssl. */
export function certificate(name: string): { key: string; cert: string; file: string } | undefined {
  const place = folder();
  const [key, file] = [join(place, "key.pem"), join(place, "cert.pem")];
  const made = spawnSync("openssl", [
    ..."req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2".split(" "),
    "-keyout",
    key,
    "-out",
    file,
    "-subj",
    `/CN=${name}`,
    "-addext",
    `subjectAltName=DNS:${name}`,
  ]);
  return made.status === 0
    ? { key: readFileSync(key, "utf8"), cert: readFileSync(file, "utf8"), file }
    : undefined;
}
