import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redact, redactValue } from "../src/redact.ts";
import { costOf } from "./cost.ts";

describe("hides", () => {
  test.each([
    ["--api-key X1 next", "--api-key [redacted] next"],
    ["--api-key=X1 --foo", "--api-key=[redacted] --foo"],
    ["--api-key 'a b' --foo", "--api-key '[redacted]' --foo"],
    ['["--api-key", "abc", "x"]', '["--api-key", "[redacted]", "x"]'],
    ["?token=abc&x=1", "?token=[redacted]&x=1"],
    ["a:token=abc", "a:token=[redacted]"],
    ["password: hunter2 is it", "password: [redacted] is it"],
    ["export GITHUB_TOKEN=abc", "export GITHUB_TOKEN=[redacted]"],
    ["PGPASSWORD=abc psql", "PGPASSWORD=[redacted] psql"],
    ["//registry/:_authToken=abc", "//registry/:_authToken=[redacted]"],
    ["-H 'Authorization: Bearer abc'", "-H 'Authorization: Bearer [redacted]'"],
    ["X-Api-Key: abc", "X-Api-Key: [redacted]"],
    ['{"apiKey": "ab\\"cd", "n": 1}', '{"apiKey": "[redacted]", "n": 1}'],
    ['"{\\"token\\": \\"abc\\"}"', '"{\\"token\\": \\"[redacted]\\"}"'],
    ["sent bearer abcdefghijklmnop on", "sent bearer [redacted] on"],
    ["key AKIAIOSFODNN7EXAMPLE.", "key [redacted]."],
    ["sk-proj0123456789abcdef", "[redacted]"],
    ["sk-ant-api03-abcdefghijklmnop", "[redacted]"],
    ["ghp_0123456789abcdef0123456789abcdef0123", "[redacted]"],
    ["github_pat_0123456789abcdef_0123456789", "[redacted]"],
    ["xoxb-0123456789-abcdef", "[redacted]"],
    [`AIza${"Sy0123456789".repeat(3)}`, "[redacted]"],
    ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "[redacted]"],
    ["git clone https://joe:p@ss@example.com/x@y", "git clone https://[redacted]@example.com/x@y"],
    ["https://0123456789abcdef0123@example.com", "https://[redacted]@example.com"],
    ["a -----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY----- b", "a [redacted] b"],
    ["private_key: -----BEGIN PRIVATE KEY-----\nMIIcut off", "private_key: [redacted]"],
  ])("%j", (text, hidden) => {
    expect(redact(text)).toBe(hidden);
    expect(redact(hidden)).toBe(hidden);
  });
});

describe("leaves alone", () => {
  test.each([
    "tokens: 1.2M in / 45K out",
    '{"inputTokens": 5, "max_tokens": 100}',
    "--token --verbose",
    "secret: null",
    "ssh://git@example.com/x",
    "the token bucket is full",
    "task-sk-learn-contrib-something",
    "claude -p --model opus",
    "make test",
  ])("%j", (text) => {
    expect(redact(text)).toBe(text);
  });
});

test("walks JSON by key, by flag and by text", () => {
  const value = {
    apiKey: "a",
    nested: { client_secret: { any: "thing" }, password: false, token: null },
    flags: ["--token", "a", "--model", "opus", "--api-key=b", "-v"],
    text: "password=c",
    inputTokens: 5,
  };
  expect(redactValue(value)).toEqual({
    apiKey: "[redacted]",
    nested: { client_secret: "[redacted]", password: false, token: null },
    flags: ["--token", "[redacted]", "--model", "opus", "--api-key=[redacted]", "-v"],
    text: "password=[redacted]",
    inputTokens: 5,
  });
});

test("keeps __proto__ a key, and survives any depth", () => {
  const value: unknown = JSON.parse('{"__proto__": {"polluted": true}}');
  expect(JSON.stringify(redactValue(value))).toBe('{"__proto__":{"polluted":true}}');
  expect(JSON.stringify(redactValue(JSON.parse("[".repeat(100_000) + "]".repeat(100_000))))).toContain(
    "[redacted]",
  );
});

test("a named secret never survives", () => {
  const secret = fc.stringMatching(/^[A-Za-z0-9!@#$%^*()_+=[\]{}|:<>?,./~]{6,40}$/);
  const name = fc.constantFrom("--api-key ", "token=", "password: ", "GITHUB_TOKEN=", "X-Api-Key: ");
  fc.assert(
    fc.property(fc.string(), name, secret, (before, key, value) => {
      expect(redact(`${before} ${key}ZQ${value}`)).not.toContain(`ZQ${value}`);
    }),
  );
});

test("takes time in proportion to the length, whatever the text", () => {
  const pieces = [
    "a",
    "=",
    "-",
    ".",
    " ",
    "\n",
    "token",
    "sk-",
    "eyJ",
    "://",
    "@",
    '"',
    "\\",
    "bearer ",
    "-----BEGIN PRIVATE KEY-----",
  ];
  const hostile = fc
    .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(hostile, (unit) => {
      const text = unit.repeat(Math.ceil(200_000 / unit.length));
      // A quadratic pattern takes minutes here.
      expect(costOf(() => redact(text))).toBeLessThan(3000);
    }),
    { numRuns: 60 },
  );
});
