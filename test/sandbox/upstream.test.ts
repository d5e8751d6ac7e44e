import { once } from "node:events";
import { createServer as createTlsServer } from "node:https";
import { createServer as createTcpServer } from "node:net";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import { describe, expect, test } from "vitest";
import { readUpstreams, upstreamFor, upstreamWords } from "../../src/sandbox/upstream.ts";
import { company } from "./company.ts";
import { certificate, get, listen, names, proxyFor, raw, tunnel, website } from "./world.ts";

const PROXY = "http://proxy.example:3128";

/** Where something goes with this environment, in a word. */
function way(env: Record<string, string>, target: string, scheme: "http" | "https" = "https"): string {
  const [, host = "", port = ""] = /^(.*):(\d+)$/.exec(target) ?? [];
  const found = upstreamFor({ host, port: Number(port) }, scheme, readUpstreams(env));
  if (found === undefined) return "direct";
  return "unusable" in found ? found.unusable : `${found.tls ? "tls " : ""}${found.host}:${found.port}`;
}

describe("which proxy", () => {
  test.each<[env: Record<string, string>, scheme: "http" | "https", way: string]>([
    [{}, "https", "direct"],
    [{ HTTPS_PROXY: PROXY }, "https", "proxy.example:3128"],
    [{ HTTPS_PROXY: PROXY }, "http", "direct"],
    [{ HTTP_PROXY: PROXY }, "http", "proxy.example:3128"],
    [{ HTTP_PROXY: PROXY }, "https", "direct"],
    [{ ALL_PROXY: PROXY }, "http", "proxy.example:3128"],
    [{ all_proxy: PROXY, HTTPS_PROXY: "http://other:1" }, "https", "other:1"],
    [{ https_proxy: "http://small:1", HTTPS_PROXY: PROXY }, "https", "small:1"],
    [{ https_proxy: "", HTTPS_PROXY: PROXY }, "https", "proxy.example:3128"],
    [{ HTTPS_PROXY: "proxy.example:3128" }, "https", "proxy.example:3128"],
    [{ HTTPS_PROXY: "http://proxy.example" }, "https", "proxy.example:80"],
    [{ HTTPS_PROXY: "https://proxy.example/" }, "https", "tls proxy.example:443"],
    [{ HTTPS_PROXY: "http://[::1]:3128" }, "https", "::1:3128"],
    [{ HTTPS_PROXY: "HTTP://PROXY.example.:3128" }, "https", "proxy.example:3128"],
  ])("%j, %s: %s", (env, scheme, expected) => expect(way(env, "site.test:8080", scheme)).toBe(expected));

  test("a tunnel to port 80 is meant as plain HTTP", () => {
    expect(way({ HTTP_PROXY: "http://plain:1", HTTPS_PROXY: PROXY }, "site.test:80")).toBe("plain:1");
  });

  test.each([
    "localhost:443",
    "db.localhost:443",
    "127.0.0.1:443",
    "127.8.9.1:443",
    "0.0.0.0:443",
    "::1:443",
    "::0:443",
  ])("this machine is reached directly: %s", (target) => {
    expect(way({ ALL_PROXY: PROXY }, target.replace("::0:", ":::"))).toBe("direct");
  });

  test.each([
    ["socks5://u:hush@proxy:1080", /^ALL_PROXY names a SOCKS proxy/],
    ["socks5h://proxy", /^ALL_PROXY names a SOCKS proxy/],
    ["ftp://u:hush@proxy", /^ALL_PROXY is not the address of a proxy/],
    ["http://u:hush#1@proxy:3128", /^ALL_PROXY is not the address of a proxy/],
    ["http://u:12#hush@proxy:3128", /^ALL_PROXY is not the address of a proxy/],
    ["http://u:12/hush@proxy:3128", /^ALL_PROXY is not the address of a proxy/],
    ["http://u:%hush@proxy:3128", /^ALL_PROXY is not the address of a proxy/],
    ["http://", /^ALL_PROXY is not the address of a proxy/],
  ])("one that cannot be used is not passed by: %s", (value, words) => {
    const found = way({ ALL_PROXY: value }, "site.test:443");
    expect(found).toMatch(words);
    expect(found).not.toContain("hush");
    expect(upstreamWords(readUpstreams({ ALL_PROXY: value }))).toEqual({ words: found, usable: false });
  });

  test("it is shown without its user", () => {
    const shown = (env: Record<string, string>) => upstreamWords(readUpstreams(env))?.words;
    expect(shown({})).toBeUndefined();
    expect(shown({ ALL_PROXY: "http://me:hush@proxy.example:3128" })).toBe(
      "through your proxy proxy.example:3128",
    );
    expect(shown({ HTTPS_PROXY: PROXY })).toBe("through your proxy proxy.example:3128 (https only)");
    expect(shown({ HTTPS_PROXY: PROXY, HTTP_PROXY: "http://b:1" })).toBe(
      "through your proxy proxy.example:3128 and b:1",
    );
  });
});

