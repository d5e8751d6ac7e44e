import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isNoConnection, isUnauthorised, limitIn, limitOfStatus } from "../../src/agents/limits.ts";

describe("the limit that words name", () => {
  it.each([
    // Said by the real programs, or found in them.
    ["API Error: Request rejected (429) · This request would exceed your rate limit", "rate"],
    ["API Error: Server is temporarily limiting requests (not your usage limit) · Rate limited", "rate"],
    ["exceeded retry limit, last status: 429 Too Many Requests", "rate"],
    ["Rate limit reached for gpt-5 in organization org-x on tokens per min", "rate"],
    ["You've hit your limit · resets 1pm (Asia/Seoul)", "quota"],
    ["You’ve hit your usage limit. Upgrade to Pro or try again at 7:27 PM.", "quota"],
    ["Claude AI usage limit reached|1763215200", "quota"],
    ["5-hour limit reached ∙ resets 3pm", "quota"],
    ["You've hit your monthly spend limit.", "quota"],
    ["You're out of extra usage · resets 7pm (Europe/Berlin)", "quota"],
    ["Credit balance is too low", "quota"],
    ["Quota exceeded. Check your plan and billing details.", "quota"],
    ["API Error: 402 mock words", "quota"],
    ["Prompt is too long · the request is ~250000 tokens (limit 200000)", "context"],
    ["Codex ran out of room in the model's context window. Start a new conversation.", "context"],
    ["This model's maximum context length is 128000 tokens", "context"],
    ["API Error: 529 mock words. This is a server-side issue", "overload"],
    ["API Error: Overloaded", "overload"],
    ["unexpected status 503 Service Unavailable: x, url: http://y", "overload"],
    ["unexpected status 529 <unknown status code>: x", "overload"],
    ["Selected model is at capacity. Please try a different model.", "overload"],
    ["We’re currently experiencing high demand, which may cause temporary errors.", "overload"],
    ["API Error: Unable to connect to API (ConnectionRefused)", "offline"],
    ["API Error: Unable to connect to API (FailedToOpenSocket)", "offline"],
    ["API Error: Connection closed mid-response", "offline"],
    ["API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)", "offline"],
    ["Reconnecting... waiting for network (Connection failed: error sending request)", "offline"],
    ["stream disconnected before completion: error sending request for url", "offline"],
    ["Error: Couldn't connect to the Amp server at http://127.0.0.1:1.", "offline"],
    ["getaddrinfo EAI_AGAIN api.anthropic.com", "offline"],
    ["getaddrinfo ENOTFOUND api.openai.com", "offline"],
    ["Connection error.", "offline"],
    ["connect ETIMEDOUT 160.79.104.10:443", "offline"],
    ["read ECONNRESET", "offline"],
    ["curl: (6) Could not resolve host: api.anthropic.com", "offline"],
    ["TypeError: fetch failed", "offline"],
    ["connect: Network is unreachable", "offline"],
    ["dial tcp: lookup api.openai.com: Temporary failure in name resolution", "offline"],
  ])("%s: %s", (words, scope) => {
    expect(limitIn(words)).toBe(scope);
    expect(isUnauthorised(words)).toBe(false);
  });

  it.each([
    "Reached maximum number of turns (2)",
    "Reached maximum budget ($0.01)",
    "error TS2322 in line 429",
    "src/a.ts(500,3): error",
    "500 tests passed, 1 failed",
    "unexpected argument '--full-auto' found",
    "File has not been read yet.",
    "",
  ])("no limit in %j", (words) => {
    expect(limitIn(words)).toBeUndefined();
    expect(isUnauthorised(words)).toBe(false);
  });

  it("knows the status numbers", () => {
    expect([402, 429, 500, 529, 400, 600, undefined].map(limitOfStatus)).toEqual([
      "quota",
      "rate",
      "overload",
      "overload",
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("never throws", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (words) => typeof limitIn(words) !== "object"));
  });
});

describe("a lost connection in plain output", () => {
  it.each([
    "getaddrinfo ENOTFOUND api.anthropic.com",
    "Error: getaddrinfo EAI_AGAIN api.openai.com",
    "error: connect ECONNREFUSED 160.79.104.10:443",
    "Error: connect ETIMEDOUT 160.79.104.10:443",
    "FetchError: request to https://api.example.com/v1 failed, reason: read ECONNRESET",
    "Error: read ECONNRESET",
    "TypeError: fetch failed",
    "curl: (6) Could not resolve host: api.example.com",
    "ssh: connect to host example.com port 22: Network is unreachable",
    "API Error: Connection error.",
    "API Error: Unable to connect to API (FailedToOpenSocket)",
    "stream error: stream disconnected before completion: error sending request for url",
    "Error: Couldn't connect to the Amp server at https://ampcode.com.",
    "ERROR: dial tcp: lookup api.openai.com: Temporary failure in name resolution",
    "fatal: unable to access 'https://example.com/': Could not resolve host: example.com",
  ])("%s", (line) => expect(isNoConnection(line)).toBe(true));

  it.each([
    // Of tests.
    "FAIL src/net.test.ts > retries on ECONNREFUSED",
    "AssertionError: expected 'fetch failed' to equal 'ok'",
    "AssertionError: connect ECONNREFUSED 1.2.3.4:80 was not thrown",
    "  ✗ says connection refused when the server is gone (3 ms)",
    "not ok 4 - network is unreachable is reported",
    "TypeError: fetch failed in my unit test",
    "3 tests failed: ENOTFOUND, ETIMEDOUT",
    // Of a server of the project's own.
    "Error: connect ECONNREFUSED 127.0.0.1:5432",
    "Error: connect ECONNREFUSED ::1:6379",
    "curl: (7) Failed to connect to localhost port 3000: Connection refused",
    // Of the agent, about its work.
    "I could not finish: the tests end with ECONNREFUSED.",
    "The handler now retries when the connection is reset (ECONNRESET).",
    "Added handling for `fetch failed`",
    "Summary: connection refused is handled now",
    "",
  ])("not in %j", (line) => expect(isNoConnection(line)).toBe(false));
});

describe("a refused key or log-in", () => {
  it.each([
    "Failed to authenticate. API Error: 401 mock words",
    "Failed to authenticate. API Error: 403 mock words",
    "API Error: 401 Invalid API key · Please run /login",
    "Invalid API key · Fix external API key",
    "Not logged in · Please run /login",
    "unexpected status 401 Unauthorized: bad key, url: http://127.0.0.1:PORT/v1/responses",
    "unexpected status 403 Forbidden: x",
    "Missing environment variable: `MOCK_KEY`.",
    "Your access token could not be refreshed. Please log out and sign in again.",
    "No API key found. Starting login flow...",
    "Login failed: That code looks incomplete.",
    "something odd [authentication_failed]",
  ])("%s", (words) => {
    expect(isUnauthorised(words)).toBe(true);
    expect(limitIn(words)).toBeUndefined();
  });
});
