import { createServer, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { join } from "../../src/sandbox/pipes.ts";
import { listen } from "./world.ts";

/** A proxy as companies have them, on loopback, which alone knows these names. */
export interface Company {
  readonly port: number;
  /** What it was asked for, with what it was told of the user. */
  readonly asked: { readonly line: string; readonly user: string | undefined }[];
}

/** Starts one for a test: `hosts` are names and the ports on loopback that they lead to. */
export async function company(
  hosts: Readonly<Record<string, number>>,
  { user, status = 502 }: { readonly user?: string; readonly status?: number } = {},
): Promise<Company> {
  const asked: Company["asked"] = [];
  /** The port that is meant, or the status of a refusal. */
  const judged = (message: IncomingMessage, host: string): { port: number } | { status: number } => {
    const told = message.headers["proxy-authorization"];
    asked.push({ line: `${message.method} ${message.url}`, user: told });
    if (user !== undefined && told !== `Basic ${Buffer.from(user).toString("base64")}`)
      return { status: 407 };
    const port = hosts[host];
    return port === undefined ? { status } : { port };
  };
  const server = createServer((message, answer) => {
    const url = new URL(message.url ?? "");
    const found = judged(message, url.hostname);
    if ("status" in found) return void answer.writeHead(found.status).end("a page of the company's");
    const { method = "GET", headers } = message;
    const path = `${url.pathname}${url.search}`;
    const onward = request({ port: found.port, method, path, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 0, response.headers);
      response.pipe(answer);
    });
    message.pipe(onward);
  });
  server.on("connect", (message, client, head) => {
    const [host = ""] = (message.url ?? "").split(/:\d+$/);
    const found = judged(message, host);
    if ("status" in found) {
      return void client.end(`HTTP/1.1 ${found.status} As the company says\r\nContent-Length: 2\r\n\r\nno`);
    }
    const outside = connect({ port: found.port, host: "127.0.0.1", allowHalfOpen: true }, () => {
      client.write("HTTP/1.1 200 OK\r\nVia: company\r\n\r\n");
      outside.write(head);
      join(client as typeof outside, outside);
    });
  });
  return { port: await listen(server), asked };
}
