import { appendFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { outcomeOf } from "../e2e/support.ts";
import { world } from "./support.ts";

/** A line by which Claude Code keeps what was typed while a turn went on. */
const typed = (content: string, at = Date.now() + 1_000) =>
  JSON.stringify({
    type: "queue-operation",
    operation: "enqueue",
    timestamp: new Date(at).toISOString(),
    sessionId: "s",
    content,
  });
/** And by which it says that something else became of what it kept. */
const operation = (name: string, more: object = {}, at = Date.now() + 2_000) =>
  JSON.stringify({
    type: "queue-operation",
    operation: name,
    timestamp: new Date(at).toISOString(),
    ...more,
  });
const printed = (text: string) => JSON.stringify({ type: "user", message: { content: text } });

describe("a cancel that waits for the end of the turn", () => {
  it.each(["/cancel-ralph", "/ralph:cancel-ralph", "/ralph:ralph stop"])(
    "%s ends the loop",
    async (words) => {
      const at = world();
      const session = at.session();
      await session.type('/ralph-loop "x"');
      writeFileSync(session.transcript, `${typed(words)}\n${printed("x".repeat(200_000))}\n`);
      const said = await session.stop("I'm done.");
      expect(said.decision).toBeUndefined();
      expect(said.systemMessage).toContain("CANCELLED");
      expect(outcomeOf(at).kind).toBe("stopped");
      expect(at.log()).toContain("cancelled by the user, whose command waits");
      // The command itself comes after that, and finds nothing to end.
      expect((await session.type(words)).systemMessage).toContain("no ralph loop");
    },
  );

  it.each([
    ["what a tool printed", () => printed(`\n${typed("/cancel-ralph")}\n`)],
    ["one from before the loop", () => typed("/cancel-ralph", Date.now() - 60_000)],
    ["half a line", () => typed("/cancel-ralph").slice(0, -5)],
  ])("%s does not", async (_what, line) => {
    const session = world().session();
    await session.type('/ralph-loop "x"');
    writeFileSync(session.transcript, `${line()}\n`);
    expect((await session.stop("I'm done.")).decision).toBe("block");
  });
});

describe("a message of the user that waits for the end of the turn", () => {
  const HELLO = "Which colour? Please do not /cancel-ralph.";

  it("comes first: the agent is not sent back, nothing is counted, and the loop goes on after the answer", async () => {
    const at = world();
    const session = at.session();
    await session.type('/ralph-loop "x" --max-iterations 1');
    await session.tool();
    const before = at.journal().length;
    writeFileSync(session.transcript, `${typed(HELLO)}\n${printed("x".repeat(200_000))}\n`);
    const said = await session.stop("I'm done.");
    expect(said.decision).toBeUndefined();
    expect(said.systemMessage).toContain("comes first; the loop goes on after it");
    expect(at.log()).toContain("a message waits for the agent; not counted");
    expect(at.journal()).toHaveLength(before);

    appendFileSync(session.transcript, `${operation("dequeue")}\n`);
    await session.type(HELLO);
    expect((await session.stop("Blue.")).decision).toBe("block");
    // The tool was used before the message came, and is work all the same.
    expect(at.log()).toMatch(
      /iteration 1: promise missing; 1 tool calls.*the user spoke; sent back \(1 of 1\)/,
    );
    expect((await session.stop("<promise>DONE</promise>")).systemMessage).toContain("PROMISE_ACCEPTED");
  });

  it.each([
    ["the agent heard it in the middle of its turn", () => [operation("remove")]],
    [
      "the agent heard it, which is told with its words",
      () => [operation("remove", { content: HELLO, reason: "absorbed_mid_turn" })],
    ],
    ["the user took it back", () => [operation("popAll", { content: HELLO })]],
    ["something that we do not know became of it", () => [operation("archive")]],
  ])("does not wait any more when %s", async (_what, lines) => {
    const session = world().session();
    await session.type('/ralph-loop "x"');
    writeFileSync(session.transcript, [typed(HELLO), ...lines(), ""].join("\n"));
    expect((await session.stop("I'm done.")).decision).toBe("block");
  });

  it("may have reached the agent a moment before its program writes that down", async () => {
    const session = world().session();
    await session.type('/ralph-loop "x"');
    writeFileSync(session.transcript, `${typed(HELLO)}\n`);
    const stopping = session.stop("I'm done.");
    setTimeout(() => appendFileSync(session.transcript, `${operation("dequeue")}\n`), 150);
    expect((await stopping).decision).toBe("block");
  });

  it("one after the other, where there are several", async () => {
    const session = world().session();
    await session.type('/ralph-loop "x"');
    const [one, two, three] = [1_000, 1_001, 1_002].map((later) => Date.now() + later);
    const words = [typed("one", one), typed("two", two), typed("three", three)];
    writeFileSync(session.transcript, `${words.join("\n")}\n`);
    expect((await session.stop("I'm done.")).decision).toBeUndefined();
    // The second was heard together with the first.
    const heard = [operation("dequeue"), operation("remove", { content: "two" })];
    appendFileSync(session.transcript, `${heard.join("\n")}\n`);
    expect((await session.stop("I'm done.")).decision).toBeUndefined();
    appendFileSync(session.transcript, `${operation("dequeue")}\n`);
    expect((await session.stop("I'm done.")).decision).toBe("block");
  });

  it("that was lost does not let the loop stand still", async () => {
    const session = world().session();
    await session.type('/ralph-loop "x"');
    writeFileSync(session.transcript, `${typed(HELLO)}\n`);
    expect((await session.stop("I'm done.")).decision).toBeUndefined();
    expect((await session.stop("I'm done.")).decision).toBe("block");
  });

  it("is gone with the session that was closed before it was heard", async () => {
    const session = world().session();
    await session.type('/ralph-loop "x"');
    // It was typed after the loop began, and before the session was opened again.
    writeFileSync(session.transcript, `${typed(HELLO, Date.now())}\n`);
    await session.hook("SessionEnd", { reason: "other" });
    await session.hook("SessionStart", { source: "resume" });
    expect((await session.stop("I'm done.")).decision).toBe("block");
  });

  it("is told by both, where two copies of the hook are asked", async () => {
    const session = world().session();
    await session.type('/ralph-loop "x"');
    writeFileSync(session.transcript, `${typed(HELLO)}\n`);
    const both = await Promise.all([session.stop("I'm done."), session.stop("I'm done.")]);
    expect(both.map(({ decision }) => decision)).toEqual([undefined, undefined]);
  });
});