describe("NO_PROXY", () => {
  test.each<[list: string, direct: string[], proxied: string[]]>([
    ["*", ["site.test:443", "1.2.3.4:80"], []],
    ["site.test", ["site.test:443", "a.site.test:80"], ["mysite.test:443", "site.test.evil:443"]],
    [".site.test", ["site.test:443", "a.b.site.test:443"], ["mysite.test:443"]],
    ["*.site.test", ["a.site.test:443"], ["mysite.test:443"]],
    ["SITE.test.", ["site.test:443"], ["test:443"]],
    ["site.test:8080", ["site.test:8080", "a.site.test:8080"], ["site.test:443"]],
    ["a.test, b.test c.test,,", ["a.test:1", "b.test:1", "c.test:1"], ["d.test:1"]],
    ["10.0.0.0/8,192.168.1.7", ["10.1.2.3:443", "192.168.1.7:443"], ["11.0.0.1:443", "192.168.1.70:443"]],
    [
      "fd00::/8,[2001:db8::1],[2001:db8::2]:80",
      ["fd12::1:443", "2001:db8::1:443", "2001:db8::2:80"],
      ["2001:db8::2:443"],
    ],
    ["10.0.0.0/99,1.2.3.0/x,://,*x", [], ["10.0.0.1:443", "1.2.3.4:443", "site.test:443"]],
    ["0.1", [], ["1.0.0.1:443"]],
    ["", [], ["site.test:443"]],
  ])("%s", (list, direct, proxied) => {
    const env = { ALL_PROXY: PROXY, NO_PROXY: list };
    expect(direct.map((target) => way(env, target))).toEqual(direct.map(() => "direct"));
    expect(proxied.map((target) => way(env, target))).toEqual(proxied.map(() => "proxy.example:3128"));
  });

  test("in small letters wins", () => {
    expect(way({ ALL_PROXY: PROXY, no_proxy: "a.test", NO_PROXY: "b.test" }, "b.test:1")).toBe(
      "proxy.example:3128",
    );
  });
});

/** The sandbox's proxy behind another one. Names are not resolved here: whoever tries breaks the test. */
function behind(port: number, allow: readonly string[], { user = "", more = {}, patience = {} } = {}) {
  const upstreams = readUpstreams({ ALL_PROXY: `http://${user}127.0.0.1:${port}`, ...more });
  return proxyFor(allow, { upstreams, patience, lookup: names({}), now: () => 7 });
}

