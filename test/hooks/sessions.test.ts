import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ofType } from "../e2e/support.ts";
import { world } from "./support.ts";

const DONE = "<promise>DONE</promise>";
const START = '/ralph-loop "Write hello.txt"';
const lines = (...all: object[]) => all.map((one) => `${JSON.stringify(one)}\n`).join("");
const says = (text: string, at = Date.now()) => ({
  type: "assistant",
  message: { id: `m${at}${text.length}`, role: "assistant", content: [{ type: "text", text }] },
  timestamp: new Date(at).toISOString(),
});

describe("two sessions in one folder", () => {
  it("end their loops each for itself, by the promise and by a cancel", async () => {
    const at = world();
    const [one, two] = [at.session(), at.session()];
    await one.type(START);
    await two.type(START);
    for (const session of [one, two]) await session.tool();
    await two.type("/cancel-ralph");
    expect(await two.stop("x")).toEqual({});
    expect((await one.stop("x")).decision).toBe("block");
    expect((await one.stop(DONE)).systemMessage).toContain("PROMISE_ACCEPTED");
    expect(at.runs()).toHaveLength(2);
  });

  it("a message that waits in one is nothing to the other", async () => {
    const at = world();
    const [one, two] = [at.session(), at.session({ agent: "codex" })];
    for (const session of [one, two]) await session.type(START);
    const typed = { type: "queue-operation", operation: "enqueue", timestamp: new Date().toISOString() };
    writeFileSync(one.transcript, lines(typed));
    expect((await two.stop("x")).decision).toBe("block");
    expect((await one.stop("x")).decision).toBeUndefined();
  });
});

describe("worktrees", () => {
  it("a session in the checkout and one in a worktree have a loop each, and checks run where each is", async () => {
    const at = world({ git: true });
    const tree = join(at.home, "tree");
    at.git("worktree", "add", "-q", tree);
    const here = at.session();
    const there = at.session({ cwd: tree, env: { CLAUDE_PROJECT_DIR: tree } });
    for (const session of [here, there]) {
      await session.type(`${START} --gate "test -f hello.txt"`);
      await session.tool();
    }
    writeFileSync(join(tree, "hello.txt"), "hi\n");
    expect((await here.stop(DONE)).decision).toBe("block");
    expect((await there.stop(DONE)).systemMessage).toContain("PROMISE_ACCEPTED: 1 gate passed");
    expect((await here.stop("x")).decision).toBe("block");
    // Each is a run of its own folder.
    const status = async (cwd: string) => (await at.ralph(["status"], { cwd })).stdout;
    expect(await status(tree)).toContain("PROMISE_ACCEPTED");
    expect(await status(at.project)).not.toContain("PROMISE_ACCEPTED");
  });

  it("an agent that goes into a worktree in the middle of its loop keeps it, and its checks where it began", async () => {
    const at = world({ git: true });
    const tree = join(at.project, "trees/one");
    const session = at.session();
    await session.type(`${START} --gate "test -f hello.txt"`);
    await session.tool();
    at.git("worktree", "add", "-q", tree);
    at.write("hello.txt", "hi\n");
    expect((await session.stop("x", { cwd: tree })).decision).toBe("block");
    expect((await session.stop(DONE, { cwd: tree })).systemMessage).toContain("1 gate passed");
  });

  it("a worktree that is removed with its session still in it traps nobody", async () => {
    const at = world({ git: true });
    const tree = join(at.home, "tree");
    at.git("worktree", "add", "-q", tree);
    const session = at.session({ cwd: tree, env: { CLAUDE_PROJECT_DIR: tree } });
    await session.type(`${START} --gate "true"`);
    await session.tool();
    at.git("worktree", "remove", "--force", tree);
    // Its program starts hooks in a folder that is there.
    const outside = at.session({ id: session.id, env: { CLAUDE_PROJECT_DIR: tree } });
    expect(await outside.stop(DONE, { cwd: tree })).toEqual({
      systemMessage: expect.stringContaining("the loop stands still") as string,
    });
    expect(at.log()).toContain("left to itself");
    await outside.type("/cancel-ralph");
    expect(await outside.stop("x")).toEqual({});
  });
});

