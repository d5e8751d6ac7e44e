import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { UserError } from "../../src/errors.ts";
import { isPublic } from "../../src/sandbox/addresses.ts";
import {
  AGENT_HOSTS,
  agentPatterns,
  canonicalHost,
  findPattern,
  type HostPattern,
  isAllowed,
  parsePattern,
  parseTarget,
} from "../../src/sandbox/hosts.ts";
import { patterns } from "./world.ts";

describe("a pattern", () => {
  it.each<[string, Omit<HostPattern, "text">]>([
    ["api.anthropic.com", { host: "api.anthropic.com", subdomains: false, ports: [443, 80] }],
    ["*.anthropic.com", { host: "anthropic.com", subdomains: true, ports: [443, 80] }],
    ["API.Anthropic.COM.", { host: "api.anthropic.com", subdomains: false, ports: [443, 80] }],
    ["localhost:5432", { host: "localhost", subdomains: false, ports: [5432] }],
    ["[::1]:80", { host: "::1", subdomains: false, ports: [80] }],
    ["[0:0:0:0:0:0:0:1]", { host: "::1", subdomains: false, ports: [443, 80] }],
    ["example.com:*", { host: "example.com", subdomains: false, ports: "any" }],
    ["*.example.com:8443", { host: "example.com", subdomains: true, ports: [8443] }],
    ["bücher.example", { host: "xn--bcher-kva.example", subdomains: false, ports: [443, 80] }],
    ["127.1", { host: "127.0.0.1", subdomains: false, ports: [443, 80] }],
    ["my_host:1", { host: "my_host", subdomains: false, ports: [1] }],
  ])("%s is read", (text, pattern) => {
    expect(parsePattern(text)).toEqual({ text, ...pattern });
  });

  it.each([
    "",
    "*",
    "*:443",
    "*.",
    ".",
    "a..b",
    ".example.com",
    "a.*.com",
    "*api.com",
    "*.*.com",
    "*.127.0.0.1",
    "*.[::1]",
    "::1",
    "[::1",
    "[fe80::1%eth0]",
    "[::1]80",
    "example.com:",
    "example.com:0",
    "example.com:65536",
    "example.com:080",
    "example.com:1e3",
    "example.com:80:80",
    "https://example.com",
    "example.com/path",
    "user@example.com",
    "exa mple.com",
    " example.com",
    "example.com\n",
    "exam\u0000ple.com",
    "a%2eb.com",
    "999.1.1.1",
    `${"a".repeat(64)}.com`,
    `${"a.".repeat(127)}toolong`,
  ])("%j is refused with advice", (text) => {
    const refused = parsePattern(text);
    expect(refused).toBeInstanceOf(UserError);
    expect((refused as UserError).fix).not.toBe("");
  });
});

describe("what is asked for", () => {
  const list = patterns(
    "api.anthropic.com",
    "*.cursor.sh",
    "localhost:5432",
    "10.1.2.3",
    "[::1]:80",
    "any.test:*",
  );

  it.each<[string, number]>([
    ["api.anthropic.com", 443],
    ["api.anthropic.com", 80],
    ["API.ANTHROPIC.COM.", 443],
    ["api2.cursor.sh", 443],
    ["a.b.cursor.sh", 443],
    ["localhost", 5432],
    ["10.1.2.3", 80],
    ["0x0a.66051", 80],
    ["[::1]", 80],
    ["[0::0:1]", 80],
    ["any.test", 9],
  ])("%s:%d is allowed", (host, port) => expect(isAllowed(host, port, list)).toBe(true));

  it.each<[string, number]>([
    ["anthropic.com", 443],
    ["xapi.anthropic.com", 443],
    ["x.api.anthropic.com", 443],
    ["api.anthropic.com.evil.test", 443],
    ["api.anthropic.com", 22],
    ["cursor.sh", 443],
    [".cursor.sh", 443],
    ["xcursor.sh", 443],
    ["cursor.sh.evil.test", 443],
    ["evil.test/.cursor.sh", 443],
    ["evil.test#.cursor.sh", 443],
    ["evil.test?.cursor.sh", 443],
    ["evil.test\\.cursor.sh", 443],
    ["evil.test@api.cursor.sh", 443],
    ["evil.test\u0000.cursor.sh", 443],
    ["evil.test\r\n.cursor.sh", 443],
    ["evil.test%00.cursor.sh", 443],
    ["evil.test:443.cursor.sh", 443],
    ["api..cursor.sh", 443],
    ["127.0.0.1", 5432],
    ["127.1", 5432],
    ["0x7f.1", 5432],
    ["2130706433", 5432],
    ["017700000001", 5432],
    ["0", 5432],
    ["[::ffff:127.0.0.1]", 5432],
    ["::ffff:7f00:1", 5432],
    ["::1", 5432],
    ["localhost", 5433],
    ["localhost.", 80],
    ["10.1.2.4", 80],
    ["10.1.2.3.cursor.sh.", 22],
    ["::1%lo", 80],
    ["[::1%25lo]", 80],
    ["", 443],
  ])("%j:%d is not", (host, port) => expect(isAllowed(host, port, list)).toBe(false));

  test("one address has one form, however it is written", () => {
    for (const text of [
      "127.0.0.1",
      "127.1",
      "0x7f.1",
      "2130706433",
      "017700000001",
      "127.0.0.1.",
      "[::ffff:127.0.0.1]",
    ])
      expect(canonicalHost(text), text).toBe("127.0.0.1");
    for (const text of ["::1", "[::1]", "[0:0::0:1]", "0000:0:0:0:0:0:0:0001"])
      expect(canonicalHost(text), text).toBe("::1");
  });

  test("a name that is written in another script is the name that it becomes", () => {
    expect(canonicalHost("api。anthropic.com")).toBe("api.anthropic.com");
    expect(canonicalHost("аpi.anthropic.com")).toBe("xn--pi-6kc.anthropic.com"); // a Cyrillic letter
  });

  test("the pattern that names a host comes before a wildcard", () => {
    expect(findPattern("a.b.test", 443, patterns("*.b.test", "a.b.test"))?.text).toBe("a.b.test");
  });

  test("a target needs a port that is one", () => {
    expect(parseTarget("a.test:443")).toEqual({ host: "a.test", port: 443 });
    expect(parseTarget("a.test", 80)).toEqual({ host: "a.test", port: 80 });
    for (const text of [
      "a.test",
      "a.test:",
      "a.test:0",
      "a.test:65536",
      "a.test:٤٤٣",
      "a.test:+1",
      "a:b@c.test:1",
    ])
      expect(parseTarget(text), text).toBeUndefined();
  });
});

