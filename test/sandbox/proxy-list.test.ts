import { createServer as createTcpServer } from "node:net";
import { describe, expect, it, test } from "vitest";
import { judge } from "../../src/sandbox/reach.ts";
import { get, listen, names, patterns, proxyFor, raw, SITE, tunnel, website } from "./world.ts";

describe("a host that is not on the list", () => {
  test("is refused in plain words that say how to allow it, and is not even resolved", async () => {
    const asked: string[] = [];
    const lookup = async (host: string) => {
      asked.push(host);
      return [];
    };
    const { socketPath, decisions } = await proxyFor(["site.test"], { lookup });
    const plain = await get(socketPath, "http://other.test:8080/secret?token=1");
    const tunnelled = await tunnel(socketPath, "other.test:443");
    expect(plain).toMatchObject({ status: 403, headers: { "content-type": "text/plain; charset=utf-8" } });
    expect(plain.body).toBe(
      'other.test:8080 is not among the hosts that this run may reach. If the work needs it, ask for "other.test:8080" to be added to sandbox.network.allow in the settings of ralph.\n',
    );
    expect(tunnelled.status).toBe(403);
    expect(tunnelled.words).toContain('ask for "other.test" to be added');
    expect(asked).toEqual([]);
    expect(decisions).toMatchObject([
      { host: "other.test", port: 8080, allowed: false, why: "not on the list" },
      { host: "other.test", port: 443, allowed: false, why: "not on the list" },
    ]);
  });

  test.each([
    "127.0.0.1",
    "127.1",
    "0x7f.1",
    "2130706433",
    "017700000001",
    "0",
    "0.0.0.0",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "localhost",
    "LOCALHOST.",
    "x.localhost",
  ])("the machine itself as %s", async (host) => {
    let reached = 0;
    const port = await listen(
      createTcpServer(() => void reached++),
      "::",
    );
    const { socketPath, decisions } = await proxyFor([
      `site.test:${port}`,
      `*.test:${port}`,
      `*.localhost:${port}`,
    ]);
    expect((await tunnel(socketPath, `${host}:${port}`)).status).toBeGreaterThanOrEqual(403);
    expect(decisions).toMatchObject([{ allowed: false }]);
    expect(reached).toBe(0);
  });

  test.each([
    "site.test",
    "site.test:0",
    "site.test:99999",
    "u:p@site.test:443",
    "[::1%25lo]:443",
    "*",
    "/x",
    "site.test:443/",
  ])("a tunnel to %s, which is no host with a port", async (target) => {
    const { socketPath, decisions } = await proxyFor(["site.test"]);
    expect(await raw(socketPath, `CONNECT ${target} HTTP/1.1\r\nHost: site.test\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 400 /,
    );
    expect(decisions.every(({ allowed }) => !allowed)).toBe(true);
  });
});

describe("a name that leads home", () => {
  it.each([
    "127.0.0.1",
    "169.254.169.254",
    "10.0.0.1",
    "192.168.0.1",
    "0.0.0.0",
    "::1",
    "fe80::1",
    "fd00::1",
    "::ffff:127.0.0.1",
  ])("is not covered by a wildcard: %s", async (address) => {
    const lookup = names({ "evil.site.test": [address] });
    const { socketPath, decisions } = await proxyFor(["*.site.test"], { lookup });
    const { status, words } = await tunnel(socketPath, "evil.site.test:443");
    expect(status).toBe(403);
    expect(words).toContain(`leads to ${address}`);
    expect(words).toContain('"evil.site.test" to be added to sandbox.network.allow');
    expect(decisions).toMatchObject([{ host: "evil.site.test", allowed: false }]);
  });

  test("is reached when it is named itself", async () => {
    const port = await website((_, answer) => void answer.end("home"));
    const lookup = names({ "dev.site.test": ["127.0.0.1"] });
    const { socketPath } = await proxyFor([`*.site.test:${port}`, `dev.site.test:${port}`], { lookup });
    expect((await get(socketPath, `http://dev.site.test:${port}/`)).body).toBe("home");
  });

  test("gains nothing by another answer the second time: the address that was looked at is the one that is reached", async () => {
    let reached = 0;
    const port = await listen(createTcpServer(() => void reached++));
    let asked = 0;
    const lookup = async () => [{ address: asked++ === 0 ? "127.0.0.2" : "127.0.0.1", family: 4 }];
    const { socketPath } = await proxyFor([`site.test:${port}`], { lookup });
    expect((await tunnel(socketPath, `site.test:${port}`)).status).toBe(502);
    expect(asked).toBe(1);
    expect(reached).toBe(0);
  });

  test("one that leads home and elsewhere is reached elsewhere only", async () => {
    const lookup = names({ "evil.site.test": ["127.0.0.1", "::1", "1.1.1.1"] });
    const target = { host: "evil.site.test", port: 443 };
    expect(await judge(target, patterns("*.site.test"), lookup)).toMatchObject({
      allowed: true,
      way: { addresses: [{ address: "1.1.1.1", family: 4 }] },
    });
  });

  test("one that cannot be resolved is told", async () => {
    const { socketPath, decisions } = await proxyFor(["gone.test"], SITE);
    expect(await get(socketPath, "http://gone.test/")).toMatchObject({
      status: 502,
      body: "gone.test:80: the name cannot be resolved (ENOTFOUND).\n",
    });
    expect(decisions).toMatchObject([{ allowed: false, why: "the name cannot be resolved (ENOTFOUND)" }]);
  });
});
