import { writeFileSync } from "node:fs";
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
    ["other words that wait", () => typed("Please do not /cancel-ralph")],
    ["one from before the loop", () => typed("/cancel-ralph", Date.now() - 60_000)],
    ["half a line", () => typed("/cancel-ralph").slice(0, -5)],
  ])("%s does not", async (_what, line) => {
    const session = world().session();
    await session.type('/ralph-loop "x"');
    writeFileSync(session.transcript, `${line()}\n`);
    expect((await session.stop("I'm done.")).decision).toBe("block");
  });
});
