import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request } from "node:http";
import { connect, createServer as createTcpServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readConnect, readPlain } from "../../src/sandbox/requests.ts";
import { get, listen, proxyFor, raw, SITE, site, website } from "./world.ts";

describe("plain HTTP", () => {
  test("an allowed host is reached, with its own headers and not those of the way", async () => {
    let seen: IncomingMessage | undefined;
    const port = await website((asked, answer) => {
      seen = asked;
      answer.setHeader("Set-Cookie", ["a=1", "b=2"]);
      answer.setHeader("Connection", "keep-alive, X-Hop");
      answer.setHeader("X-Hop", "mine");
      answer.statusCode = 201;
      asked.pipe(answer);
    });
    const { socketPath, decisions } = await proxyFor([site(port)], { ...SITE, now: () => 7 });
    const answer = await get(socketPath, `http://site.test:${port}/a/../b%2f?x=1&y`, {
      method: "POST",
      body: "hello",
      headers: {
        "Content-Length": "5",
        "X-Own": "1",
        "X-Hop": "2",
        Connection: "keep-alive, x-hop",
        "Proxy-Authorization": "Basic c2VjcmV0",
        "Proxy-Connection": "keep-alive",
        TE: "trailers",
      },
    });
    expect(answer).toMatchObject({ status: 201, body: "hello", headers: { "set-cookie": ["a=1", "b=2"] } });
    expect(answer.headers).not.toHaveProperty("x-hop");
    expect(seen?.url).toBe("/a/../b%2f?x=1&y");
    expect(seen?.headers).toEqual({
      host: site(port),
      "x-own": "1",
      "content-length": "5",
      connection: "close",
    });
    expect(decisions).toEqual([
      { at: 7, host: "site.test", port, allowed: true, why: `allowed by site.test:${port}` },
    ]);
  });

  test("the body of a GET is not a request of its own", async () => {
    const bodies: string[] = [];
    const port = await website((asked, answer) => {
      void text(asked).then((body) => {
        bodies.push(`${asked.method} ${asked.url} ${body}`);
        answer.end("one");
      });
    });
    const { socketPath } = await proxyFor([site(port)], SITE);
    const inner = `GET /smuggled HTTP/1.1\r\nHost: site.test:${port}\r\n\r\n`;
    const answer = await raw(
      socketPath,
      `GET http://site.test:${port}/ HTTP/1.1\r\nHost: site.test:${port}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(bodies).toEqual([`GET / ${inner}`]);
  });

  test("one connection serves many requests, refused ones among them", async () => {
    const port = await website((asked, answer) => void asked.pipe(answer));
    const { socketPath, decisions } = await proxyFor([site(port)], SITE);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const reused: boolean[] = [];
    for (const host of ["site.test", "other.test", "site.test"]) {
      const asked = request({
        agent,
        socketPath,
        method: "POST",
        path: `http://${host}:${port}/`,
        headers: { Host: `${host}:${port}` },
      });
      asked.end(host);
      const [answer] = (await once(asked, "response")) as [IncomingMessage];
      expect(await text(answer)).toContain(host);
      reused.push(asked.reusedSocket);
    }
    agent.destroy();
    expect(reused).toEqual([false, true, true]);
    expect(decisions.map(({ allowed }) => allowed)).toEqual([true, false, true]);
  });

  test("200 requests one after another, and 50 at once", async () => {
    const port = await website((asked, answer) => void answer.end(asked.url));
    const { socketPath, decisions } = await proxyFor([site(port)], SITE);
    for (let n = 0; n < 200; n++) {
      expect((await get(socketPath, `http://site.test:${port}/${n}`)).body).toBe(`/${n}`);
    }
    const many = await Promise.all(
      Array.from({ length: 50 }, (_, n) => get(socketPath, `http://site.test:${port}/p${n}`)),
    );
    expect(many.map(({ body }) => body)).toEqual(many.map((_, n) => `/p${n}`));
    expect(decisions).toHaveLength(250);
  });

  test("a connection outside ends with its request, though the client's stays", async () => {
    const server = createServer((_, answer) => void answer.end("done"));
    const port = await listen(server);
    const ended: Promise<unknown>[] = [];
    server.on("connection", (socket) => ended.push(once(socket, "close")));
    const { socketPath } = await proxyFor([site(port)], SITE);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let n = 0; n < 3; n++) {
      const asked = request({
        agent,
        socketPath,
        path: `http://${site(port)}/`,
        headers: { Host: site(port) },
      });
      asked.end();
      const [answer] = (await once(asked, "response")) as [IncomingMessage];
      await text(answer);
    }
    await Promise.all(ended);
    expect(ended).toHaveLength(3);
    agent.destroy();
  });

  test("large bodies go through both ways", async () => {
    const port = await website((asked, answer) => void asked.pipe(answer));
    const { socketPath } = await proxyFor([site(port)], SITE);
    const body = "0123456789abcdef".repeat(1 << 20);
    const answer = await get(socketPath, `http://site.test:${port}/`, { method: "PUT", body });
    expect(answer.body === body).toBe(true);
  });

  test("an answer comes while the request is still being sent", async () => {
    const port = await website((asked, answer) => {
      answer.write("early ");
      asked.on("data", (bytes: Buffer) => answer.end(bytes));
    });
    const { socketPath } = await proxyFor([site(port)], SITE);
    const asked = request({
      socketPath,
      method: "POST",
      path: `http://site.test:${port}/`,
      headers: { Host: site(port), Expect: "100-continue", "Transfer-Encoding": "chunked" },
    });
    asked.flushHeaders();
    const [answer] = (await once(asked, "response")) as [IncomingMessage];
    asked.end("late");
    expect(await text(answer)).toBe("early late");
  });

  test("an answer that breaks off breaks off for the client too", async () => {
    const port = await website((_, answer) => {
      answer.write("half", () => answer.destroy());
    });
    const { socketPath } = await proxyFor([site(port)], SITE);
    await expect(get(socketPath, `http://site.test:${port}/`)).rejects.toThrow(/aborted/);
  });

  test.each([
    ["a status that is none", "HTTP/1.1 099 No\r\n\r\n"],
    ["another protocol", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"],
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"],
    [
      "two ways to tell the length",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["no HTTP", "hello\r\n\r\n"],
    ["nothing", ""],
  ])("an answer with %s is status 502", async (_, bytes) => {
    const port = await listen(createTcpServer((socket) => void socket.once("data", () => socket.end(bytes))));
    const { socketPath } = await proxyFor([site(port)], SITE);
    expect((await get(socketPath, `http://site.test:${port}/`)).status).toBe(502);
  });

  test.each(["while it is answered", "before it is answered"])(
    "a client that vanishes %s takes its upstream with it",
    async (when) => {
      const answering = when === "while it is answered";
      const server = createServer((_, answer) => void (answering && answer.write("on and on")));
      const port = await listen(server);
      const { socketPath } = await proxyFor([site(port)], SITE);
      const served = once(server, "connection") as Promise<[Socket]>;
      const asked = request({ socketPath, path: `http://site.test:${port}/`, headers: { Host: site(port) } });
      asked.on("error", () => {});
      asked.end();
      await once(answering ? asked : server, answering ? "response" : "request");
      const [socket] = await served;
      asked.destroy();
      await once(socket, "close");
    },
  );

  test("h2c is not taken up, web sockets are refused", async () => {
    const port = await website((asked, answer) => void answer.end(JSON.stringify(asked.headers)));
    const { socketPath } = await proxyFor([site(port)], SITE);
    const url = `http://site.test:${port}/`;
    const upgraded = await get(socketPath, url, {
      headers: { Connection: "Upgrade, HTTP2-Settings", Upgrade: "h2c", "HTTP2-Settings": "AAA" },
    });
    expect(upgraded.status).toBe(200);
    expect(Object.keys(JSON.parse(upgraded.body)).sort()).toEqual(["connection", "host"]);
    const refused = await get(socketPath, url, { headers: { Connection: "Upgrade", Upgrade: "WebSocket" } });
    expect(refused.status).toBe(501);
  });
});

