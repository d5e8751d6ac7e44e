import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Fields, fieldsOf, renewedLogin } from "../../src/sandbox/renewal.ts";
import { LOGINS, type LoginFile } from "../../src/sandbox/usual.ts";
import { jwt } from "./tokens.ts";

const file = (agent: keyof typeof LOGINS): LoginFile => {
  const found = LOGINS[agent];
  if (found === undefined) throw new Error(`no log-in of ${agent}`);
  return found;
};

const CLAUDE = {
  claudeAiOauth: {
    accessToken: "sk-ant-oat01-a",
    refreshToken: "sk-ant-ort01-a",
    expiresAt: 1_700_000_000_000,
    scopes: ["user:inference"],
    subscriptionType: null,
    clientId: "client",
  },
  mcpOAuth: { "one|1": { serverUrl: "https://one.example", accessToken: "m" } },
};
const AUTH = "https://api.openai.com/auth";
const codexToken = (sub: string, account: string, n: number) =>
  jwt({ sub, exp: n, email: `${sub}@example.com`, [AUTH]: { chatgpt_account_id: account } });
const codex = (n: number, { sub = "me", account = "acc" } = {}) => ({
  OPENAI_API_KEY: null,
  tokens: {
    id_token: codexToken(sub, account, n),
    access_token: codexToken(sub, account, n),
    refresh_token: `rt-${n}`,
    account_id: "acc",
  },
  last_refresh: `2026-01-0${n}T00:00:00Z`,
});

describe("Claude Code's log-in", () => {
  const login = file("claude");
  const inside = (change: Record<string, unknown>) =>
    renewedLogin(CLAUDE, { ...CLAUDE, claudeAiOauth: { ...CLAUDE.claudeAiOauth, ...change } }, login);

  test("is renewed by new tokens, with what its service says of the plan", () => {
    const change = {
      accessToken: "sk-ant-oat01-b",
      refreshToken: "sk-ant-ort01-b",
      expiresAt: 1_800_000_000_000,
      refreshTokenExpiresAt: 1_900_000_000_000,
      scopes: ["user:inference", "user:profile"],
      subscriptionType: "max",
    };
    expect(inside(change)).toEqual({ ...CLAUDE, claudeAiOauth: { ...CLAUDE.claudeAiOauth, ...change } });
  });

  test.each([
    ["another client", { clientId: "other" }],
    ["a new key", { baseUrl: "https://evil.example" }],
    ["a token that is no text", { accessToken: { toString: "x" } }],
    ["a token with a line break", { accessToken: "a\r\nX-Evil: 1" }],
    ["a token that is empty", { refreshToken: "" }],
    ["a time that is a text", { expiresAt: "soon" }],
    ["a time that is a truth", { expiresAt: true }],
    ["rights that are no texts", { scopes: [1] }],
  ])("is not renewed by %s", (_what, change) => {
    expect(inside(change)).toBeUndefined();
  });

  test("needs all that it had", () => {
    const { refreshToken: _gone, ...rest } = CLAUDE.claudeAiOauth;
    expect(renewedLogin(CLAUDE, { ...CLAUDE, claudeAiOauth: rest }, login)).toBeUndefined();
  });

  test("comes without whatever else stands in the file inside", () => {
    const theirs = { claudeAiOauth: { ...CLAUDE.claudeAiOauth, accessToken: "new" }, mcpOAuth: {}, other: 1 };
    expect(renewedLogin(CLAUDE, theirs, login)).toEqual({
      ...CLAUDE,
      claudeAiOauth: { ...CLAUDE.claudeAiOauth, accessToken: "new" },
    });
  });
});

describe("Codex's log-in", () => {
  const login = file("codex");
  test("is renewed by tokens of the same account", () => {
    expect(renewedLogin(codex(1), codex(2), login)).toEqual(codex(2));
  });

  test.each([
    ["tokens of another person", codex(2, { sub: "you" })],
    ["tokens of another account", codex(2, { account: "other" })],
    ["a token that does not say whose it is", tokens({ id_token: "opaque" })],
    ["a token with less of its owner", tokens({ id_token: jwt({ sub: "me" }) })],
    ["another account beside it", tokens({ account_id: "other" })],
    ["a key", { ...codex(2), OPENAI_API_KEY: "sk-evil" }],
    ["no tokens", { ...codex(2), tokens: null }],
  ])("is not renewed by %s", (_what, theirs) => {
    expect(renewedLogin(codex(1), theirs, login)).toBeUndefined();
  });

  function tokens(change: Fields): Fields {
    return { ...codex(2), tokens: { ...codex(2).tokens, ...change } };
  }
});