describe("behind the user's proxy", () => {
  test("a tunnel goes through it, and TLS stays whole", async (context) => {
    const made = certificate("model.example");
    if (made === undefined) return context.skip("openssl is missing");
    const port = await listen(createTlsServer(made, (asked, answer) => void asked.pipe(answer)));
    const { port: proxy, asked } = await company({ "model.example": port }, { user: "me@work:p#ss: é" });
    const { socketPath, decisions } = await behind(proxy, ["model.example"], {
      user: "me%40work:p%23ss%3A%20%C3%A9@",
    });
    const { status, socket } = await tunnel(socketPath, "MODEL.example.:443");
    expect(status).toBe(200);
    const tls = connectTls({ socket, ca: made.cert, servername: "model.example" });
    tls.write(
      "POST / HTTP/1.1\r\nHost: model.example\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello",
    );
    expect(await text(tls)).toMatch(/^HTTP\/1\.1 200 [\s\S]*hello/);
    expect(asked.map(({ line }) => line)).toEqual(["CONNECT model.example:443"]);
    const why = `allowed by model.example, through 127.0.0.1:${proxy}`;
    expect(decisions).toEqual([{ at: 7, host: "model.example", port: 443, allowed: true, why }]);
  });

  test("what both sides send early is not lost, and each direction has its own end", async () => {
    const port = await listen(
      createTcpServer({ allowHalfOpen: true }, (socket) => {
        socket.write("first ");
        let heard = 0;
        socket.on("data", (bytes: Buffer) => (heard += bytes.length));
        socket.once("end", () => socket.end(`heard ${heard}`));
      }),
    );
    const { port: proxy } = await company({ "model.example": port });
    const { socketPath } = await behind(proxy, ["model.example"]);
    const said = await raw(
      socketPath,
      `CONNECT model.example:443 HTTP/1.1\r\nHost: model.example:443\r\n\r\n${"x".repeat(1_000_000)}`,
      { end: true },
    );
    expect(said).toBe("HTTP/1.1 200 Connection Established\r\n\r\nfirst heard 1000000");
  });

  test("a plain request goes through it, with the user that it is told and not one from inside", async () => {
    const port = await website((asked, answer) => {
      answer.setHeader("X-Seen", JSON.stringify([asked.url, asked.headers.host]));
      asked.pipe(answer);
    });
    const { port: proxy, asked } = await company({ "model.example": port }, { user: "me:hush" });
    const { socketPath } = await behind(proxy, ["model.example:8080"], { user: "me:hush@" });
    const answer = await get(socketPath, "http://model.example:8080/a?b=1", {
      method: "POST",
      body: "hello",
      headers: { "Proxy-Authorization": "Basic aW5zaWRl" },
    });
    expect(answer).toMatchObject({ status: 200, body: "hello" });
    expect(answer.headers["x-seen"]).toBe('["/a?b=1","model.example:8080"]');
    expect(asked).toEqual([
      {
        line: "POST http://model.example:8080/a?b=1",
        user: `Basic ${Buffer.from("me:hush").toString("base64")}`,
      },
    ]);
  });

  test("the list comes first: it is not even asked for another name, nor for an address", async () => {
    const port = await website((_, answer) => void answer.end("reached"));
    const { port: proxy, asked } = await company({ "other.example": port, "1.2.3.4": port });
    const { socketPath, decisions } = await behind(proxy, ["model.example", "*.wide.example"]);
    for (const host of ["other.example", "1.2.3.4", "wide.example", "[::ffff:1.2.3.4]", "0x01020304"]) {
      expect((await tunnel(socketPath, `${host}:443`)).status).toBe(403);
      expect((await get(socketPath, `http://${host}/`)).status).toBe(403);
    }
    expect(asked).toEqual([]);
    expect(decisions.every(({ allowed }) => !allowed)).toBe(true);
  });

  test("this machine's services, and what NO_PROXY names, are reached without it", async () => {
    const port = await website((_, answer) => void answer.end("home"));
    const { port: proxy, asked } = await company({});
    const { socketPath } = await behind(proxy, [`127.0.0.1:${port}`, "direct.example"], {
      more: { NO_PROXY: "direct.example" },
    });
    expect((await get(socketPath, `http://127.0.0.1:${port}/`)).body).toBe("home");
    expect((await get(socketPath, "http://direct.example/")).body).toContain("cannot be resolved");
    expect(asked).toEqual([]);
  });

  test("one that speaks TLS is not believed without a certificate", async (context) => {
    const made = certificate("localhost");
    if (made === undefined) return context.skip("openssl is missing");
    const port = await listen(createTlsServer(made));
    const upstreams = readUpstreams({ ALL_PROXY: `https://localhost:${port}` });
    const { socketPath } = await proxyFor(["model.example"], { upstreams });
    expect((await tunnel(socketPath, "model.example:443")).words).toBe(
      `model.example:443 cannot be reached: your proxy localhost:${port} does not answer (DEPTH_ZERO_SELF_SIGNED_CERT).\n`,
    );
  });
});

