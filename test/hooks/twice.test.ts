import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { outcomeOf } from "../e2e/support.ts";
import { world } from "./support.ts";

const DONE = "<promise>DONE</promise>";
const START = '/ralph-loop "Write hello.txt" --max-iterations 3';

/** What two copies of a hook say to the same thing, at the same time. */
const twice = <T>(ask: () => Promise<T>) => Promise.all([ask(), ask()]);

describe("the plugin, and the same hooks in the agent's settings", () => {
  it("begin one loop, and both tell the agent its task", async () => {
    const at = world({ git: true });
    const session = at.session();
    const both = await twice(() => session.type(START));
    for (const { hookSpecificOutput } of both)
      expect(hookSpecificOutput?.additionalContext).toContain("You are in a ralph loop.");
    expect(at.runs()).toHaveLength(1);
    expect(at.log().match(/a loop began/g)).toHaveLength(1);
    // A second loop, asked for later, is still refused.
    expect((await session.type('/ralph-loop "Another one"')).systemMessage).toContain("has a loop already");
  });

  it("begin one loop also where that takes long, as in a large project", async () => {
    const at = world();
    const session = at.session();
    await session.type(START);
    // The second was asked ten seconds before the first was done.
    const events = at.journal().map((event) => ({ ...event, at: event.at + 10_000 }));
    writeFileSync(
      join(at.runFolder(), "journal.ndjson"),
      events.map((event) => `${JSON.stringify(event)}\n`).join(""),
    );
    expect((await session.type(START)).hookSpecificOutput?.additionalContext).toContain(
      "You are in a ralph loop",
    );
    expect((await session.type('/ralph-loop "Another"')).systemMessage).toContain("has a loop already");
  });

  it.each(["claude", "codex"] as const)("count a tool call of %s once", async (agent) => {
    const at = world();
    const session = at.session({ agent });
    await session.type(`${START} --min-tool-calls 3`);
    await twice(() => session.tool("Write", { tool_use_id: "call_1" }));
    // Its name stands behind all that the tool said, which may be much, and may hold such a name itself.
    const large = { tool_response: { text: "x".repeat(100_000), tool_use_id: "call_9" } };
    await twice(() => session.tool("Bash", { ...large, tool_use_id: "call_2", duration_ms: 1 }));
    expect((await session.stop(DONE)).decision).toBe("block");
    expect(at.log()).toMatch(/promise rejected \(no work\); 2 tool calls/);
    expect(at.log()).toMatch(/Write 1/);
    expect(at.log()).toMatch(/Bash 1/);
    await session.tool("Write", { tool_use_id: "call_3" });
    expect((await session.stop(DONE)).systemMessage).toContain("PROMISE_ACCEPTED");
  });

  it("tool calls without a name of their own all count", async () => {
    const at = world();
    const session = at.session();
    await session.type(START);
    await session.tool("Write");
    await session.tool("Write");
    await session.stop(DONE);
    expect(at.log()).toContain("2 tool calls (Write 2)");
  });

  it("judge a stop once", async () => {
    const at = world();
    const session = at.session();
    await session.type(START);
    await session.tool();
    const both = await twice(() => session.stop("not yet"));
    expect(both.map(({ decision }) => decision)).toEqual(["block", "block"]);
    expect(both[0]?.reason).toBe(both[1]?.reason);
    expect(at.journal().filter(({ type }) => type === "agent.exited")).toHaveLength(1);
  });

  it("end the loop once, by the promise or by its user", async () => {
    const at = world();
    const session = at.session();
    await session.type(START);
    await session.tool();
    const ends = await twice(() => session.stop(DONE));
    expect(ends.map(({ decision }) => decision)).toEqual([undefined, undefined]);
    expect(at.journal().filter(({ type }) => type === "run.ended")).toHaveLength(1);
    expect(outcomeOf(at).kind).toBe("claimed");

    await session.type(START);
    const said = await twice(() => session.type("/cancel-ralph"));
    expect(said.some(({ systemMessage }) => systemMessage?.includes("is cancelled"))).toBe(true);
    expect(await session.stop("not yet")).toEqual({});
  });
});