test("Qwen's service stays where it was", () => {
  const mine = { access_token: "a", refresh_token: "r", resource_url: "portal.qwen.ai", expiry_date: 1 };
  const login = file("qwen");
  expect(renewedLogin(mine, { ...mine, access_token: "b", expiry_date: 2 }, login)).toBeDefined();
  expect(renewedLogin(mine, { ...mine, resource_url: "evil.example" }, login)).toBeUndefined();
});

test("OpenCode's log-ins are renewed each for itself, and its keys are not", () => {
  const mine = {
    anthropic: { type: "oauth", access: "a", refresh: "r", expires: 1 },
    openrouter: { type: "api", key: "k" },
  };
  const login = file("opencode");
  expect(renewedLogin(mine, { ...mine, anthropic: { ...mine.anthropic, access: "b" } }, login)).toBeDefined();
  expect(renewedLogin(mine, { ...mine, openrouter: { type: "api", key: "other" } }, login)).toBeUndefined();
  expect(
    renewedLogin(mine, { ...mine, openrouter: { type: "api", key: "k", access: "x" } }, login),
  ).toBeUndefined();
});

describe("whatever stands in a file", () => {
  const values = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
  const objects = fc
    .dictionary(fc.constantFrom("a", "b", "token", "__proto__", "x"), values)
    .map((value) => JSON.parse(JSON.stringify(value)) as Fields);
  const login = { renewed: ["token", "*/token"] };

  test("itself is always a renewal of itself, and nothing is lost on the way", () => {
    fc.assert(
      fc.property(objects, (mine) => {
        fc.pre(isTaken(mine));
        expect(JSON.stringify(renewedLogin(mine, mine, login))).toBe(JSON.stringify(mine));
      }),
    );
  });

  test("what is taken differs in nothing but tokens", () => {
    // Few values, so that two files are often alike.
    const few = fc.constantFrom<unknown>(1, "t", null, [], { token: "t" }, { token: "u", x: 1 }, { x: 1 });
    const small = fc
      .dictionary(fc.constantFrom("a", "token", "__proto__"), few, { maxKeys: 2 })
      .map((value) => JSON.parse(JSON.stringify(value)) as Fields);
    let taken = 0;
    fc.assert(
      fc.property(small, small, (mine, theirs) => {
        const found = renewedLogin(mine, theirs, login);
        if (found === undefined) return;
        taken += 1;
        expect(withoutTokens(found)).toEqual(withoutTokens(mine));
      }),
      { numRuns: 2000 },
    );
    expect(taken).toBeGreaterThan(20);
  });

  test("a change of one value that is no token is refused", () => {
    fc.assert(
      fc.property(objects, fc.constantFrom("a", "b", "__proto__", "new"), values, (mine, key, value) => {
        const theirs = Object.fromEntries([...Object.entries(mine), [key, value]]) as Fields;
        fc.pre(JSON.stringify(withoutTokens(theirs)) !== JSON.stringify(withoutTokens(mine)));
        expect(renewedLogin(mine, theirs, login)).toBeUndefined();
      }),
    );
  });

  test("a text that is no object is none", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const fields = fieldsOf(text);
        if (fields !== undefined) expect(text.trim().startsWith("{")).toBe(true);
      }),
    );
  });

  /** Tokens may be odd in what the user has; then not even the same is taken again. */
  function isTaken(mine: Fields): boolean {
    const tokens = [mine, ...Object.values(mine).filter(isObject)].filter((one) =>
      Object.hasOwn(one, "token"),
    );
    return tokens.every(({ token }) => token === null || typeof token === "number");
  }

  function withoutTokens(fields: Fields): unknown {
    const own = Object.entries(fields).filter(([key]) => key !== "token");
    return own
      .map(([key, value]) => [
        key,
        isObject(value) ? Object.entries(value).filter(([name]) => name !== "token") : value,
      ])
      .sort(([one], [other]) => (String(one) < String(other) ? -1 : 1));
  }

  function isObject(value: unknown): value is Fields {
    return typeof value === "object" && value !== null && !Array.isArray(value);
  }
});