describe("a proxy of the user's that fails is told inside, and written down", () => {
  /** Both ways to ask, and what is written down of them. */
  async function both(port: number) {
    const { socketPath, decisions } = await behind(port, ["model.example"]);
    const { status, words } = await tunnel(socketPath, "model.example:443");
    const plain = await get(socketPath, "http://model.example/");
    return { status: [status, plain.status], words: [words, plain.body], decisions };
  }

  const expected = (port: number, what: string, { decisions, ...said }: Awaited<ReturnType<typeof both>>) => {
    const why = `your proxy 127.0.0.1:${port} ${what}`;
    expect(said).toEqual({
      status: [502, 502],
      words: [443, 80].map((at) => `model.example:${at} cannot be reached: ${why}.\n`),
    });
    expect(decisions.filter(({ failed }) => failed)).toEqual(
      [443, 80].map((at) => ({ at: 7, host: "model.example", port: at, allowed: true, why, failed: true })),
    );
  };

  test("when it wants another password", async () => {
    const { port } = await company({}, { user: "me:hush" });
    const { socketPath, decisions } = await behind(port, ["model.example"], { user: "me:wrong@" });
    const tunnelled = await tunnel(socketPath, "model.example:443");
    const plain = await get(socketPath, "http://model.example/");
    expect([tunnelled.status, plain.status]).toEqual([502, 502]);
    expect(tunnelled.words).toContain(`your proxy 127.0.0.1:${port} answered 407 As the company says`);
    expect(plain.body).toContain(`127.0.0.1:${port} answered 407 Proxy Authentication Required`);
    expect(plain.headers).not.toHaveProperty("proxy-authenticate");
    expect(decisions.filter(({ failed }) => failed)).toHaveLength(2);
    expect(JSON.stringify([tunnelled.words, plain, decisions])).not.toMatch(/wrong|bWU6/);
  });

  test("when it cannot reach the host: the answer to a plain request is passed on, as it may be the host's", async () => {
    const { port } = await company({});
    const { status, words, decisions } = await both(port);
    expect(status).toEqual([502, 502]);
    expect(words[0]).toBe(
      `model.example:443 cannot be reached: your proxy 127.0.0.1:${port} answered 502 As the company says.\n`,
    );
    expect(words[1]).toBe("a page of the company's");
    expect(decisions.filter(({ failed }) => failed)).toHaveLength(1);
  });

  test("when nobody is there", async () => {
    const spare = createTcpServer();
    const port = await listen(spare);
    spare.close();
    await once(spare, "close");
    expected(port, "does not answer (ECONNREFUSED)", await both(port));
  });

  test("when it hangs up", async () => {
    const port = await listen(createTcpServer((socket) => void socket.once("data", () => socket.destroy())));
    expected(port, "does not answer (ECONNRESET)", await both(port));
  });

  test("when it is too slow", async () => {
    const port = await listen(createTcpServer(() => {}));
    const { socketPath, decisions } = await behind(port, ["model.example"], { patience: { connectMs: 20 } });
    const why = `your proxy 127.0.0.1:${port} does not answer (ETIMEDOUT)`;
    expect(await tunnel(socketPath, "model.example:443")).toMatchObject({
      status: 502,
      words: `model.example:443 cannot be reached: ${why}.\n`,
    });
    expect(decisions[1]).toMatchObject({ allowed: true, why, failed: true });
  });

  test("when it talks nonsense", async () => {
    const port = await listen(createTcpServer((socket) => void socket.end("SSH-2.0-OpenSSH\r\n")));
    expected(port, "does not answer (HPE_INVALID_CONSTANT)", await both(port));
  });

  test("when it is none that can be used", async () => {
    const upstreams = readUpstreams({ ALL_PROXY: "socks5://127.0.0.1:1" });
    const { socketPath, decisions } = await proxyFor(["model.example"], { upstreams });
    const why = "ALL_PROXY names a SOCKS proxy, and the sandbox goes through http:// and https:// only";
    expect(await tunnel(socketPath, "model.example:443")).toMatchObject({
      status: 502,
      words: `model.example:443: ${why}.\n`,
    });
    expect(decisions).toMatchObject([{ allowed: false, why, failed: true }]);
  });
});
