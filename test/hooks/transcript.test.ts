import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lastMessage, lastSaid } from "../../src/hooks/transcript.ts";
import { world } from "./support.ts";

const DONE = "<promise>DONE</promise>";
const lines = (...all: unknown[]) => all.map((one) => `${JSON.stringify(one)}\n`).join("");
const claude = (text: string, more: object = {}) => ({
  type: "assistant",
  isSidechain: false,
  message: { id: "m1", role: "assistant", content: [{ type: "text", text }] },
  ...more,
});
const result = (text: string) => ({
  type: "user",
  message: { role: "user", content: [{ type: "tool_result", content: `the assistant said ${text}` }] },
});
const copilot = (content: string, at = new Date()) => ({
  type: "assistant.message",
  data: { content, messageId: content },
  timestamp: at.toISOString(),
});
const codex = (text: string) => ({
  type: "response_item",
  payload: { type: "message", role: "assistant", content: [{ type: "output_text", text }] },
});

describe("the last message of the main agent", () => {
  it.each<[string, string, string | undefined]>([
    [
      "Claude Code",
      lines(
        claude("old", { message: { id: "m0", content: [{ type: "text", text: "old" }] } }),
        claude("new"),
      ),
      "new",
    ],
    ["a message in several lines", lines(claude("one"), claude("two")), "one\ntwo"],
    ["not a subagent's", lines(claude("mine"), claude(DONE, { isSidechain: true })), "mine"],
    ["not a tool's result", lines(claude("mine"), result(DONE)), "mine"],
    [
      "not what a tool was called with, nor a thought",
      lines(
        claude("mine"),
        claude("", {
          message: {
            id: "m2",
            content: [
              { type: "tool_use", input: { text: DONE } },
              { type: "thinking", thinking: DONE },
            ],
          },
        }),
      ),
      "mine",
    ],
    [
      "Copilot",
      lines(
        copilot("old"),
        { type: "tool.execution_complete", data: { result: { content: DONE } } },
        copilot("new"),
      ),
      "new",
    ],
    ["Codex", lines(codex("old"), codex("new")), "new"],
    ["half a line at the end", `${lines(claude("whole"))}{"type":"assistant","mess`, "whole"],
    ["nothing of the kind", lines(result("x"), 7, null, []), undefined],
    ["nothing at all", "", undefined],
  ])("%s", (_, text, expected) => {
    expect(lastSaid(text)?.text).toBe(expected);
  });

  it("of a huge transcript is found in its tail, also behind a huge result", () => {
    const { home } = world();
    const path = join(home, "t.jsonl");
    writeFileSync(path, lines(claude("first")));
    appendFileSync(
      path,
      lines(
        result("x".repeat(5_000_000)),
        claude(`last ${"é".repeat(100_000)}`),
        result("y".repeat(300_000)),
      ),
    );
    expect(lastMessage(path, { from: 0, sinceMs: 0 })?.text).toMatch(/^last é+$/);
    // What was said before the loop began is no message of the loop's.
    const from = readFileSync(path).length;
    expect(lastMessage(path, { from, sinceMs: 0 })).toBeUndefined();
    expect(lastMessage(join(home, "none"), { from: 0, sinceMs: 0 })).toBeUndefined();
  });
});

describe("a program that does not tell its last message", () => {
  it("is read, and a promise from before the loop, or in a result, does not count", async () => {
    const at = world();
    const session = at.session({ agent: "copilot" });
    writeFileSync(session.transcript, lines(copilot(`before: ${DONE}`, new Date(Date.now() - 60_000))));
    // It names its transcript only when it stops: what stands there by then may be older than the loop.
    await session.type('/ralph-loop "Write hello.txt" --max-iterations 9');
    await session.tool();
    expect((await session.stop(undefined)).reason).toContain("did not output");
    appendFileSync(
      session.transcript,
      lines(copilot("working"), { type: "tool.execution_complete", data: { x: DONE } }),
    );
    const sent = await session.stop(undefined);
    expect(sent.decision).toBe("block");
    // Its own words come back to it as if the user had typed them.
    await session.type(sent.reason ?? "");
    expect(at.log()).not.toContain("the user spoke");
    appendFileSync(session.transcript, lines(copilot(`There. ${DONE}`)));
    expect((await session.stop(undefined)).systemMessage).toContain("PROMISE_ACCEPTED");
  });

  it("may write it down a moment after it asked", async () => {
    const session = world().session({ agent: "copilot" });
    await session.type('/ralph-loop "Write hello.txt"');
    await session.tool();
    writeFileSync(session.transcript, lines(copilot("first")));
    expect((await session.stop(undefined)).decision).toBe("block");
    // Words before a tool are not the last ones either.
    const words = copilot("I will write it.");
    appendFileSync(
      session.transcript,
      lines({ ...words, data: { ...words.data, toolRequests: [{ name: "edit" }] } }),
    );
    const stopping = session.stop(undefined);
    setTimeout(() => appendFileSync(session.transcript, lines(copilot(`There. ${DONE}`))), 300);
    expect((await stopping).systemMessage).toContain("PROMISE_ACCEPTED");
  });

  it("is not taken at its word of the stop before, when the agent says nothing more", async () => {
    const session = world().session({ agent: "copilot" });
    await session.type('/ralph-loop "Write hello.txt"');
    writeFileSync(session.transcript, lines(copilot(DONE)));
    expect((await session.stop(undefined)).reason).toContain("no tool calls/work");
    await session.tool();
    expect((await session.stop(undefined)).reason).toContain("did not output");
  });

  it("whose messages are all told together is not taken at an old word", async () => {
    const at = world();
    const session = at.session({ agent: "codex" });
    await session.type('/ralph-loop "Write hello.txt"');
    const first = { prompt_response: `Here: ${DONE}` };
    expect((await session.stop(undefined, first)).reason).toContain("no tool calls/work");
    await session.tool();
    const second = { prompt_response: `${first.prompt_response}\nNo, not yet.` };
    expect((await session.stop(undefined, second)).reason).toContain("did not output");
    const third = { prompt_response: `${second.prompt_response}\nNow: ${DONE}` };
    expect((await session.stop(undefined, third)).systemMessage).toContain("PROMISE_ACCEPTED");
  });
});
