import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, statSync } from "node:fs";
import { createServer as createTlsServer } from "node:https";
import { connect, createServer as createTcpServer, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import { describe, expect, test, vi } from "vitest";
import { UserError } from "../../src/errors.ts";
import {
  certificate,
  folder,
  freePort,
  get,
  HAS_IPV6,
  listen,
  proxyFor,
  raw,
  SITE,
  site,
  tunnel,
} from "./world.ts";

describe("a tunnel", () => {
  test("carries TLS that the proxy cannot read", async (context) => {
    const made = certificate("site.test");
    if (made === undefined) return context.skip("openssl is missing");
    const port = await listen(
      createTlsServer({ key: made.key, cert: made.cert }, (asked, answer) => void asked.pipe(answer)),
    );
    const { socketPath, decisions } = await proxyFor([site(port)], SITE);
    const { status, socket } = await tunnel(socketPath, site(port));
    expect(status).toBe(200);
    const tls = connectTls({ socket, ca: made.cert, servername: "site.test" });
    tls.write("POST / HTTP/1.1\r\nHost: site.test\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello");
    expect(await text(tls)).toMatch(/^HTTP\/1\.1 200 [\s\S]*hello/);
    expect(decisions).toMatchObject([{ host: "site.test", port, allowed: true }]);
  });

  test("each direction has its own end", async () => {
    const port = await listen(
      createTcpServer({ allowHalfOpen: true }, (socket) => {
        let heard = 0;
        socket.on("data", (bytes: Buffer) => (heard += bytes.length));
        socket.once("end", () => socket.end(`heard ${heard}`));
      }),
    );
    const { socketPath } = await proxyFor([site(port)], SITE);
    const { socket } = await tunnel(socketPath, site(port));
    socket.end("x".repeat(5_000_000));
    expect(await text(socket)).toBe("heard 5000000");
  });

  test("each direction has its own end, also when the other side ends first", async () => {
    let heard = "";
    const server = createTcpServer({ allowHalfOpen: true }, (socket) => {
      socket.on("data", (bytes: Buffer) => {
        heard += bytes.toString();
      });
      socket.end("bye");
    });
    const port = await listen(server);
    const served = once(server, "connection") as Promise<[Socket]>;
    const { socketPath } = await proxyFor([site(port)], SITE);
    const client = connect({ path: socketPath, allowHalfOpen: true });
    client.write(`CONNECT ${site(port)} HTTP/1.1\r\nHost: ${site(port)}\r\n\r\n`);
    client.resume();
    const [upstream] = await served;
    await once(client, "end");
    client.end("one word more");
    await once(upstream, "end");
    expect(heard).toBe("one word more");
  });

  test("a client that is gone before it is answered harms nobody", async () => {
    const asked: (() => void)[] = [];
    const { socketPath, decisions } = await proxyFor(["site.test"], {
      lookup: () => new Promise((_, reject) => asked.push(() => reject(new Error("too late")))),
    });
    const clients = [1, 2, 3].map(() => connect(socketPath));
    for (const client of clients) client.write("CONNECT site.test:443 HTTP/1.1\r\nHost: site.test\r\n\r\n");
    await vi.waitUntil(() => asked.length === clients.length);
    for (const client of clients) await once(client.destroy(), "close");
    for (const answer of asked) answer();
    expect((await get(socketPath, "http://other.test/")).status).toBe(403);
    expect(decisions).toHaveLength(4);
  });

  test("what is sent along with the request is not lost", async () => {
    const port = await listen(createTcpServer((socket) => void socket.pipe(socket)));
    const { socketPath } = await proxyFor([site(port)], SITE);
    const asked = `CONNECT site.test:${port} HTTP/1.1\r\nHost: site.test:${port}\r\n\r\nearly`;
    const said = await raw(socketPath, asked, { end: true });
    expect(said).toBe("HTTP/1.1 200 Connection Established\r\n\r\nearly");
  });

  test("a client that vanishes takes its upstream with it, and the other way round", async () => {
    const server = createTcpServer((socket) => void socket.resume());
    const port = await listen(server);
    const { socketPath } = await proxyFor([site(port)], SITE);
    for (const who of ["client", "upstream"] as const) {
      const served = once(server, "connection") as Promise<[Socket]>;
      const { socket } = await tunnel(socketPath, site(port));
      const [upstream] = await served;
      socket.resume();
      const gone = once(who === "client" ? upstream : socket, "close");
      if (who === "client") socket.destroy();
      else upstream.resetAndDestroy();
      await gone;
    }
  });

  test("one on which nothing moves is broken off", async () => {
    const port = await listen(createTcpServer(() => {}));
    const { socketPath } = await proxyFor([site(port)], { ...SITE, patience: { idleMs: 100 } });
    const { socket } = await tunnel(socketPath, site(port));
    socket.resume();
    await once(socket, "close");
  });

  test("a port where nobody listens is told", async () => {
    const port = await freePort();
    const { socketPath } = await proxyFor([site(port)], SITE);
    const { status, words } = await tunnel(socketPath, site(port));
    expect({ status, words }).toEqual({
      status: 502,
      words: `site.test:${port} cannot be reached (ECONNREFUSED).\n`,
    });
  });

  test("an address of IPv6 is reached", async (context) => {
    if (!HAS_IPV6) return context.skip("this machine has no IPv6");
    const port = await listen(
      createTcpServer((socket) => void socket.end("six")),
      "::1",
    );
    const { socketPath, decisions } = await proxyFor([`[::1]:${port}`]);
    const { socket } = await tunnel(socketPath, `[0:0::1]:${port}`);
    expect(await text(socket)).toBe("six");
    expect(decisions).toMatchObject([{ host: "::1", allowed: true }]);
    expect((await get((await proxyFor([`[::1]:${port}`])).socketPath, `http://[::1]:${port}/`)).status).toBe(
      502,
    );
  });
});

describe("the socket", () => {
  test("is for its owner alone, and goes with the proxy and all its connections", async () => {
    const port = await listen(createTcpServer(() => {}));
    const proxy = await proxyFor([site(port)], SITE);
    expect(statSync(proxy.socketPath).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(proxy.socketPath)).mode & 0o777).toBe(0o700);
    const { socket } = await tunnel(proxy.socketPath, site(port));
    socket.resume();
    const gone = once(socket, "close");
    await proxy.close();
    await gone;
    expect(existsSync(dirname(proxy.socketPath))).toBe(false);
    await proxy.close();
  });

  test("may be where the caller says, also where an earlier one was left", async () => {
    const socketPath = join(folder(), "own", "net.sock");
    const first = await proxyFor([], { socketPath });
    const second = await proxyFor([], { socketPath });
    expect(second.socketPath).toBe(socketPath);
    expect((await get(socketPath, "http://a.test/")).status).toBe(403);
    expect(second.decisions).toHaveLength(1);
    expect(first.decisions).toHaveLength(0);
  });

  test("takes so many connections and no more", async () => {
    const { socketPath } = await proxyFor([], { mostConnections: 2 });
    const open = [1, 2, 3].map(() => connect(socketPath));
    const closed = await Promise.race(open.map((socket) => once(socket, "close").then(() => socket)));
    expect(open.filter((socket) => socket !== closed)).toHaveLength(2);
    expect(await raw(socketPath, "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n").catch(() => "")).toBe(
      "",
    );
    for (const socket of open) socket.destroy();
  });

  test("never in a folder that others can open, nor at a path that is too long", async () => {
    const open = join(folder(), "open");
    mkdirSync(open);
    chmodSync(open, 0o755);
    await expect(proxyFor([], { socketPath: join(open, "s") })).rejects.toBeInstanceOf(UserError);
    const long = join(folder(), "x".repeat(100), "s");
    await expect(proxyFor([], { socketPath: long })).rejects.toBeInstanceOf(UserError);
  });
});