describe("a session that is opened again", () => {
  it("goes on counting where it was: iterations, and tools of the turn that was cut off", async () => {
    const at = world();
    const first = at.session();
    await first.type(`${START} --max-iterations 2 --min-tool-calls 2`);
    await first.tool();
    expect((await first.stop("x")).decision).toBe("block");
    await first.tool();
    await first.hook("SessionEnd", { reason: "prompt_input_exit" });
    // Another process of the same program, with the same id.
    const again = at.session({ id: first.id });
    const told = await again.hook("SessionStart", { source: "resume" });
    expect(told.hookSpecificOutput?.additionalContext).toContain("Write hello.txt");
    await again.type("Go on.");
    expect((await again.stop(DONE)).systemMessage).toContain("PROMISE_ACCEPTED");
    expect(ofType(at.journal(), "agent.exited").map(({ iteration }) => iteration)).toEqual([1, 2]);
    expect(at.runs()).toHaveLength(1);
  });

  it("as a copy with an id of its own has no loop: that stays with the first", async () => {
    const at = world();
    const [first, fork] = [at.session(), at.session()];
    await first.type(START);
    await first.tool();
    expect(await fork.hook("SessionStart", { source: "resume" })).toEqual({});
    expect(await fork.stop("x")).toEqual({});
    expect((await first.stop("x")).decision).toBe("block");
  });

  it("is a new one after /clear, and the loop can be gone on with by ralph resume", async () => {
    const at = world();
    const [before, after] = [at.session(), at.session()];
    await before.type(START);
    await before.hook("SessionEnd", { reason: "clear" });
    expect(await after.hook("SessionStart", { source: "clear" })).toEqual({});
    expect(await after.stop("x")).toEqual({});
    expect(at.log()).toMatch(/the session ended \(clear\).*ralph resume/);
  });
});

describe("a conversation that is compacted", () => {
  it("goes on with its loop: the task is told again, and what was done before still counts", async () => {
    const at = world();
    const session = at.session();
    await session.type(`${START} --max-iterations 2 --min-tool-calls 1`);
    await session.tool();
    expect((await session.stop("x")).decision).toBe("block");
    const told = await session.hook("SessionStart", { source: "compact" });
    expect(told.hookSpecificOutput?.additionalContext).toContain(`output exactly ${DONE}`);
    expect((await session.stop(DONE)).systemMessage).toContain("PROMISE_ACCEPTED");
  });

  it("a promise in its summary is not the agent's, also where the transcript was written anew and is shorter", async () => {
    const at = world();
    const session = at.session({ agent: "codex" });
    writeFileSync(session.transcript, lines(says("x".repeat(50_000), Date.now() - 60_000)));
    await session.type(START);
    await session.tool();
    const summary = {
      type: "user",
      isCompactSummary: true,
      message: { role: "user", content: `So far: ${DONE}` },
    };
    writeFileSync(session.transcript, lines(says(`An old one: ${DONE}`, Date.now() - 60_000), summary));
    await session.hook("SessionStart", { source: "compact" });
    expect((await session.stop(undefined)).decision).toBe("block");
    appendFileSync(session.transcript, lines(says(`There. ${DONE}`)));
    expect((await session.stop(undefined)).systemMessage).toContain("PROMISE_ACCEPTED");
  });
});

describe("a session that was there before the plugin", () => {
  it("whose first word to us is a stop or a tool call is left alone, and nothing is written", async () => {
    const at = world();
    const session = at.session();
    writeFileSync(session.transcript, lines(says(DONE)));
    expect(await session.tool()).toEqual({});
    expect(await session.stop(DONE)).toEqual({});
    expect(existsSync(at.state)).toBe(false);
  });

  it("begins a loop in the middle of its conversation: what was said and done before is not the loop's", async () => {
    const at = world();
    const session = at.session({ agent: "codex" });
    writeFileSync(session.transcript, lines(says(`That was easy: ${DONE}`)));
    for (let n = 0; n < 3; n++) await session.tool();
    await session.type(START);
    expect((await session.stop(undefined)).reason).toContain("did not output");
    expect((await session.stop(DONE)).reason).toContain("no tool calls/work");
    await session.tool();
    expect((await session.stop(DONE)).systemMessage).toContain("PROMISE_ACCEPTED");
  });

  it("goes on with a loop whose state an older version wrote, and leaves that of a newer one alone", async () => {
    const at = world();
    const session = at.session();
    await session.type(START);
    await session.tool();
    const path = join(at.state, "hooks", session.id, "loop.json");
    const { run, folder, project } = JSON.parse(readFileSync(path, "utf8")) as Record<string, string>;
    writeFileSync(path, JSON.stringify({ run, folder, project }));
    expect((await session.stop("x")).decision).toBe("block");
    const journal = join(at.runFolder(), "journal.ndjson");
    writeFileSync(journal, readFileSync(journal, "utf8").replace('"journal":1', '"journal":99'));
    expect(await session.stop("x")).toEqual({
      systemMessage: expect.stringContaining("the loop stands still") as string,
    });
    expect(at.log()).toContain("left to itself");
  });

  it("with the state of a loop that another session of the folder left for good is not held by it", async () => {
    const at = world();
    const gone = at.session();
    await gone.type(START);
    await gone.tool();
    const session = at.session();
    await session.hook("SessionStart", { source: "startup" });
    expect(await session.stop("x")).toEqual({});
    // And it can have one of its own.
    expect((await session.type(START)).systemMessage).toContain("began");
  });
});
