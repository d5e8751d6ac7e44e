import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { world } from "./support.ts";

const DONE = "<promise>DONE</promise>";
const START = '/ralph-loop "Write hello.txt"';

describe("whatever is wrong with us, the session may end", () => {
  it.each([
    ["a damaged journal", (at: Places) => writeFileSync(at.journal, "{ no event\n{}\n")],
    ["an empty journal", (at: Places) => writeFileSync(at.journal, "")],
    ["a journal that is gone", (at: Places) => rmSync(at.journal)],
    ["a run whose folder is gone", (at: Places) => rmSync(at.folder, { recursive: true })],
    ["a damaged marker", (at: Places) => writeFileSync(at.marker, "{")],
    ["a marker of something else", (at: Places) => writeFileSync(at.marker, "[]")],
    ["a marker that is gone", (at: Places) => rmSync(at.marker)],
  ])("%s", async (_, damage) => {
    const at = world();
    const session = at.session();
    await session.type(START);
    await session.tool();
    const folder = at.runFolder();
    const marker = join(at.state, "hooks", session.id, "loop.json");
    damage({ journal: join(folder, "journal.ndjson"), folder, marker });
    const damaged = existsSync(marker);
    const said = await session.stop("not yet");
    expect(said.decision).toBeUndefined();
    if (damaged) {
      expect(at.log()).toMatch(/left to itself|may stop/);
      expect(said.systemMessage).toMatch(/the loop stands still|is over for this session/);
    } else expect(said).toEqual({});
    // And whoever is in it gets out of it.
    expect((await session.type("/cancel-ralph")).systemMessage).toMatch(
      /is cancelled|There is no ralph loop/,
    );
    expect(existsSync(join(at.state, "hooks", session.id))).toBe(false);
    expect((await session.type(START)).systemMessage).toContain("began");
  });

  it.each([
    ["nothing", ""],
    ["no JSON", "{"],
    ["no object", '"x"'],
    ["invalid UTF-8", Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
  ])("a hook that gets %s", async (_, stdin) => {
    const at = world();
    const session = at.session();
    await session.type(START);
    expect(await session.raw("Stop", stdin)).toEqual({ said: {}, code: 0, stdout: "" });
    expect(await session.raw("UserPromptSubmit", stdin)).toEqual({ said: {}, code: 0, stdout: "" });
    expect(at.log()).toContain("no JSON");
    expect((await session.stop("not yet")).decision).toBe("block");
  });

  it("bytes that are no UTF-8 in a message do no harm, and hide no promise", async () => {
    const session = world().session();
    await session.type(START);
    await session.tool();
    const told = { session_id: session.id, hook_event_name: "Stop", last_assistant_message: `MARK ${DONE}` };
    const bytes = Buffer.from(JSON.stringify(told), "latin1");
    bytes.fill(0xff, bytes.indexOf("MARK"), bytes.indexOf("MARK") + 4);
    expect((await session.raw("Stop", bytes)).said.systemMessage).toContain("PROMISE_ACCEPTED");
  });

  it("a state folder that cannot be written starts no loop, and says so", async () => {
    const at = world();
    writeFileSync(at.state, "a file in its place");
    const said = await at.session().type(START);
    expect(said.hookSpecificOutput?.additionalContext).toContain("No ralph loop was started");
  });

  it("a clock that was set back makes no stop count for nothing", async () => {
    const at = world();
    const session = at.session();
    await session.type(`${START} --max-iterations 2`);
    await session.tool();
    await session.stop("not yet");
    const path = join(at.runFolder(), "journal.ndjson");
    const events = at.journal().map((event) => ({ ...event, at: event.at + 3_600_000 }));
    writeFileSync(path, events.map((event) => `${JSON.stringify(event)}\n`).join(""));
    expect((await session.stop("not yet")).decision).toBe("block");
    expect((await session.stop("not yet")).systemMessage).toContain("MAX_ITERATIONS_REACHED");
  });

  it("a program that tells neither its folder nor its transcript has its loop all the same", async () => {
    const at = world();
    const session = at.session({ agent: "codex" });
    const bare = (event: string, more: object) =>
      session.raw(event, JSON.stringify({ session_id: session.id, hook_event_name: event, ...more }));
    await bare("UserPromptSubmit", { prompt: START });
    expect(at.journal()[0]).toMatchObject({ type: "run.started", spec: { project: at.project } });
    expect((await bare("Stop", {})).said.decision).toBe("block");
  });

  it("another process that holds the run for long is not waited for", async () => {
    const at = world();
    const session = at.session();
    await session.type(START);
    await session.tool();
    const { hostname } = await import("node:os");
    // A living stranger on another machine: nobody can tell that it is gone.
    const owner = { pid: 1, host: `not-${hostname()}`, run: "x", at: 0 };
    writeFileSync(join(at.runFolder(), "lock"), JSON.stringify(owner));
    expect(await session.stop("not yet")).toEqual({});
    expect(at.log()).toContain("another process works on it");
  });
});

interface Places {
  readonly journal: string;
  readonly folder: string;
  readonly marker: string;
}

describe("limits of the programs", () => {
  it("the user is told before the program ends a turn without tools, and the run waits to be resumed", async () => {
    const at = world();
    const session = at.session();
    await session.type(START);
    await session.tool();
    const told: (string | undefined)[] = [];
    for (let n = 1; n <= 8; n++) {
      const said = await session.stop(`not yet ${n}`, { stop_hook_active: n > 1 });
      expect([n, said.decision]).toEqual([n, "block"]);
      told.push(said.systemMessage);
    }
    expect(told.map((one) => one?.includes("ralph resume"))).toEqual([
      ...Array<boolean>(6).fill(false),
      true,
      false,
    ]);
    const last = await session.stop("not yet 9");
    expect(last.decision).toBeUndefined();
    expect(last.systemMessage).toContain("ralph resume");
    expect(at.journal().at(-1)).toMatchObject({ type: "run.ended", outcome: { kind: "waiting" } });
  });

  it("a tool call, or a word of the user, begins the count anew; another cap is taken from Claude Code's own variable", async () => {
    const session = world().session({ env: { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: "2" } });
    await session.type(START);
    for (const between of [() => session.tool(), () => session.type("Go on"), () => session.tool()]) {
      await between();
      expect((await session.stop("not yet")).decision).toBe("block");
      expect((await session.stop("not yet")).decision).toBe("block");
    }
    expect((await session.stop("not yet")).systemMessage).toContain("WAITING");
  });

  it("a program without a cap is sent back as often as its user allowed", async () => {
    const session = world().session({ agent: "codex" });
    await session.type(`${START} --max-iterations 9`);
    for (let n = 1; n <= 9; n++) expect((await session.stop("not yet")).decision).toBe("block");
    expect((await session.stop("not yet")).systemMessage).toContain("MAX_ITERATIONS_REACHED");
  });

  it("a turn that failed is noted, and the loop is where it was", async () => {
    const at = world();
    const session = at.session();
    await session.type(START);
    const before = at.journal().length;
    const said = await session.hook("StopFailure", { error: "server_error", last_assistant_message: DONE });
    expect(said.systemMessage).toContain("ralph resume");
    expect(at.log()).toContain("server_error");
    expect(at.journal()).toHaveLength(before);
    expect((await session.stop("not yet")).decision).toBe("block");
  });

  it("a session that is resumed or compacted goes on with its loop, and is told the task again", async () => {
    const at = world();
    const session = at.session();
    await session.type(START);
    await session.tool();
    await session.hook("SessionEnd", { reason: "other" });
    for (const source of ["resume", "compact"]) {
      const said = await session.hook("SessionStart", { source });
      expect(said.hookSpecificOutput?.additionalContext).toContain("Write hello.txt");
    }
    expect(await session.hook("SessionStart", { source: "startup" })).toEqual({});
    expect((await session.stop(DONE)).systemMessage).toContain("PROMISE_ACCEPTED");
  });

  it("a session that is cleared has no loop any more", async () => {
    const at = world();
    const session = at.session();
    await session.type(START);
    await session.hook("SessionEnd", { reason: "clear" });
    expect(readdirSync(join(at.state, "hooks"))).toEqual([]);
  });

  it.each([true, false])(
    "a program that does not tell of its tools: a changed tree is work (in git: %s)",
    async (git) => {
      const at = world({ git });
      const session = at.session({ agent: "codex" });
      const bare = async (event: string, more: object) =>
        (
          await session.raw(
            event,
            JSON.stringify({ session_id: session.id, hook_event_name: event, ...more }),
          )
        ).said;
      await bare("UserPromptSubmit", { prompt: START });
      expect((await bare("Stop", { last_assistant_message: DONE })).reason).toContain("no tool calls/work");
      at.write("hello.txt", "hi");
      expect((await bare("Stop", { last_assistant_message: DONE })).systemMessage).toContain(
        "PROMISE_ACCEPTED",
      );
    },
  );

  it("tools that fail are work too", async () => {
    const session = world().session();
    await session.type(START);
    await session.hook("PostToolUseFailure", { tool_name: "Bash", error: "Exit code 3" });
    expect((await session.stop(DONE)).systemMessage).toContain("PROMISE_ACCEPTED");
  });

  it("the same stop told by two copies of the plugin counts once", async () => {
    const at = world();
    const session = at.session();
    await session.type(`${START} --max-iterations 1`);
    await session.tool();
    const both = await Promise.all([session.stop("not yet"), session.stop("not yet")]);
    expect(both.map(({ decision }) => decision)).toEqual(["block", "block"]);
    expect(both[0]?.reason).toBe(both[1]?.reason);
    expect(at.journal().filter(({ type }) => type === "agent.exited")).toHaveLength(1);
  });
});