describe("whatever is asked for", () => {
  const label = fc.stringMatching(/^[a-z][a-z0-9]{0,10}$/);
  const name = fc.array(label, { minLength: 2, maxLength: 5 }).map((labels) => labels.join("."));

  test("a wildcard lets through only what ends in it", () => {
    const junk = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.stringMatching(/^[a-z0-9.:@/%#[\]\\-]{1,12}$/),
      name,
    );
    let allowed = 0;
    fc.assert(
      fc.property(
        junk,
        name,
        fc.constantFrom(".", "", "@", "/.", "\u0000.", "。"),
        (before, parent, glue) => {
          const asked = `${before}${glue}${parent}`;
          if (!isAllowed(asked, 443, patterns(`*.${parent}`))) return;
          allowed++;
          expect(canonicalHost(asked)).toMatch(/^[a-z0-9_-]+(?:\.[a-z0-9_-]+)+$/);
          expect(canonicalHost(asked)?.endsWith(`.${parent}`)).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
    expect(allowed).toBeGreaterThan(0);
  });

  test("a name allows itself in any case, its children only by a wildcard", () => {
    fc.assert(
      fc.property(name, label, (host, child) => {
        expect(isAllowed(`${host.toUpperCase()}.`, 443, patterns(host))).toBe(true);
        expect(isAllowed(`${child}.${host}`, 443, patterns(host))).toBe(false);
        expect(isAllowed(`${child}.${host}`, 443, patterns(`*.${host}`))).toBe(true);
        expect(isAllowed(host, 443, patterns(`*.${host}`))).toBe(false);
      }),
    );
  });

  test("the one form of a host is its own one form", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), name, fc.ipV4Extended(), fc.ipV6()), (text) => {
        const form = canonicalHost(text);
        if (form !== undefined) expect(canonicalHost(form)).toBe(form);
      }),
    );
  });

  test("addresses are allowed by themselves alone", () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4Extended(), fc.ipV6()), name, (address, other) => {
        expect(isAllowed(address, 443, patterns(other, `*.${other}`))).toBe(false);
        const written = address.includes(":") ? `[${address}]` : address;
        expect(isAllowed(address, 443, patterns(written))).toBe(true);
      }),
    );
  });
});

describe("addresses", () => {
  it.each([
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "2002:7f00:1::",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fe80::1%eth0",
    "ff02::1",
    "nonsense",
  ])("%s is not in the internet", (address) => expect(isPublic(address)).toBe(false));

  it.each([
    "1.1.1.1",
    "160.79.104.10",
    "172.32.0.1",
    "100.128.0.1",
    "2606:4700::1111",
    "::ffff:1.1.1.1",
    "64:ff9b::101:101",
    "2002:101:101::",
  ])("%s is", (address) => expect(isPublic(address)).toBe(true));
});

describe("the agents' own services", () => {
  test("are patterns, every one", () => {
    for (const [kind, hosts] of Object.entries(AGENT_HOSTS)) {
      for (const host of hosts) expect(parsePattern(host), `${kind}: ${host}`).not.toBeInstanceOf(UserError);
    }
    expect(isAllowed("api.anthropic.com", 443, agentPatterns("claude", {}))).toBe(true);
    expect(isAllowed("api.openai.com", 443, agentPatterns("claude", {}))).toBe(false);
    expect(agentPatterns("custom", {})).toEqual([]);
  });

  test("and what the environment names in their place, at its port", () => {
    const named = agentPatterns("custom", {
      ANTHROPIC_BASE_URL: "http://127.0.0.1:4000/v1",
      OPENAI_BASE_URL: "https://user:word@Gateway.Corp.test/openai",
      AMP_URL: "not an address",
      GOOGLE_GEMINI_BASE_URL: "file:///etc/passwd",
      PATH: "https://evil.test",
    });
    expect(named.map(({ text }) => text)).toEqual(["127.0.0.1:4000", "gateway.corp.test:443"]);
    expect(isAllowed("gateway.corp.test", 80, named)).toBe(false);
  });
});