describe("what can be read in two ways is refused", () => {
  const head = (port: number, more: string, url = `http://site.test:${port}/`) =>
    `POST ${url} HTTP/1.1\r\nHost: site.test:${port}\r\nConnection: close\r\n${more}\r\n`;

  test.each<[string, (port: number) => string]>([
    ["both lengths", (p) => `${head(p, "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n")}0\r\n\r\n`],
    ["two lengths", (p) => `${head(p, "Content-Length: 5\r\nContent-Length: 6\r\n")}hello`],
    ["the same length twice", (p) => `${head(p, "Content-Length: 5\r\nContent-Length: 5\r\n")}hello`],
    ["a length with a sign", (p) => `${head(p, "Content-Length: +5\r\n")}hello`],
    ["another encoding", (p) => `${head(p, "Transfer-Encoding: gzip, chunked\r\n")}0\r\n\r\n`],
    [
      "an encoding twice",
      (p) => `${head(p, "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n")}0\r\n\r\n`,
    ],
    ["an encoding in disguise", (p) => `${head(p, "Transfer-Encoding : chunked\r\n")}0\r\n\r\n`],
    ["an unknown encoding", (p) => `${head(p, "Transfer-Encoding: xchunked\r\n")}0\r\n\r\n`],
    ["lines without a return", (p) => head(p, "").replaceAll("\r\n", "\n")],
    [
      "a folded header",
      (p) => head(p, "X-A: 1\r\n Host: other.test\r\n").replace("Connection: close\r\n", ""),
    ],
    ["a second host", (p) => head(p, "Host: other.test\r\n")],
    ["another host", (p) => head(p, "").replace("Host: site", "Host: other")],
    ["another port", (p) => head(p, "").replace(`Host: site.test:${p}`, "Host: site.test:1")],
    ["no host", (p) => head(p, "").replace(/Host: .*\r\n/, "")],
    ["a user", (p) => head(p, "", `http://site.test:${p}@other.test/`)],
    ["a user before it", (p) => head(p, "", `http://other.test@site.test:${p}/`)],
    ["a fragment", (p) => head(p, "", `http://site.test:${p}/#x`)],
    ["a backslash", (p) => head(p, "", `http://site.test:${p}\\@other.test/`)],
    ["a path alone", (p) => head(p, "", "/")],
    ["another scheme", (p) => head(p, "", `https://site.test:${p}/`)],
    ["bytes that are no ASCII", (p) => head(p, "", `http://site.test:${p}/\xff`)],
    ["a second host after many headers", (p) => head(p, `${"a:\r\n".repeat(5000)}Host: other.test\r\n`)],
    ["a header without end", (p) => head(p, `X-A: ${"a".repeat(70_000)}\r\n`)],
    ["a version that is none", (p) => head(p, "").replace("HTTP/1.1", "HTTP/9.9")],
    ["the preface of HTTP/2", () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ])("%s", async (_, bytes) => {
    let reached = 0;
    const port = await website((asked, answer) => {
      reached++;
      asked.resume();
      answer.end();
    });
    const { socketPath } = await proxyFor([site(port)], SITE);
    // The same request without its fault is taken.
    expect(await raw(socketPath, `${head(port, "Content-Length: 5\r\n")}hello`)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await raw(socketPath, bytes(port))).toMatch(/^HTTP\/1\.1 4(?:00|31) /);
    expect(reached).toBe(1);
  });
});

test("a length that is told in two ways is refused, whatever the parser lets through", () => {
  const rawHeaders = ["Host", "a.test", "Content-Length", "1"];
  const url = "http://a.test/";
  expect(readPlain({ url, rawHeaders })).toMatchObject({ path: "/" });
  for (const more of [
    ["transfer-encoding", "chunked"],
    ["content-length", "1"],
  ]) {
    expect(readPlain({ url, rawHeaders: [...rawHeaders, ...more] })).toMatchObject({ status: 400 });
    expect(readConnect({ url: "a.test:443", rawHeaders: more })).toMatchObject({ status: 400 });
  }
});

describe("whatever bytes come", () => {
  const words = fc.constantFrom(
    ..."GET |POST |CONNECT |http://|site.test|:80|:443|/| HTTP/1.1|\r\n|\r\n\r\n|\n|Host: |Content-Length: |5|-1|Transfer-Encoding: |chunked|Connection: |upgrade|Upgrade: |h2c|Expect: 100-continue|\0|\xff| |0\r\n\r\n|ffffffff\r\n|[::1]|@|%".split(
      "|",
    ),
  );

  test("the proxy lives, and lets through nothing that is not on the list", async () => {
    const { socketPath, decisions } = await proxyFor(["allowed.test"], {
      lookup: async () => Promise.reject(new Error("nothing is resolved here")),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(words, { maxLength: 25 }), fc.boolean(), async (parts, abrupt) => {
        const socket = connect(socketPath).on("error", () => {});
        const closed = once(socket, "close");
        socket.resume().write(parts.join(""), "latin1");
        if (abrupt) socket.destroy();
        else socket.end();
        await closed;
      }),
      { numRuns: 300 },
    );
    expect((await get(socketPath, "http://other.test/")).status).toBe(403);
    expect(decisions.filter(({ allowed }) => allowed)).toEqual([]);
  });
});
