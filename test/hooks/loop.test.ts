import { describe, expect, it } from "vitest";
import { world } from "./support.ts";

const DONE = "<promise>DONE</promise>";

describe("the acceptance tests of spec 004", () => {
  it("stops on the promise", async () => {
    const at = world();
    const session = at.session();
    const began = await session.type(
      '/ralph-loop "Write hello.txt" --max-iterations 3 --completion-promise DONE',
    );
    expect(began.hookSpecificOutput?.additionalContext).toContain("Write hello.txt");
    expect(began.hookSpecificOutput?.additionalContext).toContain(DONE);
    await session.tool("Write");
    const said = await session.stop(`It is written. ${DONE}`);
    expect(said.decision).toBeUndefined();
    expect(said.systemMessage).toContain("PROMISE_ACCEPTED");
    expect(at.journal().at(-1)).toMatchObject({ type: "run.ended", outcome: { kind: "claimed" } });
    expect(at.log()).toContain("promise found");
    // The loop is over: the session is left alone from now on.
    expect(await session.stop("anything")).toEqual({});
  });

  it("blocks the exit without a promise, and sends the agent back to its task", async () => {
    const session = world().session();
    await session.type('/ralph-loop "Write hello.txt" --completion-promise DONE');
    await session.tool();
    const said = await session.stop("I'm done.");
    expect(said.decision).toBe("block");
    expect(said.reason).toBe(
      `You attempted to end the loop, but you did not output the completion promise ${DONE}. Continue working on the original task below. Only output the promise when the task is fully complete. Original task: Write hello.txt`,
    );
  });

  it("ends after N continuations", async () => {
    const at = world();
    const session = at.session();
    await session.type('/ralph-loop "Write hello.txt" --max-iterations 2');
    await session.tool();
    expect((await session.stop("not yet")).decision).toBe("block");
    expect((await session.stop("not yet", { stop_hook_active: true })).decision).toBe("block");
    const last = await session.stop("not yet", { stop_hook_active: true });
    expect(last.decision).toBeUndefined();
    expect(last.systemMessage).toContain("MAX_ITERATIONS_REACHED");
    expect(at.journal().at(-1)).toMatchObject({ outcome: { kind: "exhausted", limit: "iterations" } });
  });

  it("rejects a promise without work, and says why", async () => {
    const at = world();
    const session = at.session();
    await session.type('/ralph-loop "Write hello.txt"');
    const said = await session.stop(DONE);
    expect(said.decision).toBe("block");
    expect(said.reason).toContain(
      "Promise detected, but no tool calls/work were performed; you must actually complete the task before emitting the promise.",
    );
    expect(at.log()).toContain("promise rejected (no work)");
    await session.tool();
    expect((await session.stop(DONE)).systemMessage).toContain("PROMISE_ACCEPTED");
  });

  it("finds the promise in the final message, wherever it stands in it", async () => {
    const session = world().session();
    await session.type('/ralph-loop "Write hello.txt"');
    await session.tool();
    const long = `${"All of it is there. ".repeat(3000)}\n\`\`\`\n${DONE}\n\`\`\`\n${"And so on. ".repeat(3000)}`;
    expect(long.length).toBeGreaterThan(90_000);
    expect((await session.stop(long)).systemMessage).toContain("PROMISE_ACCEPTED");
  });
});
